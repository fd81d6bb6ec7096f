/** Bytes over time of one device: a step function. */
export interface MemoryTrack {
  /** Seconds at which the level changes, ascending; the first is 0. */
  readonly at: Float64Array;
  /** Bytes from `at[i]` to `at[i + 1]`, static part included. */
  readonly bytes: Float64Array;
  /** Weights, gradients, optimizer, buffers: always there. */
  readonly base: number;
  readonly peak: number;
  /** Usable bytes. */
  readonly capacity: number;
}
