/** The chain of causes of a wait, as data. Seconds; positions are positions in `order`. */

/** Idle time of a device. `before`: position of the operation that ends it; −1 where none follows. */
export interface Wait {
  readonly device: number;
  readonly from: number;
  readonly to: number;
  readonly before: number;
}

/** One cause: it ends exactly when the thing that it explains begins. */
export type Cause = RanCause | TransferCause | StepCause;

export interface RanCause {
  readonly kind: 'operation';
  readonly position: number;
  readonly device: number;
  readonly from: number;
  readonly to: number;
  /** What it explains needed this result and had to wait for its device as well: both ended at the same moment. */
  readonly tied: boolean;
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
 * Why a chain ends: it has come back to the device that waits, or to the start of the iteration. `unknown`: the simulation does
 * not say what the last cause waited for.
 */
export type ChainStop = 'device' | 'start' | 'unknown';

export interface WaitChain {
  /** Latest first. The first one ends when the wait ends, each other one when the cause before it in the list begins. */
  readonly causes: readonly Cause[];
  readonly stop: ChainStop;
}
