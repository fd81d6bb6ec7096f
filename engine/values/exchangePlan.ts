/**
 * What the ranks that hold the same weights exchange, where a rule orders it: plain data of a plan. Times are in seconds, sizes
 * in bytes. A *tensor* is the gradients of one layer on one device. A *bucket* is tensors that are exchanged as one. A *piece* is
 * a part of a bucket that is sent without interruption. A *lane* is a queue: a group of ranks runs the exchanges of its lane one at a time.
 */

/** Absent from a pipeline whose `sync` is `end`, or an `overlap` that names nothing but its bucket, with a ring. */
export interface ExchangePlan {
  readonly rule: ExchangeRule;
  readonly lanes: readonly LanePlan[];
  /** Ranks hold the optimizer state in parts: what is gathered are updated weights, after the step. */
  readonly weights?: true;
  /** Gradients are clipped by their global norm: no weight is updated before all of them are there. */
  readonly clip?: true;
}

/** Which of the tensors that wait goes first. `pulls` of servers may have another order than pushes (TicTac). */
export type ExchangeOrder = 'ready' | 'forward' | 'tail' | 'tio' | 'tao';

export interface ExchangeRule {
  /** As written after `sync =`: `bytescheduler`, `overlap`. */
  readonly name: string;
  readonly order: ExchangeOrder;
  /** A bucket closes with the layer that reaches that number of bytes; `layer`: each layer is one. */
  readonly bucket: number | 'layer' | 'best';
  /** Of the first bucket; as `bucket` where absent. */
  readonly first?: number;
  /** Seconds: at multiples after the start of the first last-backward, what is ready is fused while it is at most `fuse` bytes. */
  readonly cycle?: number;
  readonly fuse?: number;
  readonly partition: 'whole' | number | 'best' | 'at_preemption';
  /** Bytes on the stack; `piece`: one piece at a time. */
  readonly credit: 'unlimited' | 'piece' | number | 'best';
  /** Only what fits into the credit is handed over, and what fits may pass what does not. */
  readonly strict: boolean;
  /** Seconds after the end of a piece until its credit comes back. */
  readonly ack: number;
  /** No forward of the next iteration starts before all tensors of all devices have arrived. */
  readonly barrier: boolean;
  /** A layer waits only for the pieces that hold it, and pieces of the front layer go first within a bucket. */
  readonly earlyStart: boolean;
  /** `apart`: reduce-scatters by `order`, and all-gathers after all of them, the front layer first. */
  readonly halves: 'together' | 'apart';
}

export interface LanePlan {
  readonly name: string;
  /** Pipeline ranks whose gradients are exchanged here; copies of a stage share a lane. */
  readonly devices: readonly number[];
  /** Their stages of the plan; of copies, the first. */
  readonly stages: readonly number[];
  /** From the front layer to the last. */
  readonly tensors: readonly TensorPlan[];
  /** What `tensors[i].call` numbers. */
  readonly calls: readonly LaneCall[];
  /**
   * Layers of the stages' forwards and which of them need which, where the rule looks at it (`tio`, `tao`). Absent for chains, which
   * run layer by layer.
   */
  readonly graphs?: readonly StageGraph[];
  /** Stages whose tensors are one bucket each, whatever the rule says. */
  readonly whole?: readonly number[];
}

/** Layers of a stage in order. Each runs when those that it needs are done, and its tensors are there. */
export interface StageGraph {
  readonly stage: number;
  /** Share of the stage's forward. */
  readonly shares: readonly number[];
  /** Numbers of layers in this list. */
  readonly needs: readonly (readonly number[])[];
  /** Numbers of `tensors`. */
  readonly tensors: readonly (readonly number[])[];
}

export interface TensorPlan {
  readonly layer: string;
  /** Stage of the plan; of copies, the first. */
  readonly stage: number;
  readonly bytes: number;
  /** Shares of the stage's recomputation, input and weight gradients that its backward still has to do when the tensor is ready. */
  readonly left: { readonly recompute: number; readonly input: number; readonly weight: number };
  /** Share of the stage's forward that comes before the layer. */
  readonly before: number;
  readonly call: number;
}

/** A collective keeps the lane for `push`. Servers have a second lane, on which a piece is pulled once it has been pushed. */
export interface LaneCall {
  readonly name: string;
  readonly push: CallCost;
  readonly pull?: CallCost;
  /** Seconds from when a piece has left the lane until it is there. The lane and the credit do not wait for them. */
  readonly delay?: number;
  /** Bytes that a rank sends for each byte of gradients, as a mean over the ranks. */
  readonly sends?: number;
  /** Pushes and pulls are one at a time (`half` links, servers on the workers). */
  readonly oneLane?: true;
  /** Reduce-scatter and all-gather, where they can be apart. */
  readonly halves?: { readonly scatter: CallCost; readonly gather: CallCost };
  /** What makes it slow, if there is something to name. */
  readonly limit?: CallLimit;
  /** How its bytes use links through which other lanes send too. */
  readonly links?: CallLinks;
}

/** By direction, as the costs of a call. */
export interface CallLinks {
  readonly push: readonly CallPass[];
  readonly pull?: readonly CallPass[];
  readonly scatter?: readonly CallPass[];
  readonly gather?: readonly CallPass[];
}

/** A part of a call's bytes. Passes follow each other, after the seconds that do not depend on the bytes. */
export interface CallPass {
  /** Of the seconds that depend on the bytes. The parts of a call add up to 1. */
  readonly part: number;
  /** Bytes per second of each flow, while no other lane sends through its links. */
  readonly rate: number;
  /** Flows by link, which is a number in `LinkSharing.links`. */
  readonly flows: readonly { readonly link: number; readonly count: number }[];
}

/** Links through which several lanes send. */
export interface LinkSharing {
  readonly links: readonly { readonly name: string; readonly bandwidth: number }[];
}

/** A call whose bytes are known. `overhead`: the part of its seconds that does not depend on the bytes. */
export interface TimedCall {
  readonly seconds: number;
  readonly overhead: number;
  readonly passes: readonly CallPass[];
}

/** The machines that make a call slow, and what it takes without them. */
export type CallLimit =
  | {
      readonly kind: 'servers';
      readonly workers: number;
      readonly servers: number;
      /** As many servers as the workers can fill. */
      readonly enough: number;
      readonly without: LaneCall;
    }
  | {
      readonly kind: 'links';
      /** One of the slow links: `gpu[0] – gpu[4]`, and how many others there are. */
      readonly link: string;
      readonly others: number;
      readonly bandwidth: number;
      /** The collective that sends least over them. */
      readonly collective: string;
      readonly without: LaneCall;
    };

/** Seconds of a piece as a function of its bytes. `fixed` contains what each call costs. */
export type CallCost =
  | { readonly kind: 'linear'; readonly fixed: number; readonly perByte: number }
  /** The least of several. */
  | { readonly kind: 'least'; readonly of: readonly CallCost[] }
  /** `of[i]` from `from[i]` bytes on; `from[0]` is 0 and they ascend. */
  | { readonly kind: 'steps'; readonly from: readonly number[]; readonly of: readonly CallCost[] }
  /** Measured: linear between the points, at the rate of the last two after them; `fixed` is added. */
  | {
      readonly kind: 'table';
      readonly fixed: number;
      readonly bytes: readonly number[];
      readonly seconds: readonly number[];
    };

/** A link through which ranks of different stages exchange gradients. Rings of one stage share it with each other, not with other stages. */
export interface SharedLinkPlan {
  readonly link: string;
  readonly bandwidth: number;
  /** Ranks of the pipeline that hold the same stages, and the least bytes that they send through the link in one iteration. */
  readonly users: readonly {
    readonly devices: readonly number[];
    readonly stages: readonly number[];
    readonly bytes: number;
  }[];
}

/** A link through which ranks send while their operations run. */
export interface CrowdedLinkPlan extends SharedLinkPlan {
  /** By stage of the plan, bytes through the link of each of its operations, as far as its ranks send together. */
  readonly operations: readonly (OperationBytes & { readonly stage: number })[];
}

/** Bytes of a forward, of an input gradient with its recomputation, of a weight gradient, and of an update of an asynchronous schedule. */
export interface OperationBytes {
  readonly forward: number;
  readonly input: number;
  readonly weight: number;
  readonly update: number;
}
