import type { Dimension } from '../values/plan.ts';
import type { Measure } from './resolution.ts';
import { phraseOf } from './units.ts';

/** What an expression gives. An expression with an error, already reported, gives `undefined` instead. */
export type Value =
  | ({ readonly kind: 'measure' } & Measure)
  | { readonly kind: 'truth'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  /** `to` as written; with `exclusive` it is left out. */
  | {
      readonly kind: 'range';
      readonly from: number;
      readonly to: number;
      readonly exclusive: boolean;
      readonly dimension: Dimension;
      /** Where it is written. */
      readonly step?: number;
    }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | LinkValue;

/** Bytes per second and seconds. `half`: both directions are one resource; `shared`: all pairs are one. */
export interface LinkValue {
  readonly kind: 'link';
  readonly bandwidth: number;
  readonly latency: number;
  readonly sharing: 'full' | 'half' | 'shared';
}

export const measure = (value: number, dimension: Dimension): Value => ({ kind: 'measure', value, dimension });

/** What a value is, for `found …` in messages. */
export function describe(value: Value): string {
  switch (value.kind) {
    case 'measure':
      return phraseOf[value.dimension];
    case 'truth':
      return 'a comparison';
    case 'text':
      return 'text in quotes';
    case 'range':
      return value.step === undefined ? 'a range' : 'a range with a step';
    case 'list':
      return 'a list';
    case 'link':
      return 'a link';
  }
}

/** First number, last number inclusive, of a range of whole numbers; undefined where an end is not whole, or with a step. */
export function wholeRange(
  range: Value & { kind: 'range' },
): { readonly first: number; readonly last: number } | undefined {
  const last = range.exclusive ? range.to - 1 : range.to;
  return range.step === undefined &&
    range.dimension === 'number' &&
    Number.isSafeInteger(range.from) &&
    Number.isSafeInteger(last)
    ? { first: range.from, last }
    : undefined;
}
