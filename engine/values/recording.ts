/**
 * What a training engine measured: for each step and rank of one pipeline, its operations in the order in which they ran. Plain data
 * without a trace's names or places. Times are in seconds from the earliest event of all ranks.
 */

/** Operations of one rank in one step, in the order in which they ran: columns. */
export interface RecordedRow {
  readonly kind: Uint8Array;
  readonly stage: Int32Array;
  readonly microbatch: Int32Array;
  /** The engine turned to the operation. */
  readonly begin: Float64Array;
  /** It computes, after any wait for a message. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Seconds of computing within start and end. NaN: the source does not separate them from the seconds of a fused operation. */
  readonly work: Float64Array;
  /** Its result was handed to the network, and the message that it needs was there. NaN: no message, or unknown. */
  readonly posted: Float64Array;
  readonly arrived: Float64Array;
  /** 1: it is in one slot with the next one. */
  readonly fused: Uint8Array;
}

export interface RecordedStep {
  /** As the source numbers it. */
  readonly number: number;
  /** By rank of the pipeline. */
  readonly rows: readonly RecordedRow[];
  /** Seconds of the optimizer's step, by rank; NaN where unknown. */
  readonly optimizer: Float64Array;
  /** From the last operation of a rank to its first one in the next step; NaN where unknown. */
  readonly between: Float64Array;
  /** What ranks do before the first operation and after the last one, in order. Replicas have the same calls. */
  readonly before?: readonly RecordedCall[];
  readonly after?: readonly RecordedCall[];
}

/** Work of a step that is no operation, such as a collective or the optimizer. */
export interface RecordedCall {
  readonly name: string;
  /** Who must be there before it begins: each rank alone, the same rank of all replicas, the pipeline, or all ranks of all replicas. */
  readonly together: 'rank' | 'replicas' | 'pipeline' | 'everyone';
  /** By rank, from the moment at which all are there; NaN for a rank that does not take part. */
  readonly seconds: Float64Array;
}

/** What ran, without its times. */
export interface RunShape {
  /** Global ranks of the pipeline; their index is the rank in it. */
  readonly ranks: readonly number[];
  readonly stages: number;
  readonly microbatches: number;
  /** Rank in the pipeline, by stage. */
  readonly placement: ArrayLike<number>;
  /** Kinds of operations that ran. */
  readonly kinds: readonly number[];
}

/** What a plan needs of a recording: little, whatever the size of the run. */
export interface RunDigest extends RunShape {
  readonly placement: readonly number[];
  /** Seconds of the first start and the last end of each whole step, the earliest first. */
  readonly steps: readonly (readonly [number, number])[];
}

/** Of a run without a recording of its operations: whole iterations. */
export interface IterationsDigest {
  readonly ranks: readonly number[];
  /** Seconds of each step, the earliest first, with the exchange of gradients and the optimizer's step. */
  readonly iterations: readonly number[];
}

/** What a log of a rank says of a step. */
export interface LoggedStep {
  readonly number: number;
  /** From its start to the start of the next one. */
  readonly seconds: number;
  /** Its parts, on the host. */
  readonly spans: readonly LoggedSpan[];
  /** What else it did, such as saving a checkpoint. */
  readonly also?: readonly string[];
}

export interface LoggedSpan {
  readonly name: string;
  readonly seconds: number;
}

export interface LoggedRank {
  readonly rank: number;
  readonly steps: readonly LoggedStep[];
}

/** Whole iterations of a run, the means over its ranks. */
export interface LoggedRun {
  readonly ranks: readonly number[];
  readonly steps: readonly LoggedStep[];
}

export interface Recording {
  /** Global ranks of the pipeline; their index is the rank in it. */
  readonly ranks: readonly number[];
  readonly stages: number;
  readonly microbatches: number;
  /** Rank in the pipeline, by stage. */
  readonly placement: Int32Array;
  /** Whole steps, the earliest first. */
  readonly steps: readonly RecordedStep[];
  /** By rank: most bytes allocated above what was there when the recording began; NaN where unknown. Absent if no rank says so. */
  readonly peaks?: Float64Array;
  /** Whether the clocks of ranks can be compared, and what was moved to make it so. */
  readonly clocks: Clocks;
  /** Times are measured on devices, not in the processes that launch their work. */
  readonly device: boolean;
}

export interface Clocks {
  /** Seconds that each rank's clock is ahead of the first rank's, already taken off all times. */
  readonly offset: Float64Array;
  /** The true offset is within this many seconds. Infinite: no messages tell. */
  readonly slack: Float64Array;
}
