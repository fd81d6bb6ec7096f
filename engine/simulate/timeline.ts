import type { Program } from '../schedule/program.ts';

/** What running a program takes. Arrays by row (kind × stage) unless said; seconds and bytes. */
export interface Timing {
  /** Seconds of each row. Recomputation is part of B and I. */
  readonly duration: Float64Array;
  /**
   * Dependencies of each row on other rows of the same microbatch, as compressed rows: those of row r are at
   * `needOffsets[r]` to `needOffsets[r + 1]` of `needs` (row of the producer), `needLatency` (seconds after the transfer),
   * `needOccupancy` (seconds that the transfer holds its channel) and `needChannel` (−1: same device, no transfer).
   */
  readonly needOffsets: Int32Array;
  readonly needs: Int32Array;
  readonly needLatency: Float64Array;
  readonly needOccupancy: Float64Array;
  readonly needChannel: Int32Array;
  readonly channels: number;
  /** Seconds after each device's last operation: gradient synchronisation, then the optimizer's step. By device. */
  readonly sync: Float64Array;
  readonly optimizer: Float64Array;
}

export interface Timeline {
  readonly program: Program;
  readonly timing: Timing;
  /** End of each operation, by `slotOf`; NaN where the program has none such. */
  readonly end: Float64Array;
  /** Start by position in `order`; only where operations are fused (else a start is `end − duration`). */
  readonly starts?: Float64Array;
  /** End of the last operation of any device, synchronisation and optimizer included. The first starts at 0. */
  readonly makespan: number;
  /** Seconds of computing, by device (operations; neither synchronisation nor optimizer). */
  readonly busy: Float64Array;
  /** First start and last end of an operation, by device. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Per channel: seconds held. */
  readonly channelBusy: Float64Array;
  /** Arrival of each transfer that had to queue, by edge of `needs` × microbatch; absent where none queues, then it is end + occupancy + latency. */
  readonly arrival?: Float64Array;
}

/** A program that waits for itself: the shortest circle of operations (words), each waiting for the next, the last for the first. */
export interface Deadlock {
  readonly circle: readonly DeadlockStep[];
}
export interface DeadlockStep {
  readonly word: number;
  readonly device: number;
  /** Position in `order`. */
  readonly position: number;
  /** Why it waits for the next step: it stands behind it in the device's order, or needs its result. */
  readonly because: 'order' | 'needs';
}
