/** The chain of causes of a wait, as data. Seconds; positions are positions in `order`. */

/** Idle time of a device. `before`: position of the operation that ends it; −1 where none follows. */
export interface Wait {
  readonly device: number;
  readonly from: number;
  readonly to: number;
  readonly before: number;
}

/** One cause: it ends exactly when the thing that it explains begins. */
export type Cause = RanCause | TransferCause | StepCause | PieceCause | LaneCause;

export interface RanCause {
  readonly kind: 'operation';
  readonly position: number;
  readonly device: number;
  readonly from: number;
  readonly to: number;
  /** What it explains needed this result and had to wait for its device as well: both ended at the same moment. */
  readonly tied: boolean;
  /** It has made the gradients of a tensor at `to`, and may run longer. */
  readonly makes?: { readonly lane: number; readonly tensor: number };
}

/** Pieces of a bucket on a lane, without a gap. */
export interface PieceCause {
  readonly kind: 'piece';
  /** The first device of the lane. */
  readonly device: number;
  /** Number of the lane, and of a bucket of it. */
  readonly lane: number;
  readonly bucket: number;
  /** `back`: pulls and gathers. */
  readonly leg: 'sent' | 'back';
  /** Not these gradients are waited for, but the lane: it sends them first. */
  readonly ahead: boolean;
  readonly pieces: number;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

/** A lane that is idle while a bucket waits: for the credit of an earlier piece, or for the next cycle. */
export interface LaneCause {
  readonly kind: 'lane';
  readonly why: 'credit' | 'cycle';
  readonly device: number;
  readonly lane: number;
  readonly bucket: number;
  readonly from: number;
  readonly to: number;
}

/** The result of `position` was on its link until then. */
export interface TransferCause extends Carried {
  readonly kind: 'transfer';
  readonly tied: boolean;
  /** Not this result is waited for, but its link: another transfer had to let it pass. */
  readonly ahead: boolean;
  /** Sender and receiver do nothing else meanwhile. */
  readonly blocks: boolean;
}

/** A result on its way to another device. */
export interface Carried {
  /** The operation that made it. */
  readonly position: number;
  readonly need: number;
  readonly microbatch: number;
  readonly sender: number;
  readonly receiver: number;
  /** Seconds between the end of the operation and `from`: the link was taken. */
  readonly queued: number;
  /** Seconds longer than alone, since other transfers share the link. */
  readonly slowed: number;
  readonly from: number;
  readonly to: number;
}

/** At the end of the iteration: exchange of gradients, and the optimizer's step. At its start: gathering of weights. */
export interface StepCause {
  readonly kind: 'sync' | 'step' | 'gather';
  readonly device: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Why a chain ends: it has come back to the device that waits, or to the start of the iteration. `repeats`: without a barrier, it has come
 * back to an operation of another iteration, and goes on as from there. `unknown`: the simulation does
 * not say what the last cause waited for.
 */
export type ChainStop = 'device' | 'start' | 'repeats' | 'unknown';

export interface WaitChain {
  /** Gradients of a layer decide when the operation can go on, which runs its layers before that one ahead of them. */
  readonly tensor?: TensorNeed;
  /**
   * Latest first. The first one ends when the wait ends, or when the gradients of `tensor` arrive. Each other one ends when the cause before
   * it in the list begins.
   */
  readonly causes: readonly Cause[];
  readonly stop: ChainStop;
}

/** Gradients of the iteration before that a forward waits for. Seconds. */
export interface TensorNeed {
  readonly lane: number;
  readonly tensor: number;
  readonly arrival: number;
}
