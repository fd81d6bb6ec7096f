/** What the tables of keys are made of. */
import type { BlockKeyword } from '../../../grammar/syntax.ts';
import type { Dimension } from '../../values/plan.ts';
import type { ValueKindName, Word } from '../kinds.ts';

/** `layer`, `stage`, `node`, `switch` and `operation` are inside other blocks. */
export type BlockName = BlockKeyword | 'layer' | 'stage' | 'node' | 'switch' | 'operation';

/**
 * How an entry of a key may be written:
 * `value` `key = …` · `indexed` `key[n] = …` · `ends` `key a -- b = …` · `call` `key(x) = …` ·
 * `named` `key name = …` · `named-call` `key name(x) = …` · `condition` `key CONDITION` · `block` `key name { … }` ·
 * `indexed-block` `key[n] { … }` · `range` `key in …`.
 */
export type Form =
  'value' | 'indexed' | 'ends' | 'call' | 'named' | 'named-call' | 'condition' | 'block' | 'indexed-block' | 'range';

/** What is allowed after `=`: the kind of the value, and what a key adds to its row in `kinds.ts`. */
export type ValueSchema =
  | {
      readonly kind: 'quantity';
      readonly dimension: Dimension;
      readonly integer?: boolean;
      /** Least and greatest value allowed, in base units; `above` is a bound that itself is not allowed. */
      readonly min?: number;
      readonly max?: number;
      readonly above?: number;
      /** Words that are allowed in its place. */
      readonly words?: readonly Word[];
      /** A number of tokens may be written in its place. */
      readonly orTokens?: true;
    }
  | { readonly kind: 'words'; readonly words: readonly Word[] }
  | { readonly kind: 'name'; readonly of: 'device' | 'cluster' | 'model' | 'pipeline' }
  | { readonly kind: Exclude<ValueKindName, 'quantity' | 'words' | 'name'> };

/**
 * The value of a key that is left out. A text is what a file would write to say the same; `or`: what may replace it. `otherwise`: no value
 * says it, so this completes "Default: …". `required`: it cannot be left out.
 */
export type KeyDefault =
  | string
  | { readonly value: string; readonly or: string }
  | { readonly otherwise: string }
  | { readonly required: true };

export interface KeySchema {
  readonly name: string;
  readonly doc: string;
  /** As it is written in a file; completion inserts it. */
  readonly example: string;
  /** Another way to write it that serves a different purpose; completion offers both. */
  readonly also?: { readonly label: string; readonly example: string; readonly doc: string };
  readonly forms: readonly Form[];
  readonly value: ValueSchema;
  readonly default: KeyDefault;
  /** Words of which one is in the parentheses of the form `call`. If absent, the file chooses the names. */
  readonly parameters?: readonly Word[];
  /** Words of which one comes first in the parentheses of the form `call`; names that the file chooses follow. */
  readonly leading?: readonly Word[];
  /** Dimension of a size that is allowed there in their place, or behind one. */
  readonly sizes?: Dimension;
  /** A stage of the pipeline may be named there too. */
  readonly stages?: true;
  /** May be written more than once in a block. */
  readonly repeatable?: boolean;
  /** Takes several values with commas. */
  readonly list?: boolean;
  /** Pages of the documentation that say more, below `docs/`. */
  readonly see?: readonly string[];
  /** Keys inside its `{ … }`. */
  readonly block?: BlockName;
}

export interface BlockSchema {
  readonly name: BlockName;
  readonly doc: string;
  readonly keys: readonly KeySchema[];
}

export const amountOf = (
  dimension: Dimension,
  more: { min?: number; max?: number; above?: number; words?: readonly Word[] } = { min: 0 },
): ValueSchema => ({
  kind: 'quantity',
  dimension,
  ...more,
});
export const whole = (min: number): ValueSchema => ({ kind: 'quantity', dimension: 'number', integer: true, min });
export const words = (...pairs: readonly (readonly [string, string])[]): ValueSchema => ({
  kind: 'words',
  words: pairs.map(([name, doc]) => ({ name, doc })),
});
type Options = Pick<KeySchema, 'default'> & Partial<Omit<KeySchema, 'name' | 'example' | 'value' | 'doc'>>;

/** The default of a key that cannot be left out. */
export const required: KeyDefault = { required: true };
export const key = (name: string, example: string, value: ValueSchema, doc: string, options: Options): KeySchema => ({
  name,
  example,
  value,
  doc,
  forms: ['value'],
  ...options,
});
