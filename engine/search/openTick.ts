import type { Codes } from './codes.ts';
import type { Precedence } from './precedence.ts';

/** What the rules leave of a tick that they do not refute, and how they go on from an assumption. */
export interface OpenTick {
  readonly microbatches: number;
  readonly codes: Codes;
  readonly precedence: Precedence;
  /** Earliest starts and latest ends, by code · m + microbatch. */
  readonly est: Float64Array;
  readonly lft: Float64Array;
  /** Runs the rules, at most that number of times, and yields after each; false if they refute. */
  settleSteps(rounds: number): Generator<void, boolean>;
  /** Copies all that the rules change, and goes back to the copy. */
  keeper(): Keeper;
}

export interface Keeper {
  keep(): void;
  restore(): void;
}

/** Copies of some numbers, made at once. */
export function keeperOf(state: readonly (Float64Array | Int32Array)[]): Keeper {
  const kept = state.map((values) => values.slice());
  return {
    keep: () => kept.forEach((values, at) => values.set(state[at])),
    restore: () => state.forEach((values, at) => values.set(kept[at])),
  };
}
