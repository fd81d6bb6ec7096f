import type { Dimension } from '../values/plan.ts';
import type { LayerSetting, ShapeCost } from './types.ts';
import type { WeightMatrix } from './weightMatrix.ts';

/** A layer whose costs follow from its dimensions. Adding one: `docs/contribute/adding-a-shape.md`. */
export interface ShapeSchema {
  /** As written in a file: `transformer`. */
  readonly name: string;
  readonly doc: string;
  readonly parameters: readonly ShapeParameter[];
  /** `args` are checked; what is absent takes its default. Numbers of parameters and bytes may be fractional under `tensor`. */
  cost(args: ShapeArguments, setting: LayerSetting): ShapeCost;
  /** Its matrices of weights, without embeddings and heads; absent: it has none. */
  matrices?(args: ShapeArguments): readonly WeightMatrix[];
  /** Why these arguments cannot be, as a sentence; `undefined` when they can. With a setting, tensor ranks are checked too. */
  check?(args: ShapeArguments, setting?: LayerSetting): string | undefined;
}

export interface ShapeParameter {
  readonly name: string;
  readonly kind: 'integer' | 'boolean' | 'word' | 'quantity';
  /** Of a quantity, which is in base units and not negative. */
  readonly dimension?: Dimension;
  /** For words: what may be written. */
  readonly words?: readonly string[];
  /** A function that takes a whole number, in the place of a word: `chunked(8)`. The argument is then this text. */
  readonly calls?: { readonly kind: 'loss'; readonly name: string };
  /** Absent: the argument must be written. `null`: derived from the others, as `doc` says. */
  readonly default?: number | boolean | string | null;
  readonly doc: string;
  /** A usual value of an argument that must be written: messages and completion show it. */
  readonly example?: number;
  /** Least value; 1 where nothing is said. */
  readonly min?: number;
}

export type ShapeArguments = Readonly<Record<string, number | boolean | string>>;

/** An argument as a number; `fallback` where it is absent. */
export const numberOf = (args: ShapeArguments, name: string, fallback: number): number => {
  const value = args[name];
  return typeof value === 'number' ? value : fallback;
};

export const flagOf = (args: ShapeArguments, name: string, fallback: boolean): boolean => {
  const value = args[name];
  return typeof value === 'boolean' ? value : fallback;
};

export const wordOf = (args: ShapeArguments, name: string, fallback: string): string => {
  const value = args[name];
  return typeof value === 'string' ? value : fallback;
};
