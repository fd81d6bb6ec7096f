import type { ShapeArguments } from '../../costs/shapes.ts';
import type { ModelConstants } from '../../definitions/model.ts';
import type { Precision } from '../../costs/types.ts';

/** A layer of a configuration, or with `count` an array of equal ones. */
export interface ConfiguredLayer {
  readonly name: string;
  readonly count?: number;
  readonly shape: string;
  readonly args: ShapeArguments;
  /** Of an array with several shapes: what the others of its layers have, by letter. `args` is the first. */
  readonly pattern?: LetterPattern;
  /** Of a layer that does not work on the sequence of the model: tokens of a sequence, and such sequences of a sample. */
  readonly tokens?: number;
  readonly images?: number;
  /** Names of earlier layers that it needs; absent: the one above. Of an array, the last. */
  readonly after?: readonly string[];
  /** Name of the layer that all of its elements attend to. */
  readonly attends?: string;
}

/** A letter for each layer, from the first; it begins again behind its last letter. */
export interface LetterPattern {
  readonly letters: string;
  readonly args: Readonly<Record<string, ShapeArguments>>;
}

/** What no configuration says of a model with several towers. */
export interface TowerSizes {
  /** Images of a sample, and the side of one in pixels; absent: as the configuration says. */
  readonly images: number;
  readonly pixels?: number;
  /** Tokens of the encoder of an encoder-decoder. */
  readonly encoder: number;
}

/** One image, and the 512 tokens of T5's pre-training (arXiv:1910.10683, section 3.1.1). */
export const usualSizes: TowerSizes = { images: 1, encoder: 512 };

export interface ConfiguredModel {
  readonly type: string;
  readonly layers: readonly ConfiguredLayer[];
  /** Of the stored weights, where the configuration says. */
  readonly precision?: Precision;
  /** Most tokens of a sample, where it says. */
  readonly positions?: number;
  readonly constants: ModelConstants;
  /** Layers for multi-token prediction, which a model may have before its head. */
  readonly prediction?: ConfiguredLayer;
  /** What the layers leave out, a sentence each. */
  readonly remarks: readonly string[];
}

/** What a family makes of its fields. */
export type ConfiguredParts = Pick<ConfiguredModel, 'layers' | 'prediction' | 'remarks'>;

/** The layers, with the layers for multi-token prediction before the head. */
export const withPrediction = ({ layers, prediction }: ConfiguredParts): readonly ConfiguredLayer[] =>
  prediction === undefined ? layers : [...layers.slice(0, -1), prediction, ...layers.slice(-1)];

/** Layers one by one, by their kind, as arrays of equal neighbours: `dense[3]`, `moe[58]`; a name that comes again gets a number. */
export function runsOf<K extends { readonly name: string }>(
  kinds: readonly K[],
  argsOf: (kind: K) => ShapeArguments,
): readonly ConfiguredLayer[] {
  const runs: { kind: K; count: number }[] = [];
  for (const kind of kinds) {
    const last = runs.at(-1);
    if (last?.kind.name === kind.name) last.count += 1;
    else runs.push({ kind, count: 1 });
  }
  const seen = new Map<string, number>();
  return runs.map(({ kind, count }) => {
    const number = (seen.get(kind.name) ?? 0) + 1;
    seen.set(kind.name, number);
    return {
      name: number === 1 ? kind.name : `${kind.name}_${number}`,
      count,
      shape: 'transformer',
      args: argsOf(kind),
    };
  });
}

/** More arrays than this are one that follows a pattern. */
const mostRuns = 4;

/** Layers one by one, by their kind: as a few arrays of neighbours, or as one array `block` whose shapes alternate. */
export function arraysOf<K extends { readonly name: string }>(
  kinds: readonly K[],
  argsOf: (kind: K) => ShapeArguments,
): readonly ConfiguredLayer[] {
  const runs = runsOf(kinds, argsOf);
  if (runs.length <= mostRuns) return runs;
  const letters = lettersOf([...new Set(kinds.map(({ name }) => name))]);
  const args: Record<string, ShapeArguments> = {};
  for (const kind of kinds) args[letters.get(kind.name) ?? ''] ??= argsOf(kind);
  const all = kinds.map(({ name }) => letters.get(name) ?? '').join('');
  const period = periodOf(all);
  return [
    {
      ...{ name: 'block', count: kinds.length, shape: 'transformer', args: args[all[0]] },
      pattern: { letters: all.slice(0, period), args },
    },
  ];
}

/** A letter for each name: the first if it is no other's, or the first of its other parts, or another. */
function lettersOf(names: readonly string[]): ReadonlyMap<string, string> {
  const letters = new Map<string, string>();
  const isLone = (name: string): boolean => names.every((other) => other === name || other[0] !== name[0]);
  for (const name of names.toSorted((a, b) => Number(isLone(b)) - Number(isLone(a)))) {
    const taken = new Set(letters.values());
    const ends = isLone(name) ? [] : name.split('_').toReversed();
    const tried = [...ends.map(([first]) => first), ...name, ...'abcdefghijklmnopqrstuvwxyz'];
    letters.set(name, tried.find((each) => each !== '_' && !taken.has(each)) ?? '');
  }
  return letters;
}

/** The fewest letters that give a text if they are there twice at least, the last time perhaps in part. */
function periodOf(text: string): number {
  for (let period = 1; 2 * period <= text.length; period += 1)
    if (text.slice(period) === text.slice(0, text.length - period)) return period;
  return text.length;
}

/** Arguments of each layer of an array, equal ones the same object. */
export const argsOfEach = ({ count = 1, args, pattern }: ConfiguredLayer): readonly ShapeArguments[] =>
  Array.from({ length: count }, (_, index) =>
    pattern === undefined ? args : pattern.args[pattern.letters[index % pattern.letters.length]],
  );
