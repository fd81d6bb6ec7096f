import { type Program, rowTable } from '../values/program.ts';
import type { Timing } from '../values/timeline.ts';

/** By row, for rows of at most two needs: where its ends are, and those that it waits for. */
export interface TwoNeeds {
  readonly device: Int32Array;
  readonly duration: Float64Array;
  /** Slots of microbatch 0: of the result, and of the two needs. A row with fewer needs has its result there, with a delay of −∞. */
  readonly made: Int32Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** Seconds from the end of what is needed to its arrival. */
  readonly firstDelay: Float64Array;
  readonly secondDelay: Float64Array;
}

/** Undefined if a row has more needs, needs other microbatches, or has a time before which it cannot start. */
export function twoNeeds(program: Program, timing: Timing): TwoNeeds | undefined {
  const { stages, microbatches, placement } = program;
  const { duration, needOffsets, needs, needLatency, needOccupancy } = timing;
  if (timing.needShift !== undefined || timing.release !== undefined) return undefined;
  const made = rowTable(program).result.map((result) => result * microbatches);
  const first = made.slice();
  const second = made.slice();
  const firstDelay = new Float64Array(made.length).fill(-Infinity);
  const secondDelay = firstDelay.slice();
  for (let row = 0; row < made.length; row += 1) {
    const need = needOffsets[row];
    const count = needOffsets[row + 1] - need;
    if (count > 2) return undefined;
    if (count > 0) {
      first[row] = needs[need] * microbatches;
      firstDelay[row] = needOccupancy[need] + needLatency[need];
    }
    if (count > 1) {
      second[row] = needs[need + 1] * microbatches;
      secondDelay[row] = needOccupancy[need + 1] + needLatency[need + 1];
    }
  }
  const device = made.map((_, row) => placement[row % stages]);
  return { device, duration, made, first, second, firstDelay, secondDelay };
}
