/** Everything that is called with parentheses, in one table: for checking, completion and signature help. */
import { show } from '../basics/quantities.ts';
import { parametersOf } from '../policies/parameters.ts';
import { policies } from '../policies/registry.ts';
import type { PolicyParameter } from '../policies/policy.ts';
import { symbolId } from './context.ts';
import { optimizers } from '../costs/optimizer.ts';
import { collectives } from '../exchange/collectives.ts';
import { localParameters, localRule } from '../exchange/local.ts';
import { exchangePresets, inOrder } from '../exchange/presets.ts';
import { presetText } from '../exchange/rule.ts';
import { recomputeModules } from '../costs/recompute.ts';
import {
  moduleWords,
  otherModuleNames,
  pipedreamObjectives,
  planners,
  plannerWords,
  allocations,
  allocationWords,
} from './schema/words.ts';
import { shapes } from '../costs/shapes.ts';
import { fp4Recipes, storedRecipes } from '../costs/stored.ts';
import { loraTargets } from '../costs/types.ts';
import { functionRow, type FunctionParameter, type FunctionSchema, may, need } from './functionRow.ts';
import { valueKinds, type FunctionContext } from './kinds.ts';
import { ruleFunctions } from './ruleFunctions.ts';

export type { FunctionParameter, FunctionSchema };

const number = need('x', 'a plain number');
const values: readonly FunctionSchema[] = [
  functionRow('value', 'min', 'The least of its arguments.', [need('a', 'values of one dimension')], { rest: true }),
  functionRow('value', 'max', 'The greatest of its arguments.', [need('a', 'values of one dimension')], { rest: true }),
  functionRow('value', 'ceil', 'The next whole number above.', [number]),
  functionRow('value', 'floor', 'The next whole number below.', [number]),
  functionRow('value', 'round', 'The nearest whole number; halves go up.', [number]),
  functionRow('value', 'abs', 'The value without its sign.', [need('x', 'a value of any dimension')]),
  functionRow('value', 'sqrt', 'The square root.', [number]),
  functionRow('value', 'log2', 'The logarithm to base two.', [number]),
  functionRow('value', 'mod', 'The remainder of a / b, with the sign of b: `mod(-1, 4)` is 3.', [
    need('a', 'a plain number'),
    need('b', 'a plain number other than 0'),
  ]),
  functionRow('value', 'div', 'The whole part of a / b, rounded down: `div(-1, 4)` is -1.', [
    need('a', 'a plain number'),
    need('b', 'a plain number other than 0'),
  ]),
  functionRow('value', 'not', 'True if the condition is false.', [need('condition', 'a comparison')]),
  functionRow('value', 'if', 'The second argument if the first is true, otherwise the third.', [
    need('condition', 'a comparison'),
    need('then', 'value where it holds'),
    need('else', 'value where it does not'),
  ]),
  functionRow('link', 'half', 'A half-duplex link: both directions are one resource.', [
    need('link', 'bandwidth + latency', '25GB/s + 5us'),
  ]),
  functionRow('link', 'shared', 'One resource that all pairs of this link queue for.', [
    need('link', 'bandwidth + latency', '25GB/s + 5us'),
  ]),
  functionRow(
    'cut',
    'balance',
    'Splits the layers into contiguous stages so that the slowest is as fast as possible (or uses as little memory as possible).',
    [
      may('stages', 'number of stages. Default: as many as the schedule puts on the devices'),
      may('by', 'what to minimise', {
        words: ['time', 'memory', 'both'],
        default: 'time',
        meanings: {
          time: 'the time of the slowest stage',
          memory: 'the memory of the fullest device',
          both: 'the time of the slowest stage, among cuts that fit',
        },
      }),
    ],
    { bare: true },
  ),
  functionRow('cut', 'split', 'Layers of each stage, in order.', [need('layers', 'number of layers of a stage')], {
    rest: true,
  }),
  functionRow(
    'cut',
    'plan',
    'Stages and their replicas, as the planner of a published system computes them from the costs.',
    [
      { ...need('planner', 'the planner', planners), meanings: plannerWords },
      may(
        'objective',
        'the objective of `pipedream`: as in its paper, or as in its released code (compute and exchange added, transfers left out)',
        { words: pipedreamObjectives, default: 'paper' },
      ),
      may('allocation', 'how `hetpipe` divides the cluster into virtual workers. Default: all devices are one', {
        words: allocations,
        meanings: allocationWords,
      }),
      may('worker', 'number of the virtual worker that the pipeline is, from 0 on. Default: 0'),
    ],
  ),
  functionRow(
    'activations',
    'fp8',
    'Inputs of products with weights are stored in fp8 for the weight gradient, as Transformer Engine does.',
    [
      may(
        'recipe',
        'how tensors are scaled: one scale for a tensor (`current`, `delayed`), for 128 elements (`blockwise`) or for 32 (`mxfp8`). `deepseek_v3` also stores inputs of SwiGLU and the result of attention so, recomputes the result of SwiGLU, and sends tokens to experts in fp8',
        { words: storedRecipes, default: 'current' },
      ),
      may(
        'swiglu',
        'whether inputs of the activation function are stored in fp8 (`--activation-func-fp8-input-store`)',
        {
          words: ['true', 'false'],
          default: 'false',
        },
      ),
      may('dispatch', 'whether tokens go to their experts in fp8; their results come back in 16 bits', {
        words: ['true', 'false'],
        default: 'false',
      }),
    ],
    { bare: true },
  ),
  functionRow(
    'activations',
    'fp4',
    'Inputs of products with weights are stored in fp4 for the weight gradient, as Transformer Engine does.',
    [
      may(
        'recipe',
        'how tensors are scaled: `nvfp4` has a scale in fp8 for 16 elements, and one in fp32 for a tensor',
        {
          words: fp4Recipes,
          default: 'nvfp4',
        },
      ),
    ],
    { bare: true },
  ),
  functionRow(
    'trainable',
    'lora',
    'Low-rank adapters: the weights are frozen, and next to each target two small matrices train (arXiv:2106.09685).',
    [
      need('rank', 'rows of the first matrix and columns of the second', '16'),
      may('targets', 'a list of the products that get adapters. Default: all that the layer has, but none of experts', {
        words: loraTargets,
      }),
      may('alpha', 'factor of the sum, over the rank; it costs nothing', { default: 'rank' }),
      may('dropout', 'probability of dropping an input of an adapter; above 0 each adapter keeps a copy of its input', {
        default: '0',
      }),
      may(
        'weights',
        'format of the frozen products: `model` is the precision of the model, `nf4` is 4 bits as in QLoRA (arXiv:2305.14314)',
        { words: ['model', 'nf4'], default: 'model' },
      ),
      may(
        'experts',
        'adapters of experts, if targets name gate, up or down: `each` expert has separate ones (PEFT), or the experts of a rank have `shared` ones (Megatron Bridge)',
        { words: ['each', 'shared'], default: 'each' },
      ),
    ],
  ),
  functionRow(
    'lengths',
    'lognormal',
    'Lengths drawn from a log-normal distribution, as lengths of documents often are. They are whole, at least 1, and at most `sequence`.',
    [
      need('mean', 'the mean, before the cut at `sequence`', '3000'),
      need('sigma', 'standard deviation of the logarithm: 0 makes all equal', '0.6'),
      need('seed', 'a whole number; the same seed draws the same lengths', '1'),
    ],
  ),
  functionRow('lengths', 'uniform', 'Whole lengths drawn with equal chances between two bounds, both included.', [
    need('from', 'the shortest', '512'),
    need('to', 'the longest', '4096'),
    need('seed', 'a whole number; the same seed draws the same lengths', '1'),
  ]),
  functionRow(
    'source',
    'profile',
    'Measured layers of a profile: times and sizes of one microbatch, and which layers each one needs.',
    [need('file', 'path of the profile, from this file')],
  ),
  functionRow(
    'source',
    'huggingface',
    'Layers that a Hugging Face configuration describes, as shapes. You still set `sequence`.',
    [
      need('file', 'path of the config.json, from this file'),
      may('mtp', 'whether the model has its layers for multi-token prediction (`num_nextn_predict_layers`)', {
        words: ['true', 'false'],
        default: 'false',
      }),
      may('images', 'images of a sample, for vision-language models. Default: 1'),
      may('pixels', 'side of an image in pixels. Default: as the configuration says, or 448'),
      may('encoder', 'tokens of the encoder of T5. Default: 512'),
    ],
  ),
  functionRow(
    'system',
    'system',
    'Figures of the device in a system file of Calculon (JSON) or aiconfigurator (YAML). The content decides which.',
    [need('file', 'path of the system, from this file')],
  ),
  functionRow('placement', 'loop', 'Stage s is on device s mod p, v stages per device.', [
    need('v', 'stages of each device', '2'),
  ]),
  functionRow('placement', 'wave', 'A zig-zag over the devices, 2w stages per device.', [need('w', 'waves', '1')]),
  functionRow(
    'transfer',
    'buffered',
    'Transfers run while both devices work.',
    [
      may(
        'receive',
        'messages that a stage has room for. `all`: of every microbatch, and it keeps what it sends until the backward, as torch.distributed.pipelining does',
        { words: ['next', 'all'], default: 'next' },
      ),
    ],
    { bare: true },
  ),
  functionRow(
    'transfer',
    'rendezvous',
    'A send and its receive block both devices until the transfer is over.',
    [
      may(
        'batched',
        'exchanges between two operations that are issued as one batch: none, those with one device, or all',
        { words: ['false', 'true', 'all'], default: 'false' },
      ),
      may('reshard', 'how stages of different meshes exchange data', {
        words: ['send_recv', 'all_gather', 'broadcast', 'scatter_gather'],
        default: 'the fastest but scatter_gather',
      }),
    ],
    { bare: true },
  ),
  functionRow(
    'transfer',
    'send_recv',
    'Buffered. Between different meshes each device gets all that it needs from devices that have it.',
    [],
    { bare: true },
  ),
  functionRow(
    'transfer',
    'all_gather',
    'Buffered. Between different meshes the devices that need the same data get an equal part each, then gather it.',
    [
      may('scope', 'who gathers: the devices of each node, or all in the cluster', {
        words: ['node', 'cluster'],
        default: 'node',
      }),
    ],
    { bare: true },
  ),
  functionRow(
    'transfer',
    'broadcast',
    'Buffered. Between different meshes data goes in chunks through a chain of all devices that need it.',
    [may('chunks', 'chunks of each message', { default: 'chunks of 512 KiB' })],
    { bare: true },
  ),
  functionRow(
    'transfer',
    'scatter_gather',
    'Buffered. Each tensor rank sends a part of the data that all of them hold, and the receivers gather it (Megatron-LM).',
    [],
    { bare: true },
  ),
  functionRow('gradientSync', 'end', 'Gradients are exchanged all at once after the last operation of a device.', [], {
    bare: true,
  }),
  ...exchangePresets.map((preset) =>
    functionRow(
      'gradientSync',
      preset.name,
      preset.source === '' ? preset.doc : `${preset.doc} Source: ${preset.source}.`,
      inOrder(preset).map(({ name, doc, words, default: otherwise }) =>
        may(name, doc, { words, default: presetText(preset, name) ?? otherwise }),
      ),
      { bare: true },
    ),
  ),
  functionRow(
    'gradientSync',
    localRule.name,
    `${localRule.doc} Source: ${localRule.source}.`,
    localParameters.map(({ name, doc, words, default: otherwise }) =>
      otherwise === undefined ? need(name, doc, '500') : may(name, doc, { words, default: otherwise }),
    ),
  ),
  ...collectives.map(({ name, doc, source, parameters }) =>
    functionRow(
      'collective',
      name,
      source === '' ? doc : `${doc} Source: ${source}.`,
      parameters.map((parameter) =>
        parameter.name === 'file'
          ? need(parameter.name, parameter.doc)
          : may(parameter.name, parameter.doc, { words: parameter.words, default: parameter.default }),
      ),
      { bare: name !== 'table' },
    ),
  ),
  functionRow(
    'recompute',
    'full',
    'Keeps only the input of each layer and recomputes its forward in the backward. With arguments only of some layers of each stage.',
    [
      may('layers', 'layers of each stage that are recomputed, or of each group', { default: 'all' }),
      may(
        'method',
        '`block`: the first `layers` of each stage. `uniform`: all layers, in groups of `layers` that are recomputed at once',
        { words: ['block', 'uniform'], default: 'block' },
      ),
      may('every', 'every k-th layer of each stage, in the place of `layers`'),
    ],
    { bare: true },
  ),
  functionRow(
    'recompute',
    'budget',
    'Keeps the outputs of each layer that cost most to make again, within a share of what it would keep, as `torch.compile` does.',
    [need('share', 'share of what a layer keeps beyond its input, if nothing is recomputed', '50%')],
  ),
  functionRow(
    'recompute',
    'modules',
    'Recomputes parts of each layer, as `--recompute-modules` of Megatron-LM does.',
    [
      {
        ...need('module', 'parts of a layer', [...recomputeModules, ...Object.keys(otherModuleNames)]),
        meanings: moduleWords,
      },
    ],
    { rest: true },
  ),
  functionRow(
    'run',
    'trace',
    'A run as a profiler or training engine recorded it: a file, or a folder with the files of all ranks.',
    [
      need(
        'file',
        'path of a trace, of a summary that `pipewright import --summary` wrote, or of a folder',
        '"traces/"',
      ),
      may('skip', 'steps at the beginning to leave out, in which libraries start', { default: '1' }),
      may('ranks', 'ranks of one pipeline, where the traces do not tell several apart: `[0, 2, 4, 6]`', {
        default: 'all',
      }),
    ],
  ),
  functionRow(
    'offload',
    'activations',
    'Keeps the activations of the first layers of each stage on the host from their forward to their backward.',
    [
      need('layers', 'transformer and measured layers of each stage that are offloaded; the last one stays', '4'),
      may('link', 'link to the host in each direction', { default: "the device's `host`" }),
    ],
  ),
  functionRow(
    'loss',
    'chunked',
    'Forward and backward of the head and its loss for one part of the tokens after the other.',
    [need('chunks', 'parts of equal size', '8')],
  ),
  functionRow('fill', 'inference', 'Runs the forward of each layer in turn.', [need('model', 'a model of the file')]),
  functionRow('fill', 'training', 'Runs forward and backward of each layer in turn.', [
    need('model', 'a model of the file'),
  ]),
  functionRow(
    'workerSync',
    'wsp',
    'Wave Synchronous Parallel: workers push the summed updates of a wave of minibatches, and a worker waits before it leads the slowest by more than `distance` waves.',
    [may('distance', 'waves that a worker may lead the slowest one by', { default: '0' })],
    { bare: true },
  ),
  functionRow(
    'workerSync',
    'free',
    'Lock-free servers: a worker pushes after each wave, pulls after its push, and never waits for another. Source: Chilimbi et al., 2014.',
    [],
    { bare: true },
  ),
  functionRow('order', 'greedy', 'A list scheduler: a free device runs its first ready operation.', [
    need('prefer', 'kinds in order of preference: `[I, F, W]`', '[B, F]'),
  ]),
  functionRow(
    'operations',
    'zip',
    'Alternates between its lists; the rest of the longer one follows.',
    [need('rows', 'operations, one list per argument')],
    { rest: true },
  ),
  functionRow(
    'operations',
    'repeat',
    'Repeats the operations n times.',
    [need('n', 'times'), need('operations', 'operations')],
    {
      rest: true,
    },
  ),
  functionRow(
    'operations',
    'each',
    'The operations for each number of a range, in order: `each(j in 0..<microbatches, F[j], B[j])`.',
    [
      need('j in a..<b', 'a name, `in`, and the range that it goes through; also with `step`'),
      need('operations', 'operations for one number'),
    ],
    { rest: true },
  ),
  functionRow('operations', 'take', 'The first n operations; all of them if there are fewer.', [
    need('n', 'how many'),
    need('operations', 'operations'),
  ]),
  functionRow('operations', 'drop', 'What follows the first n operations.', [
    need('n', 'how many'),
    need('operations', 'operations'),
  ]),
  functionRow(
    'operations',
    'if',
    'The operations in the second argument if the first is true, otherwise those in the third, or none.',
    [
      need('condition', 'a comparison'),
      need('then', 'operations if it holds'),
      may('else', 'operations if it does not', { default: '[]' }),
    ],
  ),
  ...ruleFunctions,
  functionRow('operations', 'fused', 'Runs two operations in one overlapped slot.', [
    need('first', 'an operation'),
    need('second', 'an operation'),
    may('overlap', 'share of the shorter operation that runs in parallel with the longer one; the same in all rows', {
      default: '0%',
    }),
  ]),
];

/** A default as a file would write it: `12GB/s`. */
const written = ({ kind, default: value, dimension }: PolicyParameter): string =>
  typeof value === 'number' && kind === 'quantity'
    ? show(value, dimension ?? 'number').replace(' ', '')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** All functions, policies, shapes and optimizer recipes. */
export const functions: readonly FunctionSchema[] = [
  ...values,
  ...shapes.map((shape) =>
    functionRow(
      'shape',
      shape.name,
      shape.doc,
      shape.parameters.map((p) => ({
        name: p.name,
        doc: p.doc,
        optional: p.default !== undefined,
        words: p.kind === 'boolean' ? ['true', 'false'] : p.words,
        ...(p.calls === undefined ? {} : { values: p.calls.kind }),
        default: p.default === undefined || p.default === null ? undefined : String(p.default),
        ...(p.example === undefined ? {} : { example: String(p.example) }),
      })),
    ),
  ),
  functionRow(
    'shape',
    'pattern',
    'Layers of several shapes that alternate in an array: a letter for each layer, from the first. The pattern begins again behind its last letter.',
    [
      need('letters', 'a letter for each layer of the pattern, in quotes', '"wwwb"'),
      may('shape', 'the shape of a letter: `w = transformer(…, window = 1024)`', { values: 'shape' }),
    ],
    {
      rest: true,
      call: 'pattern("wwwb", w = transformer(hidden = 4096, heads = 32, window = 1024), b = transformer(hidden = 4096, heads = 32))',
    },
  ),
  ...optimizers.map((recipe) =>
    functionRow(
      'optimizer',
      recipe.name,
      recipe.doc,
      recipe.parameters.map((p) =>
        p.required === true
          ? need(p.name, p.doc)
          : may(p.name, p.doc, { words: p.words, meanings: p.meanings, default: p.default }),
      ),
      { bare: recipe.parameters.every((p) => p.required !== true) },
    ),
  ),
  ...policies.map((policy) =>
    functionRow(
      'schedule',
      policy.name,
      policy.summary,
      parametersOf(policy).map((p) =>
        may(p.name, p.summary, { words: p.words, default: p.default === undefined ? undefined : written(p) }),
      ),
      { bare: true },
    ),
  ),
];

/** Whether functions of a context are allowed in any expression. */
export const inExpressions = (context: FunctionContext): boolean =>
  context === 'value' || valueKinds[context].inExpressions === true;

/** Whether arguments of a function are written by name. */
export const takesNames = ({ context }: FunctionSchema): boolean =>
  context !== 'value' && valueKinds[context].argumentsByName === true;

const byContext = new Map<string, FunctionSchema>();
for (const each of functions) {
  byContext.set(`${each.context} ${each.name}`, each);
  if (inExpressions(each.context)) byContext.set(`value ${each.name}`, each);
}

/** Of a function's symbol: functions of two contexts may share a name. */
export const functionId = ({ context, name }: FunctionSchema): string => symbolId('function', `${context} ${name}`);

/** A context and those whose functions it takes, too. */
const contextsOf = (context: FunctionContext): readonly FunctionContext[] =>
  context === 'value' ? [context] : [context, ...(valueKinds[context].also ?? [])];

/** Whether a function is allowed in a context; functions of any expression are not counted. */
export const isIn = ({ context }: Pick<FunctionSchema, 'context'>, where: FunctionContext): boolean =>
  contextsOf(where).includes(context);

/** A function by name, in the context of its call. */
export const findFunction = (context: FunctionContext, name: string): FunctionSchema | undefined =>
  byContext.get(`${context} ${name}`) ??
  contextsOf(context)
    .flatMap((each) => byContext.get(`${each} ${name}`) ?? [])
    .at(0);

/** A function that an argument of some function of this context takes: `chunked` in a shape. */
export const findInArguments = (context: FunctionContext, name: string): FunctionSchema | undefined =>
  (valuesOfArguments.get(context) ?? []).flatMap((kind) => byContext.get(`${kind} ${name}`) ?? []).at(0);

const valuesOfArguments = new Map<FunctionContext, FunctionContext[]>();
for (const { context, parameters } of functions)
  for (const { values: kind } of parameters) {
    const known = valuesOfArguments.get(context) ?? [];
    if (kind !== undefined && !known.includes(kind)) valuesOfArguments.set(context, [...known, kind]);
  }

/** Names that are allowed in a context. */
export const functionNames = (context: FunctionContext): readonly string[] =>
  functions
    .filter((each) => isIn(each, context) || (context === 'value' && inExpressions(each.context)))
    .map((each) => each.name);
