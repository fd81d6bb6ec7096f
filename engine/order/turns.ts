import type { ProgramCopies } from '../program.ts';

/** Turns of stages: the n-th turn of a stage is its microbatch `first + every · n`. */
export interface Turns {
  /** By stage. */
  readonly every: Int32Array;
  readonly first: Int32Array;
  /** Stages differ in their microbatches, so that a turn of one is another turn of the next, or none. */
  readonly uneven: boolean;
  /** Microbatches of a stage. */
  count(stage: number): number;
  /** Turn of stage `of` that runs the microbatch of a turn of `stage`; −1 for none. Only where they are uneven. */
  turnOf(of: number, stage: number, turn: number): number;
}

export function turnsOf(copies: ProgramCopies | undefined, stages: number, microbatches: number): Turns {
  const every = copies?.every ?? new Int32Array(stages).fill(1);
  const first = copies?.first ?? new Int32Array(stages);
  return {
    every,
    first,
    uneven: every.some((step) => step !== every[0]),
    count: (stage) => Math.ceil(Math.max(0, microbatches - first[stage]) / every[stage]),
    turnOf(of, stage, turn) {
      const ahead = first[stage] + every[stage] * turn - first[of];
      return ahead >= 0 && ahead % every[of] === 0 ? ahead / every[of] : -1;
    },
  };
}
