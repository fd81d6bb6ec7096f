/** What went over the lanes of an iteration, and what devices waited for: the part of a timeline that a rule of exchange makes. */
import type { ExchangeRule, LanePlan } from './exchangePlan.ts';

/** What a simulation needs to know of the lanes of a plan. */
export interface ExchangeTiming {
  readonly rule: ExchangeRule;
  /** What comes back are updated weights, after the optimizer's step. */
  readonly weights: boolean;
  readonly lanes: readonly LaneTiming[];
  /** Bytes per second of the links that lanes share; absent where they share none. */
  readonly links?: Float64Array;
}

export interface LaneTiming {
  readonly plan: LanePlan;
  /** By tensor, where its gradients are made. */
  readonly makers: readonly (readonly TensorMaker[])[];
  /** By tensor, each stage of the program whose first forward needs it. */
  readonly users: readonly (readonly number[])[];
}

/** Shares of the last B, and of the last W, of the stage on the device that are still to come when gradients are ready there. */
export interface TensorMaker {
  readonly device: number;
  readonly stage: number;
  readonly whole: number;
  readonly weight: number;
}

/** Columns by bucket, in the order in which buckets get ready; of those that do at once, in the order in which they closed. */
export interface Buckets {
  /** Tensors of bucket b: `members[offsets[b]]` to `members[offsets[b + 1]]`, in the order in which they got ready. */
  readonly offsets: Int32Array;
  readonly members: Int32Array;
  readonly ready: Float64Array;
  readonly bytes: Float64Array;
  readonly call: Int32Array;
  /** The tensor nearest to the front. */
  readonly front: Int32Array;
}

/** What went over a lane, in order of time: columns. A row holds equal pieces of a bucket, without a gap between them. */
export interface Sent {
  readonly length: number;
  readonly bucket: Int32Array;
  readonly count: Int32Array;
  /** Of each piece: bytes, and of its seconds those that do not depend on the bytes. */
  readonly bytes: Float64Array;
  readonly overhead: Float64Array;
  /** Of the first piece and of the last. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Seconds by which a row is longer because other lanes send through its links. Absent where no row is. */
  readonly shared?: Float64Array;
}

/** A lane from the end of an iteration's gradients on. Seconds, from the first operation of the iteration. */
export interface LaneTimeline {
  readonly plan: LanePlan;
  /** Start of the first last backward. */
  readonly origin: number;
  readonly buckets: Buckets;
  /** Collectives, reduce-scatters or pushes. */
  readonly sent: Sent;
  /** All-gathers or pulls. */
  readonly back?: Sent;
  /** By tensor: when its gradients are ready, when layers may use it, and when the next iteration would need it without waiting. */
  readonly ready: Float64Array;
  readonly arrival: Float64Array;
  readonly needed: Float64Array;
}

/** Seconds by cause. */
export interface Exposed {
  /** The layer's bytes are sent, other bytes of its bucket, or bytes of other buckets. */
  own: number;
  fused: number;
  blocked: number;
  /** Calls and latencies. */
  overhead: number;
  /** Pieces queue, and the lane is idle. */
  credit: number;
  /** The layer is there, but other tensors are not. */
  barrier: number;
  /** Only pushes run. */
  server: number;
  /** Calls take longer because other lanes send through their links. */
  shared: number;
}

export interface ExchangeTimeline {
  /** From the end of an iteration to the end of the next; with a barrier what an iteration takes. */
  readonly period: number;
  /** Whether periods repeat. */
  readonly steady: boolean;
  /** A period that no order and no pieces of these buckets can be under, while devices keep the order of their operations. */
  readonly bound: number;
  /** The same for any order of their operations. */
  readonly boundOfOrders: number;
  readonly lanes: readonly LaneTimeline[];
  /** By device: why it waits for tensors. */
  readonly exposed: readonly Exposed[];
  /** Sizes that `best` stands for: of buckets (a tensor's number where one closes, by lane), pieces and credit. */
  readonly chosen?: { readonly partition?: number; readonly credit?: number };
}
