import type { ComputeAction, TransferType } from '../torchCsv/table.ts';
import type { Place } from './bytes.ts';

/** A slice of the trace: microseconds of its clock. */
export interface Slice extends Place {
  readonly from: number;
  readonly to: number;
  readonly process: number;
  readonly thread: number;
}

/** A step of the profiler. */
export interface StepSlice extends Slice {
  readonly number: number;
}

/** `PP:2F0`, or two operations in one slot. */
export interface ComputeSlice extends Slice {
  readonly actions: readonly [ComputeAction] | readonly [ComputeAction, ComputeAction];
  /** Of a CUDA graph: microseconds of work on the device, which is where the slice is. */
  readonly busy?: number;
  /** The label names no stage (`Forward 3`): it is the rank's only one. */
  readonly anyStage?: true;
}

/** `PP:2RECV_F0`. */
export interface TransferSlice extends Slice {
  readonly type: TransferType;
  readonly stage: number;
  readonly microbatch: number;
  /** Of a CUDA graph: when the message was there. */
  readonly over?: number;
}

/** Columns of slices, in ascending order of their start. */
export interface Intervals {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/** What one file of a rank holds. */
export interface RankTrace {
  readonly file: string;
  readonly rank: number;
  /** Ranks of its pipeline, where the trace says so. */
  readonly pipelineRanks?: readonly number[];
  /** Nanoseconds since 1970 at which its clock is 0. */
  readonly base: bigint;
  /** Our own trace of a simulation: a receive ends when its message is there. */
  readonly simulated?: true;
  readonly steps: readonly StepSlice[];
  readonly computing: readonly ComputeSlice[];
  readonly transfers: readonly TransferSlice[];
  readonly receives: Intervals;
  /** Starts of autograd's functions. */
  readonly autograd: Float64Array;
  readonly optimizer: Intervals;
  readonly device?: DeviceTrace;
  /** Most bytes allocated during the recording, above what was there at its beginning. */
  readonly peakBytes?: number;
}

/** Work of a GPU and the calls that launched it; both in ascending order of the calls. */
export interface DeviceTrace {
  readonly launch: Float64Array;
  readonly thread: Float64Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** 0: computes. 1: sends or receives for the pipeline. 2: another collective. */
  readonly use: Float64Array;
}
