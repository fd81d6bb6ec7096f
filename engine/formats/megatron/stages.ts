/** Stages that Megatron-LM's flags give: from a layout, or layers shared out (megatron/core/transformer/transformer_block.py). */
import { clipped, type TextFault } from '../fault.ts';
import { checkLayout } from './checkLayout.ts';
import type { Argument, Flags } from './flags.ts';
import { type LayerSymbol, readLayout } from './layout.ts';
import { blamed } from './unresolved.ts';

/** The text that the flags are from, with the values of its variables. */
interface Script {
  readonly text: string;
  readonly values: ReadonlyMap<string, string>;
}

export interface MegatronStages {
  /** Symbols of each stage in order; stage k is on rank k mod `ranks`. */
  readonly stages: readonly (readonly LayerSymbol[])[];
  readonly ranks: number;
  /** `--microbatch-group-size-per-virtual-pipeline-stage`. */
  readonly group?: number;
}

type Result = MegatronStages | { readonly faults: readonly TextFault[] };
type Numbers = ReadonlyMap<string, { readonly value: number; readonly start: number; readonly end: number }>;

export const numeric = [
  'pipeline-model-parallel-size',
  'num-layers',
  'mtp-num-layers',
  'decoder-first-pipeline-num-layers',
  'decoder-last-pipeline-num-layers',
  'num-layers-per-virtual-pipeline-stage',
  'num-virtual-stages-per-pipeline-rank',
  'microbatch-group-size-per-virtual-pipeline-stage',
];
/** Flags that say where layers go. */
export const sharing = [
  ...numeric.slice(3, 7),
  'account-for-embedding-in-pipeline-split',
  'account-for-loss-in-pipeline-split',
];

/** A script may leave a number to who runs it, or compute it as only a shell can. */
function wrongNumber(flag: string, place: Argument, script: Script): TextFault {
  const { text, start, end } = place;
  const root = text.includes('$') ? blamed(script.text, script.values, text) : undefined;
  if (root === undefined) return { start, end, message: wrongHere(flag, text) };
  const { name, line, at, unset } = root;
  const why =
    unset === undefined
      ? 'which cannot be computed here: only + − * / % and parentheses of whole numbers are read. Write its number there'
      : `and the script does not set ${unset}. Write its number there, or assign ${unset}`;
  return {
    start: at.start,
    end: at.end,
    message: `\`--${flag} ${text.slice(0, 40)}\` needs ${name}. Line ${line} sets it to \`${clipped(at.text)}\`, ${why}.`,
  };
}

const wrongHere = (flag: string, text: string): string =>
  text.startsWith('$(') && !/[A-Za-z_]/.test(text)
    ? `\`--${flag} ${clipped(text)}\` cannot be computed here: only + − * / % and parentheses of whole numbers are read. Write the number.`
    : text.includes('$')
      ? `\`--${flag} ${text.slice(0, 40)}\`: the script does not set this number. Write it in its place, or assign the variable.`
      : `\`--${flag}\` needs a whole number of at least 1.`;

/** The stages, or what is wrong with the flags, in order of position. */
export function stagesOf(flags: Flags, script: Script): Result {
  const end = script.text.length;
  const faults: TextFault[] = [];
  const numbers = new Map<string, { readonly value: number; readonly start: number; readonly end: number }>();
  for (const name of numeric) {
    const found = flags.get(name);
    if (found === undefined) continue;
    const value = /^\d{1,6}$/.test(found.value?.text ?? '') ? Number(found.value?.text) : 0;
    const { start, end: stop } = found.value ?? found.flag;
    if (value < 1 && !(name === 'mtp-num-layers' && found.value?.text === '0'))
      faults.push(wrongNumber(name, { text: found.value?.text ?? '', start, end: stop }, script));
    else numbers.set(name, { value, start, end: stop });
  }
  const layout = flags.get('pipeline-model-parallel-layout');
  if (faults.length === 0 && layout !== undefined) {
    for (const name of sharing) {
      const flag = flags.get(name)?.flag;
      if (flag !== undefined)
        faults.push({
          start: flag.start,
          end: flag.end,
          message: `\`--${name}\` distributes layers, and the layout does so too. Use only one of them.`,
        });
    }
    if (layout.value === undefined)
      faults.push({
        start: layout.flag.start,
        end: layout.flag.end,
        message: 'The layout is missing after this flag.',
      });
  }
  if (faults.length > 0) return { faults: faults.sort((a, b) => a.start - b.start) };
  const group = numbers.get('microbatch-group-size-per-virtual-pipeline-stage')?.value;
  const result = layout?.value === undefined ? shared(flags, numbers, end) : fromLayout(layout.value, numbers);
  return 'faults' in result || group === undefined ? result : { ...result, group };
}

function fromLayout(
  value: { readonly text: string; readonly start: number; readonly end: number },
  numbers: Numbers,
): Result {
  const read = readLayout(value.text, value.start);
  if ('faults' in read) return read;
  const pipelineSize = numbers.get('pipeline-model-parallel-size')?.value;
  const setting = {
    pipelineSize,
    layers: numbers.get('num-layers')?.value,
    mtpLayers: numbers.get('mtp-num-layers')?.value,
  };
  const faults = checkLayout(read.stages, setting, value);
  if (faults.length > 0) return { faults };
  return {
    stages: read.stages.map((stage) => stage.map((placed) => placed.symbol)),
    ranks: pipelineSize ?? read.stages.length,
  };
}

/** Equal shares. The first and the last rank may have different numbers, or the embedding and the loss count as a layer each. */
function shared(flags: Flags, numbers: Numbers, end: number): Result {
  const [size, total] = [numbers.get('pipeline-model-parallel-size'), numbers.get('num-layers')];
  const refused = (place: { readonly start: number; readonly end: number }, message: string): Result => ({
    faults: [{ ...place, message }],
  });
  if (size === undefined) return refused({ start: 0, end }, '`--pipeline-model-parallel-size` is missing.');
  if (total === undefined) return refused({ start: 0, end }, '`--num-layers` is missing.');
  const ranks = size.value;
  const [first, last] = [
    numbers.get('decoder-first-pipeline-num-layers'),
    numbers.get('decoder-last-pipeline-num-layers'),
  ];
  const embedding = flags.get('account-for-embedding-in-pipeline-split')?.flag;
  const loss = flags.get('account-for-loss-in-pipeline-split')?.flag;
  const counted = embedding ?? loss;
  if (counted !== undefined && (first ?? last) !== undefined)
    return refused(
      counted,
      'The embedding and the loss cannot be counted as layers if the first or the last rank has an explicit number of layers.',
    );
  const perRank = new Array<number>(ranks).fill(0);
  if (first !== undefined || last !== undefined) {
    const explicit = (first === undefined ? 0 : 1) + (last === undefined ? 0 : 1);
    const rest = total.value - (first?.value ?? 0) - (last?.value ?? 0);
    const among = ranks - explicit;
    if (among < 0)
      return refused(
        last ?? total,
        'A single rank cannot have explicit numbers of layers both as the first and as the last rank.',
      );
    if (rest < 0 || (among === 0 ? rest !== 0 : rest % among !== 0))
      return refused(
        total,
        `${total.value} layers minus the layers of the first and last rank leave ${rest}, which ${among} ranks do not share evenly.`,
      );
    perRank.fill(among === 0 ? 0 : rest / among);
    if (first !== undefined) perRank[0] = first.value;
    if (last !== undefined) perRank[ranks - 1] = last.value;
  } else {
    const all = total.value + (embedding === undefined ? 0 : 1) + (loss === undefined ? 0 : 1);
    if (all % ranks !== 0)
      return refused(
        total,
        `${all} layers${counted === undefined ? '' : ', embedding and loss counted,'} are not shared evenly by ${ranks} pipeline ranks.`,
      );
    perRank.fill(all / ranks);
  }
  const chunks = chunksOf(numbers, perRank, total.value);
  if (typeof chunks !== 'number') return { faults: [chunks] };
  const stages = Array.from({ length: ranks * chunks }, (_, stage): LayerSymbol[] => {
    const [from, to] = [stage === 0, stage === ranks * chunks - 1];
    const layers =
      perRank[stage % ranks] / chunks - (from && embedding !== undefined ? 1 : 0) - (to && loss !== undefined ? 1 : 0);
    return [...(from ? (['E'] as const) : []), ...new Array<LayerSymbol>(Math.max(0, layers)).fill('t')];
  });
  const mtp = numbers.get('mtp-num-layers')?.value ?? 0;
  const predictions = new Array<LayerSymbol>(mtp).fill('m');
  const ended = stages.map((stage, at) => (at < stages.length - 1 ? stage : [...stage, ...predictions, 'L' as const]));
  return { stages: ended, ranks };
}

/** Stages of each rank; a fault where a rank's layers do not divide into them. */
function chunksOf(numbers: Numbers, perRank: readonly number[], layers: number): number | TextFault {
  const [per, number] = [
    numbers.get('num-layers-per-virtual-pipeline-stage'),
    numbers.get('num-virtual-stages-per-pipeline-rank'),
  ];
  if (per !== undefined && number !== undefined)
    return {
      start: number.start,
      end: number.end,
      message:
        'Only one of `--num-layers-per-virtual-pipeline-stage` and `--num-virtual-stages-per-pipeline-rank` may be used.',
    };
  const place = per ?? number;
  if (place === undefined) return 1;
  const [share] = perRank;
  const chunks = number?.value ?? share / place.value;
  const odd = perRank.find((value) => !Number.isInteger(value / chunks));
  if (Number.isInteger(chunks) && chunks >= 1 && odd === undefined && chunks <= layers) return chunks;
  return {
    start: place.start,
    end: place.end,
    message: `A rank has ${odd ?? share} layers, which do not divide into ${per === undefined ? `${chunks} stages` : `stages of ${per.value}`}.`,
  };
}
