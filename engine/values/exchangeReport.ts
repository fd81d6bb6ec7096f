/** The part of the report about gradients under a rule. */

/** How gradients are exchanged under a rule. Times are in seconds from the start of the first last backward. */
export interface ExchangeReport {
  /** As in the file: `bytescheduler`. */
  readonly rule: string;
  /** Order of the buckets that wait: `ready`, `forward`, `tail`, `tio` or `tao`. */
  readonly order: string;
  /** Whether the next iteration waits for all gradients. */
  readonly barrier: boolean;
  /** From the end of an iteration to the end of the next. */
  readonly period: number;
  /** Whether periods repeat. If not, `period` is the last of 16. */
  readonly steady: boolean;
  /** A period that no order of tensors and no pieces of these buckets can be under, while devices keep their order of operations. `gap`: (period − bound) / bound. */
  readonly bound: number;
  /** By how much the period is above the bound, as a share of the bound. */
  readonly gap: number;
  /** What `best` stands for, bytes. */
  readonly partition?: number;
  /** Bytes of credit that `best` stands for. */
  readonly credit?: number;
  /** One for each group of ranks that exchanges one thing at a time. */
  readonly lanes: readonly LaneReport[];
  /** From the front layer to the last; at most 10,000. */
  readonly tensors: readonly TensorReport[];
  /** Why the device that waits longest for gradients does so, seconds. */
  readonly exposed: ExposedReport;
}

/** What a group of ranks does one at a time; servers have pushes and pulls. */
export interface LaneReport {
  /** First devices of the ranks whose gradients go over it. */
  readonly name: string;
  /** Stages whose gradients go over it. */
  readonly stages: readonly string[];
  /** Names of collectives. */
  readonly collectives: readonly string[];
  /** Bytes of one iteration. */
  readonly bytes: number;
  /** Buckets of one iteration. */
  readonly buckets: number;
  /** Seconds in which the lane is not idle, number of calls, and seconds of these that do not depend on bytes. */
  readonly busy: number;
  /** Calls of one iteration. */
  readonly calls: number;
  /** Seconds of these calls that do not depend on bytes. */
  readonly overhead: number;
}

export interface TensorReport {
  /** Layer whose gradients it has. */
  readonly layer: string;
  /** Stage of the layer. */
  readonly stage: string;
  /** Bytes of the gradients. */
  readonly bytes: number;
  /** Name of its collective. */
  readonly by: string;
  /** When its gradients are ready, when the first bytes of its bucket are sent, and when layers may use it. */
  readonly ready: number;
  /** When the first bytes of its bucket are sent. */
  readonly sent: number;
  /** When layers may use it. */
  readonly arrived: number;
  /** When the next iteration comes to its layer, and how long before that the tensor has arrived: negative for a wait. */
  readonly needed: number;
  /** Seconds from its arrival until it is needed: negative for a wait. */
  readonly slack: number;
  /** Pieces of its bucket. */
  readonly pieces: number;
}

export interface ExposedReport {
  /** The device that waits longest. */
  readonly device: string;
  /** Seconds that it waits. */
  readonly total: number;
  /** The layer's bytes are sent. */
  readonly own: number;
  /** Bytes of other buckets are sent. */
  readonly blocked: number;
  /** Calls and latencies. */
  readonly overhead: number;
  /** Pieces wait for credit. */
  readonly credit: number;
  /** Other bytes of the layer's bucket are not ready, or are sent. */
  readonly fused: number;
  /** The layer is there, but other tensors are not. */
  readonly barrier: number;
  /** Servers have not been sent everything yet. */
  readonly server: number;
  /** Other stages send through the same links; absent if nobody waits for that. */
  readonly shared?: number;
}
