import { budgetOf } from '../../basics/budget.ts';
import { count } from '../../basics/quantities.ts';
import { table } from '../../basics/table.ts';
import type { TextFault } from '../fault.ts';
import { constantsText } from '../constantsText.ts';
import { arraysOf, type ConfiguredLayer } from '../huggingFace/model.ts';
import { shapesText, shapeText } from '../huggingFace/toPipe.ts';
import { clusterImport, placeholderCluster } from '../placeholderCluster.ts';
import { laidOut } from '../toPipe.ts';
import { megatron } from '../../engines/megatron.ts';
import { flagsOf, type Flags } from './flags.ts';
import { type MegatronModel, modelOf } from './model.ts';
import { notCarried } from './notCarried.ts';
import { type MegatronStages, numeric, sharing, stagesOf } from './stages.ts';
import { type Training, trainingOf } from './training.ts';
import { unknownWords } from './unresolved.ts';
import { type Values, valuesOf } from './values.ts';
import { type Added, mostAdded, variablesIn, withVariables } from './variables.ts';

const layoutAlone = /^["']?[EtmL|,*()\d]*[|E][EtmL|,*()\d]*["']?$/;

/** Whether a text is a layout alone, or arguments with a pipeline among them. */
export const isMegatron = (text: string): boolean =>
  layoutAlone.test(text.trim()) ||
  /(^|\s)--(pipeline-model-parallel|num-layers|decoder-(first|last)-pipeline|hybrid-(layer|override)-pattern|encoder-num-layers)/.test(
    text,
  );

/**
 * A `.pipe` file with the stages of a layout or of Megatron-LM's arguments. With `--hidden-size` and `--num-attention-heads` the
 * layers have shapes, and the pipeline has ranks, batch and optimizer. A layout alone has neither: its layers take 1 ms forward.
 */
export function pipeOfMegatron(
  text: string,
): { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] } {
  const trimmed = text.trim();
  const isLayout = layoutAlone.test(trimmed);
  const added: Added = budgetOf(mostAdded);
  const variables = isLayout ? new Map<string, string>() : variablesIn(text, added);
  const flags = isLayout ? layoutFlag(text, trimmed) : withDefaults(withVariables(flagsOf(text), variables, added));
  if (added.at !== undefined) return { faults: [{ ...added.at, message: tooLong }] };
  const unknown = otherModel(flags);
  if (unknown !== undefined) return { faults: [unknown] };
  const read = readFlags(flags, { text, values: variables });
  if ('faults' in read) return read;
  const { values, model, training } = read;
  const carried = new Set([...values.read, ...numeric, ...sharing, 'pipeline-model-parallel-layout']);
  const left = isLayout ? [] : notCarried(flags, carried);
  const hidden = isLayout ? [] : unknownWords(text, variables);
  const remarks = [
    ...(read.stages.stages.some((stage) => stage.length === 0)
      ? ['Stages without layers have a layer that takes no time and only passes data on.']
      : []),
    ...(isLayout || model !== undefined
      ? []
      : [
          'Without --hidden-size and --num-attention-heads the layers have no shape: each takes 1 ms forward and 2 ms backward.',
        ]),
    ...(model?.remarks ?? []),
    ...(training?.remarks ?? []),
    ...(model === undefined
      ? []
      : ['A script does not name its devices: nodes of eight H100 are written. Change them.']),
    ...(left.length === 0 ? [] : [`Not carried, though they may change time or memory: ${left.join(', ')}.`]),
    ...(hidden.length === 0
      ? []
      : [
          `Not carried, since the script does not say what flags they hold: ${hidden.join(', ')}. Write the flags in their place.`,
        ]),
  ];
  return { pipe: pipeOfFlags(read, flags, model === undefined ? undefined : script), remarks };
}

/** What arguments say. */
export interface FlagsRead {
  readonly stages: MegatronStages;
  readonly values: Values;
  /** Absent without width and heads. */
  readonly model: MegatronModel | undefined;
  readonly training: Training | undefined;
  /** Microbatches where there is no batch. */
  readonly least: number;
}

/** Stages, model and training of arguments, or what is wrong with them. */
export function readFlags(
  flags: Flags,
  script: { readonly text: string; readonly values: ReadonlyMap<string, string> },
): FlagsRead | { readonly faults: readonly TextFault[] } {
  const stages = stagesOf(flags, script);
  if ('faults' in stages) return stages;
  const values = valuesOf(flags);
  const layers = stages.stages.flat().filter((symbol) => symbol === 't').length;
  const model = modelOf(values, layers);
  const least = 2 * Math.max(stages.ranks, stages.group ?? 1);
  const training = model === undefined ? undefined : trainingOf(values, model, stages.ranks, least);
  return { stages, values, model, training, least };
}

/** Another source of arguments than a script of Megatron-LM. */
export interface FlagsSource {
  readonly title: string;
  readonly engine: string;
  readonly trainable?: string;
  /** Sentences at the head of the file, each one line. */
  readonly remarks: readonly string[];
}

const script: FlagsSource = { title: megatron.title, engine: megatron.name, remarks: [] };

const tooLong = `The variables of this script add more than ${mostAdded.toLocaleString('en-US')} characters when they are replaced by their values. Write the flags without them.`;

const mixedLayers =
  'a script of layers that alternate by letters is not read. Import the `config.json` of the model instead: it has the shapes of Mamba layers';

const otherModels: readonly (readonly [flag: string, what: string])[] = [
  ['hybrid-layer-pattern', mixedLayers],
  ['hybrid-override-pattern', mixedLayers],
  [
    'encoder-num-layers',
    'a script of an encoder and a decoder is not read. Import the `config.json` of the model instead',
  ],
];

/** A flag of a model that is no stack of transformer layers: read as one, it would get the figures of another model. */
function otherModel(flags: Flags): TextFault | undefined {
  for (const [name, what] of otherModels) {
    const found = flags.get(name);
    if (found !== undefined)
      return { start: found.flag.start, end: found.flag.end, message: `\`--${name}\`: ${what}.` };
  }
  return undefined;
}

/** Without the flag Megatron-LM has one pipeline rank. A script that gives no model is asked for it: it may be part of another. */
function withDefaults(flags: Flags): Flags {
  const size = 'pipeline-model-parallel-size';
  if (flags.has(size) || flags.has('pipeline-model-parallel-layout') || !flags.has('hidden-size')) return flags;
  const value = { text: '1', start: 0, end: 0 };
  return new Map([...flags, [size, { flag: value, value }]]);
}

function layoutFlag(text: string, trimmed: string): Flags {
  const bare = trimmed.replace(/^["']|["']$/g, '');
  const start = text.indexOf(bare);
  const value = { text: bare, start, end: start + bare.length };
  return new Map([['pipeline-model-parallel-layout', { flag: value, value }]]);
}

/** Consecutive layers of one kind: a symbol, `pass`, or of transformer layers how their array is called. */
interface Run {
  readonly kind: string;
  count: number;
}

const words: Readonly<Record<string, string>> = table({ E: 'embed', t: 'block', m: 'prediction', L: 'head' });

/** The kinds of each stage: transformer layers get theirs by their number. */
function kindsOf(stages: MegatronStages['stages'], names: readonly string[]): readonly (readonly string[])[] {
  let layer = 0;
  return stages.map((stage) =>
    stage.length === 0
      ? ['pass']
      : stage.map((symbol) => {
          if (symbol !== 't') return symbol;
          layer += 1;
          return names[layer - 1] ?? symbol;
        }),
  );
}

/** How the array of each transformer layer is called: one array for all, if their shapes alternate often. */
function arrayNames({ layers }: MegatronModel): {
  readonly names: readonly string[];
  readonly arrays: readonly ConfiguredLayer[];
} {
  const arrays = arraysOf(layers, ({ args }) => args);
  const isOne = arrays.length === 1;
  return { arrays, names: layers.map(({ name }) => (isOne ? 'block' : name)) };
}

export function pipeOfFlags(
  { stages: { stages, ranks, group }, model, training, least }: FlagsRead,
  flags: Flags,
  source?: FlagsSource,
): string {
  const runs: Run[] = [];
  // For each stage, which run and which of its layers.
  const { names: arrayOf, arrays } = model === undefined ? { names: [], arrays: [] } : arrayNames(model);
  const parts = kindsOf(stages, arrayOf).map((stage) => {
    const pieces: { readonly run: number; readonly first: number; last: number }[] = [];
    for (const kind of stage) {
      const open = runs.at(-1);
      if (open?.kind === kind && kind !== 'pass') open.count += 1;
      else runs.push({ kind, count: 1 });
      const [run, at] = [runs.length - 1, (runs.at(-1)?.count ?? 1) - 1];
      const piece = pieces.at(-1);
      if (piece?.run === run) piece.last = at;
      else pieces.push({ run, first: at, last: at });
    }
    return pieces;
  });
  const alone = (kind: string): boolean => runs.filter((run) => run.kind === kind).length === 1;
  const names = runs.map(({ kind }, index) => {
    const before = runs.slice(0, index).filter((run) => run.kind === kind).length;
    const word = words[kind] ?? kind;
    return alone(kind) ? word : `${word}_${before + 1}`;
  });
  const isArray = (kind: string): boolean => !['E', 'L', 'pass'].includes(kind);
  const layers = runs.map(
    ({ kind, count: number }, index) =>
      `  layer ${names[index]}${isArray(kind) ? `[${number}]` : ''} ${layerText(kind, model, arrays)}`,
  );
  const blocks = parts.map((pieces, stage) => {
    const found = pieces.map(({ run, first, last }) =>
      isArray(runs[run].kind) ? `${names[run]}[${first === last ? first : `${first}..${last}`}]` : names[run],
    );
    return `  stage s${stage} { layers = ${found.join(', ')} }`;
  });
  const chunks = stages.length / ranks;
  const shown = [count(ranks, 'rank', 'ranks'), count(stages.length, 'stage', 'stages')];
  const layout = flags.get('pipeline-model-parallel-layout')?.value?.text;
  const grouped = group === undefined || group === ranks ? '' : `, group = ${group}`;
  const keys = (training?.keys ?? []).map(([key, value]) => `  ${key} = ${value}\n`).join('');
  return laidOut(`/// Stages of ${source?.title ?? megatron.title}${layout === undefined ? '' : `, layout ${layout.replace(/[\r\n]/g, ' ')}`}: ${shown.join(', ')}.
${(source?.remarks ?? []).map((remark) => `// ${remark}\n`).join('')}${model === undefined ? '/// It has no times and no sizes: replace them with the values of your layers.\n' : ''}${model === undefined ? '' : `${clusterImport(devicesOf(ranks, training))}\n`}model imported {
${model === undefined ? '' : `  sequence = ${model.sequence}\n  micro_batch = ${model.microBatch}\n  precision = ${model.precision}\n${model.activations === undefined ? '' : `  activations = ${model.activations}\n`}${constantsText(model.constants)}${source?.trainable === undefined ? '' : `  trainable = ${source.trainable}\n`}\n`}${layers.join('\n')}
}

${clusterText(ranks, training)}
pipeline imported_pipeline {
${source === undefined ? '' : `  engine = ${source.engine}\n`}  model = imported
  devices = ranks
${keys}  microbatches = ${training?.microbatches ?? least}
${blocks.join('\n')}
  schedule = ${chunks === 1 ? '1f1b' : `interleaved_1f1b(chunks = ${chunks}${grouped})`}
}
`);
}

function layerText(kind: string, model: MegatronModel | undefined, arrays: readonly ConfiguredLayer[]): string {
  if (kind === 'pass') return '{ forward = 0ms  backward = 0ms }';
  if (model === undefined) return '{ forward = 1ms  backward = 2ms }';
  const [first] = arrays;
  if (arrays.length === 1 && kind === first.name) return `= ${shapesText(first)}`;
  const ends = new Map<string, Pick<ConfiguredLayer, 'shape' | 'args'>>([
    ['E', { shape: 'embedding', args: model.embedding }],
    ['m', { shape: 'mtp', args: model.prediction }],
    ['L', { shape: 'lm_head', args: model.head }],
  ]);
  const args = model.layers.find(({ name }) => name === kind)?.args ?? {};
  return `= ${shapeText(ends.get(kind) ?? { shape: 'transformer', args })}`;
}

const devicesOf = (ranks: number, training: Training | undefined): number =>
  training === undefined ? ranks : ranks * training.tensor * training.context * training.data;

/** Nodes of eight, which a script does not name. */
function clusterText(ranks: number, training: Training | undefined): string {
  if (training === undefined)
    return `/// Put your devices and links here.
device accelerator { memory = 80GiB }

cluster ranks {
  gpu[${ranks}] = accelerator
  link = 100GB/s
}
`;
  return placeholderCluster(devicesOf(ranks, training));
}
