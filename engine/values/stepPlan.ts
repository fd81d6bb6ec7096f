/** What a device does after its operations, and during the last backwards: exchanges of gradients, and the update. */
import type { TimedCall } from './exchangePlan.ts';

/** Seconds are 0 where the file has none. */
export interface StepPlan {
  /** Seconds of what a device exchanges after its last operation: all, or where exchanges overlap what is in no bucket. */
  readonly sync: number;
  readonly optimizer: number;
  /** Bytes that it sends for all of its exchanges; absent for none. */
  readonly bytes?: number;
  /**
   * Exchanges during the last backward of a stage, one after the other. For a stage with several copies, only the first copy's
   * are here.
   */
  readonly overlap?: readonly StageExchange[];
  /** The part of the update that the host does. */
  readonly host?: HostStepPlan;
  /** What islands share once in a while. */
  readonly outer?: OuterStepPlan;
  /** `sync` as calls, where they use links that other stages use too. */
  readonly calls?: readonly TimedCall[];
}

/** After each `every` updates: an exchange between islands, which the next `delay` iterations hide, and the update by an outer optimizer. */
export interface OuterStepPlan {
  readonly seconds: number;
  readonly update: number;
  readonly every: number;
  readonly delay: number;
}

/** Gradients go to the host in buckets, the host updates their weights, and these come back: each one bucket after the other. */
export interface HostStepPlan {
  /** Of the stages of the device, each in the order in which its backward makes them ready. */
  readonly stages: readonly { readonly stage: number; readonly buckets: readonly HostBucketPlan[] }[];
  /** Gradients are clipped by their global norm: no update begins before the gradients of all devices are there. */
  readonly clip?: true;
  /** Seconds after the last update in which ranks gather updated weights, where these are in no `sync` that comes before. */
  readonly gather?: number;
  /** Bytes of gradients that leave the device, of weights that come back, and that the host keeps for the device. */
  readonly sent: number;
  readonly returned: number;
  readonly kept: number;
}

/** Seconds of the copy out, of the update, and of the copy back. */
export interface HostBucketPlan extends Pick<BucketPlan, 'left'> {
  readonly out: number;
  readonly step: number;
  readonly back: number;
  /** Its gradients are exchanged when the device has no operation left. */
  readonly exchanged?: true;
}

export interface StageExchange {
  readonly stage: number;
  /** In the order in which the backward makes them ready. */
  readonly buckets: readonly BucketPlan[];
}

export interface BucketPlan {
  readonly seconds: number;
  /** Shares of the stage's recomputation, input and weight gradients that its backward still has to do when the bucket is ready. */
  readonly left: { readonly recompute: number; readonly input: number; readonly weight: number };
  /** Updated weights of its layers, gathered before the first forward: seconds, and the share of that forward that comes before these layers. */
  readonly gather?: { readonly seconds: number; readonly before: number; readonly calls?: readonly TimedCall[] };
  /** `seconds` as calls, where they use links that other stages use too. */
  readonly calls?: readonly TimedCall[];
  /** If it has gradients of more than one layer: smaller buckets would be ready earlier. */
  readonly joins?: true;
}
