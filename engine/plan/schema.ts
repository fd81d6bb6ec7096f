/**
 * Every block and its keys: one table for checking, completion, hover and signature help.
 * Adding a key is a line here and its reader in `blocks/`.
 */
import type { BlockKeyword } from '../../grammar/syntax.ts';
import type { Dimension } from './plan.ts';

/** `layer`, `stage`, `node` and `switch` stand inside other blocks. */
export type BlockName = BlockKeyword | 'layer' | 'stage' | 'node' | 'switch';

/**
 * How an entry of a key may be written:
 * `value` `key = …` · `indexed` `key[n] = …` · `ends` `key a -- b = …` · `call` `key(x) = …` ·
 * `named` `key name = …` · `block` `key name { … }` · `indexed-block` `key[n] { … }`.
 */
export type Form = 'value' | 'indexed' | 'ends' | 'call' | 'named' | 'block' | 'indexed-block';

/** A word that a key takes, such as `bf16`. */
export interface Word {
  readonly name: string;
  readonly doc: string;
}

/** What may stand after `=`. */
export type ValueSchema =
  | {
      readonly kind: 'quantity';
      readonly dimension: Dimension;
      readonly integer?: boolean;
      /** Least and greatest value allowed, in base units; `above` is a bound that itself is not allowed. */
      readonly min?: number;
      readonly max?: number;
      readonly above?: number;
    }
  | { readonly kind: 'words'; readonly words: readonly Word[] }
  /** The name of a declaration. */
  | { readonly kind: 'name'; readonly of: 'device' | 'cluster' | 'model' | 'pipeline' }
  /** Layers of the model: `embed, block[0..10]`, or in a list. */
  | { readonly kind: 'layers' }
  | { readonly kind: 'shape' }
  /** Layers of another file: `profile("graph.txt")`. */
  | { readonly kind: 'source' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'schedule' }
  | { readonly kind: 'devices' }
  | { readonly kind: 'link' }
  | { readonly kind: 'optimizer' }
  | { readonly kind: 'placement' }
  | { readonly kind: 'transfer' }
  | { readonly kind: 'workerSync' }
  /** A model, or `inference(NAME)`, `training(NAME)`. */
  | { readonly kind: 'fill' }
  | { readonly kind: 'order' }
  | { readonly kind: 'operations' }
  /** Nothing is known of it: names in it are not looked up. */
  | { readonly kind: 'any' };

export interface KeySchema {
  readonly name: string;
  readonly doc: string;
  /** As it is written in a file; completion inserts it. */
  readonly example: string;
  readonly forms: readonly Form[];
  readonly value: ValueSchema;
  readonly required?: boolean;
  /** Words of which one stands in the parentheses of the form `call`; names of one's own where absent. */
  readonly parameters?: readonly Word[];
  /** May stand more than once in a block. */
  readonly repeatable?: boolean;
  /** Takes several values with commas. */
  readonly several?: boolean;
  /** Keys inside its `{ … }`. */
  readonly block?: BlockName;
  /** Set for keys that this version reads but does not simulate: why, for `key/not-applicable`. */
  readonly unavailable?: string;
}

export interface BlockSchema {
  readonly name: BlockName;
  readonly doc: string;
  readonly keys: readonly KeySchema[];
}

const amountOf = (
  dimension: Dimension,
  more: { min?: number; max?: number; above?: number } = { min: 0 },
): ValueSchema => ({
  kind: 'quantity',
  dimension,
  ...more,
});
const whole = (min: number): ValueSchema => ({ kind: 'quantity', dimension: 'number', integer: true, min });
const words = (...pairs: readonly (readonly [string, string])[]): ValueSchema => ({
  kind: 'words',
  words: pairs.map(([name, doc]) => ({ name, doc })),
});
type Options = Partial<Omit<KeySchema, 'name' | 'example' | 'value' | 'doc'>>;
const key = (name: string, example: string, value: ValueSchema, doc: string, options: Options = {}): KeySchema => ({
  name,
  example,
  value,
  doc,
  forms: ['value'],
  ...options,
});

const precisions: readonly Word[] = [
  { name: 'bf16', doc: 'Two bytes an element.' },
  { name: 'fp16', doc: 'Two bytes an element.' },
  { name: 'fp8', doc: 'Multiplied in one byte an element; stored in two.' },
  { name: 'tf32', doc: 'Four bytes an element, tensor-core rate.' },
  { name: 'fp32', doc: 'Four bytes an element.' },
];
const later = 'this version does not simulate it';
const recompute = words(
  ['none', 'Keep every activation until the backward pass.'],
  ['selective', 'Make the attention scores again in the backward pass; keep the rest.'],
  ['full', 'Keep only the input of each layer and run its forward again in the backward pass.'],
  ['stage', 'Keep only what enters the stage and run its whole forward again in the backward pass, as GPipe does.'],
);

const device: BlockSchema = {
  name: 'device',
  doc: 'One kind of accelerator.',
  keys: [
    key('memory', 'memory = 80GiB', amountOf('bytes', { above: 0 }), 'Bytes of memory on one device.', {
      required: true,
    }),
    key(
      'reserved',
      'reserved = 2GiB',
      amountOf('bytes'),
      'Bytes that the framework and other programs hold; 0 unless said.',
    ),
    key(
      'compute',
      'compute = 312TFLOPS',
      amountOf('compute', { above: 0 }),
      'Dense peak rate. Needed for layers with a shape. `compute(fp8) = …` is that of one number format, which counts where a model has that precision.',
      { forms: ['value', 'call'], repeatable: true, parameters: precisions },
    ),
    key(
      'bandwidth',
      'bandwidth = 2TB/s',
      amountOf('bandwidth', { above: 0 }),
      'Bandwidth of the device memory. Without it only FLOPs take time.',
    ),
    key(
      'efficiency',
      'efficiency = 50%',
      amountOf('share', { above: 0, max: 1 }),
      'Share of the peak that kernels reach; 100 % unless said. `efficiency(fp8) = …` is that of one number format.',
      { forms: ['value', 'call'], repeatable: true, parameters: precisions },
    ),
    key(
      'speed',
      'speed = 1.5',
      amountOf('number', { above: 0 }),
      'Relative speed for measured layers: their times are divided by it; 1 unless said.',
    ),
  ],
};

const link = key(
  'link',
  'link = 25GB/s + 5us',
  { kind: 'link' },
  'Bandwidth + latency, full duplex. `half(…)`: both directions are one resource. `shared(…)`: all its pairs queue for one resource. `link a -- b = …` is a link of named devices or switches; a transfer takes the best route.',
  { forms: ['value', 'ends'], repeatable: true },
);
const gpu = key(
  'gpu',
  'gpu[8] = v100',
  { kind: 'name', of: 'device' },
  '`gpu[n]` adds n devices of a kind, `gpu[a..b]` those with these numbers.',
  {
    forms: ['indexed'],
    repeatable: true,
  },
);
const node = key(
  'node',
  'node[4] {\n  gpu[8] = v100\n  link = 150GB/s + 2us\n}',
  { kind: 'any' },
  '`node[n] { … }` adds n equal nodes with devices of their own.',
  {
    forms: ['indexed-block'],
    repeatable: true,
    block: 'node',
  },
);

const hub = key(
  'switch',
  'switch pcie {\n  ports = gpu[0..3]\n  link = 24GB/s + 2us\n}',
  { kind: 'any' },
  'A switch, host bridge or network card: a name that links may end at. Transfers that meet on a link of a way over several share it.',
  { forms: ['block'], repeatable: true, block: 'switch' },
);
const switchBlock: BlockSchema = {
  name: 'switch',
  doc: 'A switch, host bridge or network card: what links may end at besides devices.',
  keys: [
    key('ports', 'ports = gpu[0..3]', { kind: 'devices' }, 'Devices and other switches that are linked to it.', {
      several: true,
    }),
    key(
      'link',
      'link = 24GB/s + 2us',
      { kind: 'link' },
      'The link of each port. `shared(…)`: one link, which all ports share.',
    ),
  ],
};

const cluster: BlockSchema = {
  name: 'cluster',
  doc: 'Devices and the links between them.',
  keys: [gpu, node, hub, link],
};
const nodeBlock: BlockSchema = {
  name: 'node',
  doc: 'A node: devices with links of their own.',
  keys: [gpu, node, hub, link],
};

const model: BlockSchema = {
  name: 'model',
  doc: 'Layers in order, or a graph of them with `after`.',
  keys: [
    key(
      'layer',
      'layer block[8] { forward = 4ms  backward = 8ms }',
      { kind: 'shape' },
      'A layer, or with `[n]` an array of equal ones; measured in braces or derived from a shape.',
      {
        forms: ['block', 'named'],
        repeatable: true,
        block: 'layer',
      },
    ),
    key('sequence', 'sequence = 2048', whole(1), 'Tokens of one sample. Needed for layers with a shape.'),
    key('micro_batch', 'micro_batch = 1', whole(1), 'Samples of one microbatch; 1 unless said.'),
    key(
      'precision',
      'precision = bf16',
      { kind: 'words', words: precisions },
      'Number format of weights and activations; bf16 unless said.',
    ),
    key(
      'from',
      'from = profile("graph.txt")',
      { kind: 'source' },
      'Layers that stand elsewhere, instead of `layer`: `profile("graph.txt")` a measured profile, `huggingface("config.json")` a configuration, or the name of another model, such as one of `std:models`.',
    ),
  ],
};

const time = amountOf('time');
const size = amountOf('bytes');
const layer: BlockSchema = {
  name: 'layer',
  doc: 'Times and sizes of one microbatch on one device of the stage.',
  keys: [
    key('forward', 'forward = 4ms', time, 'Time of the forward pass.'),
    key('backward', 'backward = 8ms', time, 'Time of the whole backward pass. A policy that splits it takes halves.'),
    key(
      'backward_input',
      'backward_input = 4ms',
      time,
      'Time of the input gradient, where the two halves of the backward are measured apart.',
    ),
    key(
      'backward_weight',
      'backward_weight = 4ms',
      time,
      'Time of the weight gradient, where the two halves of the backward are measured apart.',
    ),
    key('weights', 'weights = 256MiB', size, 'Bytes of the parameters at the precision of the model.'),
    key('activation', 'activation = 512MiB', size, 'Bytes kept from the forward to the backward pass.'),
    key('output', 'output = 16MiB', size, 'Bytes sent to each stage that needs this layer.'),
    key('workspace', 'workspace = 64MiB', size, 'Bytes held only while the layer runs.'),
    key(
      'shape',
      'shape = transformer(hidden = 4096, heads = 32)',
      { kind: 'shape' },
      'Derives every cost from a shape, where the layer also needs `after`.',
    ),
    key(
      'after',
      'after = [embed]',
      { kind: 'layers' },
      'Layers whose output this one needs; without it, the layer above.',
      { several: true },
    ),
  ],
};

const stage: BlockSchema = {
  name: 'stage',
  doc: 'Layers that run on one device.',
  keys: [
    key(
      'layers',
      'layers = block[0..3]',
      { kind: 'layers' },
      'Layers of the stage. `a..b` includes both ends, `a..<b` leaves the last out.',
      {
        required: true,
        several: true,
      },
    ),
    key(
      'on',
      'on = gpu[0]',
      { kind: 'devices' },
      'Devices of the stage, by running number over the cluster, or a whole `node[n]`.',
    ),
    key(
      'recompute',
      'recompute = full',
      recompute,
      'What the stage computes again in the backward pass, instead of what the pipeline says.',
    ),
    key(
      'replicate',
      'replicate = split',
      words(
        ['split', 'Each replica takes a share of every microbatch.'],
        ['round_robin', 'Replicas take microbatches in turn; for `pipedream`.'],
      ),
      'How the devices of `on` share the work of the stage, where they are several replicas of it.',
    ),
  ],
};

const pipeline: BlockSchema = {
  name: 'pipeline',
  doc: 'One model on one cluster under one schedule.',
  keys: [
    key('model', 'model = toy', { kind: 'name', of: 'model' }, 'What is trained.', { required: true }),
    key('devices', 'devices = box', { kind: 'name', of: 'cluster' }, 'The cluster that it is trained on.', {
      required: true,
    }),
    key('microbatches', 'microbatches = 8', whole(1), 'Microbatches of one iteration.', { required: true }),
    key(
      'stages',
      'stages = balance(4)',
      { kind: 'cut' },
      '`balance(n)`: n stages of the least possible slowest time; `by = memory` and `by = both` look at memory. `split(3, 4, 4, 3)`: layers of each stage. `plan(pipedream)`, `plan(dapple)`: stages and replicas as a planner makes them.',
    ),
    key('stage', 'stage first {\n  layers = embed\n}', { kind: 'any' }, 'One stage, in order.', {
      forms: ['block'],
      repeatable: true,
      block: 'stage',
    }),
    key(
      'schedule',
      'schedule = 1f1b',
      { kind: 'schedule' },
      'A built-in policy, with arguments in parentheses, or a `schedule` of this file.',
      { required: true },
    ),
    key(
      'tensor',
      'tensor = 8',
      whole(1),
      'Tensor-parallel ranks of each stage; 1 unless said. Splits layers with a shape only.',
    ),
    key(
      'sequence_parallel',
      'sequence_parallel = true',
      words(
        ['true', 'Split norms and dropout over the tensor ranks too.'],
        ['false', 'Each tensor rank does all norms and dropout.'],
      ),
      'Sequence parallelism within the tensor group; false unless said.',
    ),
    key('data', 'data = 2', whole(1), 'Data-parallel ranks; 1 unless said.'),
    key(
      'recompute',
      'recompute = selective',
      recompute,
      'What every stage computes again in the backward pass; none unless said.',
    ),
    key(
      'optimizer',
      'optimizer = adam_mixed',
      { kind: 'optimizer' },
      'Recipe of gradients and optimizer state, such as `adam`, `adam_mixed`, `megatron_bf16(shard = distributed)`. Unless said: weights and gradients only.',
    ),
    key('sync', 'sync = overlap', { kind: 'any' }, 'How gradients are reduced.', { unavailable: later }),
    key(
      'transfer',
      'transfer = buffered',
      { kind: 'transfer' },
      'How devices exchange results. `buffered`: transfers run beside the work of both devices. `rendezvous`: a send and its receive block both devices until the transfer is over; `rendezvous(batched = true)` issues together what goes to and comes from one device.',
    ),
    key(
      'fill',
      'fill = training(small)',
      { kind: 'fill' },
      'A model whose layers run where devices idle, each device with a job of its own: `inference(NAME)` (also the plain name) takes the forward time of a layer, `training(NAME)` forward and backward.',
    ),
    key(
      'fill_overhead',
      'fill_overhead = 2ms',
      amountOf('time'),
      'Time of a change between the pipeline and the fill job, before and after the tasks of an idle interval; 0 unless said.',
    ),
    key(
      'iterations',
      'iterations = 32',
      whole(1),
      'Iterations (updates of the weights) that an asynchronous schedule runs on end; figures are those of the last half. Unless said: enough to reach a steady state.',
    ),
  ],
};

const schedule: BlockSchema = {
  name: 'schedule',
  doc: 'A policy of your own: by rule (`order`), or by rows (`row`).',
  keys: [
    key(
      'placement',
      'placement = linear',
      { kind: 'placement' },
      'Where stages live: `linear`, `loop(v)`, `v_shape`, `wave(w)`, `bidirectional`, or for each device a list of its stages.',
    ),
    key(
      'backward',
      'backward = split',
      words(['whole', 'One operation, B.'], ['split', 'Two operations: I, then W.']),
      'Whole backward passes, or input and weight gradients apart; whole unless said.',
    ),
    key(
      'order',
      'order = greedy(prefer = [B, F])',
      { kind: 'order' },
      'A device that is free runs the first ready operation by these kinds.',
    ),
    key(
      'in_flight',
      'in_flight(s) = stages - s',
      whole(1),
      'Most microbatches in flight at stage s; no limit unless said.',
      { forms: ['call', 'value'] },
    ),
    key(
      'weights',
      'weights = flush',
      words(
        ['flush', 'All microbatches of an iteration use the same weights.'],
        ['stash', 'Backward with the weights of the forward.'],
        ['vertical_sync', 'One version through all stages.'],
        ['double_buffer', 'Two versions.'],
        ['predict', 'Forward with predicted weights.'],
        ['latest', 'Always the newest weights.'],
      ),
      'Update rule of the weights; flush unless said.',
    ),
    key(
      'row',
      'row(d) = F[0..<microbatches], B[0..<microbatches]',
      { kind: 'operations' },
      'Operations of device d in order; `row(0)` for one device overrides `row(d)`.',
      {
        forms: ['call'],
        repeatable: true,
        several: true,
      },
    ),
  ],
};

const job: BlockSchema = {
  name: 'job',
  doc: 'Several pipelines (virtual workers) that train one model together through parameter servers.',
  keys: [
    key(
      'workers',
      'workers = [first, second]',
      { kind: 'name', of: 'pipeline' },
      'The pipelines, each on devices of its own and under an asynchronous schedule with as many minibatches in flight as the others.',
      { several: true, required: true },
    ),
    key(
      'sync',
      'sync = wsp(distance = 0)',
      { kind: 'workerSync' },
      'When a worker waits for the others. `wsp(distance = D)`: it pushes its updates wave by wave, and leads the slowest worker by at most D waves.',
      { required: true },
    ),
    key(
      'servers',
      'servers = 2',
      whole(1),
      'Parameter servers, each with an equal share of the weights; 1 unless said.',
    ),
    key(
      'link',
      'link = 7GB/s + 5us',
      { kind: 'link' },
      'Link of each server. Unless said: the slowest `link` between nodes of the workers’ clusters; without one, pushes and pulls take no time.',
    ),
    key(
      'waves',
      'waves = 32',
      whole(2),
      'Waves of the slowest worker that are simulated; 32 unless said. Figures are those of the last half.',
    ),
  ],
};

const expect: BlockSchema = {
  name: 'expect',
  doc: 'What must hold; checked in the editor and by the command line.',
  keys: [],
};

/** The schema of each block. */
export const blocks: Readonly<Record<BlockName, BlockSchema>> = {
  device,
  cluster,
  node: nodeBlock,
  switch: switchBlock,
  model,
  layer,
  pipeline,
  stage,
  schedule,
  job,
  expect,
};

/** The keys of a block by name. */
export const keysOf = (block: BlockName): ReadonlyMap<string, KeySchema> => keyIndex.get(block) ?? new Map();

/** The schema of a key of a block; undefined where the block has no such key. */
export const findKey = (block: BlockName, name: string): KeySchema | undefined => keyIndex.get(block)?.get(name);

const keyIndex: ReadonlyMap<BlockName, ReadonlyMap<string, KeySchema>> = new Map(
  Object.values(blocks).map((block) => [block.name, new Map(block.keys.map((one) => [one.name, one]))]),
);

/** What each declaration keyword says, for completion and hover. */
export const declarationDocs: Readonly<Record<string, string>> = {
  import: 'Names of another file: `import "hardware.pipe"`, `import { h100 } from "std:hardware"`.',
  param: 'A number that a person may turn: `param m = 8 in 1..64 step 1`.',
  let: 'A named expression.',
  ...Object.fromEntries(Object.values(blocks).map((one) => [one.name, one.doc])),
};
