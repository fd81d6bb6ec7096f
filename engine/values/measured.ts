/** Recorded runs that a pipeline names, in its plan and in its report. */
import type { RunShape } from './recording.ts';

/** What is known of the runs that a pipeline names. */
export interface MeasuredPlan {
  /** Each pipeline that ran, a replica of the others; none if they are not known. */
  readonly runs: readonly MeasuredRun[];
  /** They are still being read, or nobody here reads runs. */
  readonly pending?: true;
}

/** A run, and the mean of its steps. */
export interface MeasuredRun {
  /** Ranks of the run, as they are numbered in it. */
  readonly ranks: readonly number[];
  /** What ran, if its operations were recorded. Otherwise iterations are whole: with the exchange of gradients and the optimizer's step. */
  readonly shape?: RunShape & { readonly placement: readonly number[] };
  /** Steps that are used. */
  readonly steps: number;
  /** Seconds from the first start of an operation to the last end, or of a whole iteration. */
  readonly iteration: number;
}

/**
 * The pipeline next to recorded runs of it. Times are of the operations, from the first start to the last end: the exchange of gradients
 * and the optimizer's step are left out of both. Of a run that was only logged they are of whole iterations.
 */
export interface MeasuredReport {
  /** Seconds as simulated. */
  readonly simulated: number;
  /** measured / simulated − 1, of the pipeline that is farthest. Less than 0: it ran faster. */
  readonly drift: number;
  /** Of whole iterations, which a log has. */
  readonly whole?: true;
  /** Each pipeline that ran, a replica of the others. */
  readonly runs: readonly {
    readonly ranks: readonly number[];
    /** Steps that are used. */
    readonly steps: number;
    readonly iteration: number;
    readonly drift: number;
  }[];
}
