import { type ProgramCopies, runsMicrobatch } from '../values/program.ts';

/** Turns of stages: the n-th turn of a stage is its microbatch `first + every · n`, or the n-th that its copy runs. */
export interface Turns {
  /** Microbatch of a turn of a stage. */
  microbatchOf(stage: number, turn: number): number;
  /** Stages differ in their microbatches, so that a turn of one is another turn of the next, or none. */
  readonly uneven: boolean;
  /** Microbatches of a stage. */
  count(stage: number): number;
  /** Turn of stage `of` that runs the microbatch of a turn of `stage`; −1 for none. Only where they are uneven. */
  turnOf(of: number, stage: number, turn: number): number;
}

export function turnsOf(copies: ProgramCopies | undefined, stages: number, microbatches: number): Turns {
  if (copies?.turns !== undefined) return listedTurns(copies, stages, microbatches);
  const every = copies?.every ?? new Int32Array(stages).fill(1);
  const first = copies?.first ?? new Int32Array(stages);
  return {
    microbatchOf: (stage, turn) => first[stage] + every[stage] * turn,
    uneven: every.some((step) => step !== every[0]),
    count: (stage) => Math.ceil(Math.max(0, microbatches - first[stage]) / every[stage]),
    turnOf(of, stage, turn) {
      const ahead = first[stage] + every[stage] * turn - first[of];
      return ahead >= 0 && ahead % every[of] === 0 ? ahead / every[of] : -1;
    },
  };
}

/** Of copies that run any microbatches: tables. */
function listedTurns(copies: ProgramCopies, stages: number, microbatches: number): Turns {
  const runs: number[][] = Array.from({ length: stages }, () => []);
  const turns = new Int32Array(stages * microbatches).fill(-1);
  for (let stage = 0; stage < stages; stage += 1)
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      if (!runsMicrobatch({ copies }, stage, microbatch)) continue;
      turns[stage * microbatches + microbatch] = runs[stage].length;
      runs[stage].push(microbatch);
    }
  return {
    microbatchOf: (stage, turn) => runs[stage][turn],
    uneven: true,
    count: (stage) => runs[stage].length,
    turnOf: (of, stage, turn) => turns[of * microbatches + runs[stage][turn]],
  };
}
