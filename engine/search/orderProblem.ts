/**
 * A pipeline whose microbatches are alike, as the search for an order and its bound see it: whole ticks, bytes against a limit.
 * Stages are a chain, every stage runs every microbatch, and transfers do not queue.
 */
export interface OrderProblem {
  readonly devices: number;
  readonly microbatches: number;
  /** Device of each stage. */
  readonly device: Int32Array;
  /** Ticks by stage. A stage with W = 0 runs its backward whole, as I. */
  readonly forward: Float64Array;
  readonly input: Float64Array;
  readonly weight: Float64Array;
  /** Ticks of a message between stage s and s + 1, either direction; length stages − 1. */
  readonly transfer: Float64Array;
  /** Ticks after a device's last operation. */
  readonly step: Float64Array;
  /** Bytes by stage: from the start of F to the end of I, and from there to the end of W. */
  readonly activation: Float64Array;
  readonly forWeight: Float64Array;
  /** Bytes by device; Infinity for no limit. */
  readonly limit: Float64Array;
}

/** What sums of bytes may be over a limit by rounding. */
export const rounding = 1e-9;

/** Bytes that are within a limit. */
export const allowed = (limit: number): number => limit * (1 + rounding);
