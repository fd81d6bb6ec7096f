/** What a search without a `search` block tries of one key, and what it leaves out. */
import type { Axis } from '../../definitions/search.ts';

export interface LeftOut {
  /** `context over 2`, `recompute selective`. */
  readonly what: string;
  /** The reason, in words that follow a colon. */
  readonly why: string;
}

export interface Choice {
  /** Absent: the key keeps what the file says. */
  readonly axis?: Axis;
  readonly leftOut: readonly LeftOut[];
}

/** Why values are left out that could be searched. */
export const small = 'to keep the search small';

/** The key stays as it is. */
export const kept = (what: string, why: string): Choice => ({ leftOut: [{ what, why }] });

/** Whole numbers to try, ascending, the number of the file among them. */
export const numbers = (
  key: string,
  values: readonly number[],
  written: number,
  leftOut: readonly LeftOut[] = [],
): Choice => ({
  axis: { key, values: [...new Set([...values, written])].toSorted((a, b) => a - b).map(String) },
  leftOut,
});

/** 1, 2, 4, … up to `most`. */
export function powersOfTwo(most: number): readonly number[] {
  const found: number[] = [];
  for (let value = 1; value <= most; value *= 2) found.push(value);
  return found;
}
