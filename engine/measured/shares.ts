/** What moves the iteration of a run away from its plan. */

/** Seconds by which each part moves the iteration; they add up to measured − planned. */
export interface Shares {
  readonly order: number;
  readonly times: number;
  readonly host: number;
  readonly flights: number;
  readonly variation: number;
  readonly rest: number;
}

/** What a person reads of each part, the usual order of size first. */
export const shareNames = [
  ['times', 'times of operations'],
  ['host', 'hosts between operations'],
  ['flights', 'messages'],
  ['variation', 'variation of operations'],
  ['order', 'another order'],
  ['rest', 'not explained'],
] as const satisfies readonly (readonly [keyof Shares, string])[];
