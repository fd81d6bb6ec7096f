import { type Kind, type Program } from '../schedule/program.ts';

/** What running a program takes. A row is a kind of one stage (`kind * stages + stage`); seconds. */
export interface Timing {
  /** Seconds of each row. Recomputation is part of B and I. */
  readonly duration: Float64Array;
  /**
   * Dependencies of each row on results of the same microbatch, as compressed rows: those of row r are at `needOffsets[r]` to
   * `needOffsets[r + 1]` of the other arrays. A result is a kind of result of one stage (`resultRow`).
   */
  readonly needOffsets: Int32Array;
  readonly needs: Int32Array;
  /** Index into the plan's routes that the result travels on; −1 on the same device. */
  readonly needRoute: Int32Array;
  /** Seconds of delay after the transfer, and seconds that the transfer holds its channel. 0 on the same device. */
  readonly needLatency: Float64Array;
  readonly needOccupancy: Float64Array;
  /** Resource that transfers queue for; −1 on the same device. */
  readonly needChannel: Int32Array;
  readonly channels: number;
  /** Seconds after each device's last operation: gradient synchronisation, then the optimizer's step. By device. */
  readonly sync: Float64Array;
  readonly optimizer: Float64Array;
}

/**
 * Results that others wait for: the output of F, the input gradient (of B or of I: whoever waits need not know which), the
 * weight gradient of W. Row of a result: result × stages + stage.
 */
export const resultOfKind: readonly number[] = [0, 1, 1, 2];
export const resultRow = (stages: number, kind: Kind, stage: number): number => resultOfKind[kind] * stages + stage;

export interface Timeline {
  readonly program: Program;
  readonly timing: Timing;
  /** End of each operation, at result row × microbatches + microbatch; negative where the program has none such. */
  readonly end: Float64Array;
  /** Start by position in `order`; only where operations are fused (else a start is `end − duration`). */
  readonly starts?: Float64Array;
  /** End of the last operation of any device, synchronisation and optimizer included. The first operation starts at 0. */
  readonly makespan: number;
  /** Seconds of computing, by device (operations; neither synchronisation nor optimizer). */
  readonly busy: Float64Array;
  /** First start and last end of an operation, by device. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Arrival of each needed result, at need × microbatches + microbatch; only where transfers may queue (else `end + occupancy + latency`). */
  readonly arrival?: Float64Array;
}

/** End of the operation at a position of `order`, seconds. */
export function endAt(timeline: Timeline, position: number): number {
  const { order, shift, stages, microbatches } = timeline.program;
  const word = order[position];
  const row = word >> shift;
  const kind = Math.trunc(row / stages);
  return timeline.end[
    (resultOfKind[kind] * stages + (row - kind * stages)) * microbatches + (word & ((1 << shift) - 1))
  ];
}

/** Start of the operation at a position of `order`, seconds. */
export function startAt(timeline: Timeline, position: number): number {
  if (timeline.starts !== undefined) return timeline.starts[position];
  const { order, shift } = timeline.program;
  return endAt(timeline, position) - timeline.timing.duration[order[position] >> shift];
}

/** When the result that need `need` of microbatch `microbatch` asks for is there, seconds. */
export function arrivalAt(timeline: Timeline, need: number, microbatch: number): number {
  const { microbatches } = timeline.program;
  const { timing } = timeline;
  if (timeline.arrival !== undefined) return timeline.arrival[need * microbatches + microbatch];
  return (
    timeline.end[timing.needs[need] * microbatches + microbatch] +
    (timing.needOccupancy[need] + timing.needLatency[need])
  );
}
