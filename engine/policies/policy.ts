import type { Dimension, PolicyArgument, StageCopy } from '../values/plan.ts';
import type { Grouping, LoadCosts } from './loading/grouping.ts';
import type { WeightRule } from '../values/program.ts';

/**
 * A policy: where stages live and in which order each device works. A pure function of the shape.
 * Adding one: `docs/contribute/adding-a-policy.md`.
 */
export interface Policy {
  /** As written in a file: `1f1b`. */
  readonly name: string;
  /** One sentence: what it does and what it is good for. */
  readonly summary: string;
  /** Page of `docs/schedules/` that defines it under a heading with its name, without its ending. */
  readonly page: string;
  readonly parameters: readonly PolicyParameter[];
  /** Backward in two operations (I and W) or one (B). */
  readonly split: boolean;
  /** Whether these arguments ask for whole backwards of a policy that splits them otherwise. */
  whole?(args: PolicyArguments): boolean;
  /**
   * Present if a device receives one message ahead in each direction, whatever stages it has. Messages that wait at the ends of the
   * pipeline, where they come from the other end: activations on the first device, gradients on the last. Absent: every stage has
   * separate room.
   */
  messagesAtEnds?(shape: Pick<Shape, 'devices' | 'microbatches' | 'args'>): number;
  /** Takes only microbatches of equal lengths. */
  readonly alike?: true;
  /** Stages of the cut for each device; from `chunks` where the policy has that parameter. */
  chunks(args: PolicyArguments): number;
  /**
   * What the program's stages are, if a stage of the cut has several copies or parts. Copies are on different devices, each for
   * some of the microbatches; parts are segments of the sequence. Without it they are the stages of the cut. Copies of stage 0
   * come before the copies of stage 1 or after all first copies, as the policy likes. `order` and `placement` count in this list.
   */
  copies?(shape: Shape): readonly StageCopy[] | undefined;
  /** Takes `replicate = round_robin`: `shape.replicas` devices for each stage, which `copies` and `placement` spread it over. */
  readonly replicates?: boolean;
  /** Pieces that every microbatch is cut into, each a separate microbatch to the program. Default: 1. */
  parts?(args: PolicyArguments): number;
  /** Device of each stage of the program; length `copies(shape).length`, or `shape.stages`. */
  placement(shape: Shape): Int32Array;
  /** Device that keeps what each device evicts (E and L), −1 for none. */
  partners?(shape: Shape): Int32Array;
  /**
   * What every stage recomputes, if the policy decides and writes each R itself; a microbatch without R then keeps everything.
   * Undefined, or without this member: what the file says, inside the backward.
   */
  recompute?(args: PolicyArguments): 'stage' | undefined;
  /** Whether tensors that skip stages go through every stage between. Default: straight to where they are needed. */
  relays?(args: PolicyArguments): boolean;
  /** Update rule (default: `flush`). Any other makes the policy asynchronous: `shape.iterations` minibatches run back to back. */
  weights?(args: PolicyArguments): WeightRule;
  /**
   * Copies of the weights that it keeps in addition to their versions (predicted weights, a running mean of changes). Default:
   * what the rule says.
   */
  weightCopies?(args: PolicyArguments): number;
  /**
   * Additional figures for a stage, from what the simulation found: delay in minibatches, staleness in updates. Named as in the
   * report.
   */
  stageFigures?(
    args: PolicyArguments,
    facts: { readonly delay: number; readonly staleness: number },
  ): Readonly<Record<string, number>>;
  /** Share of the shorter of two fused operations that hides behind the longer one. Default: 0. */
  overlap?(args: PolicyArguments): number;
  /** Most operations of one stage and microbatch. Default: 2, or 3 with a split backward. */
  readonly operations?: number;
  /** The order is searched for, which takes far longer than writing one down. */
  readonly searches?: true;
  /** Operations that such a search visits at most, whatever the shape. */
  searchedOperations?(args: PolicyArguments): number;
  /** Searches with pauses, for a shape that `check` passes; `order` then finds the answer at once. */
  prepare?(shape: Shape): Generator<void, unknown>;
  /** Nothing runs backwards. */
  readonly forwardOnly?: boolean;
  /**
   * The policy groups the layers itself (`stages` is not written): they are loaded onto one device, a group at a time, while
   * earlier groups run. The planner makes two stages for each group, on two lanes, and adds the groups to the arguments.
   */
  loading?(args: PolicyArguments): LoadCosts & { readonly grouping: Grouping };
  /** Why this shape cannot be, and what could; empty when it can. */
  check(shape: Shape): readonly ShapeFault[];
  /** Appends the operations of one device, in order. Called only for shapes that `check` passes. */
  order(shape: Shape, device: number, out: OperationSink): void;
  /**
   * The definition with the numbers of `shape` filled in, for a hover: Markdown lines such as
   * `warm-up: min(m, p − i) = 4, 3, 2, 1 forwards`, `bubble: (p − 1)(F + B) = 36 ms`.
   */
  explain(shape: Shape): readonly string[];
}

export interface PolicyParameter {
  readonly name: string;
  /** A `quantity` is given to the policy in base units of its `dimension`. An `integer` with a `dimension` may also be a quantity: `Measured`. */
  readonly kind: 'integer' | 'integers' | 'word' | 'quantity';
  readonly dimension?: Dimension;
  readonly summary: string;
  /** For words: what may be written. Integers may also allow some words (`warmup = hide_latency`). */
  readonly words?: readonly string[];
  /** Absent: the policy derives it from the shape. */
  readonly default?: PolicyArgument;
  readonly min?: number;
  readonly max?: number;
}

export type PolicyArguments = Readonly<Record<string, PolicyArgument>>;

export interface Shape {
  readonly devices: number;
  readonly stages: number;
  readonly chunks: number;
  /** Microbatches of one iteration, which is one update of the weights. */
  readonly microbatches: number;
  /** Iterations that run back to back; 1 for synchronous policies. */
  readonly iterations: number;
  readonly args: PolicyArguments;
  /** Replicas of each stage that the file asks for (`replicate`). Default: 1. */
  readonly replicas: ArrayLike<number>;
  /** Seconds by stage. */
  readonly forward: Float64Array;
  readonly backwardInput: Float64Array;
  readonly backwardWeight: Float64Array;
  /** The part of `backwardInput` that makes activations again. */
  readonly recompute: Float64Array;
  /** Largest transfer time in one direction between neighbouring stages on different devices, seconds; 0 if there is none. */
  readonly transfer: number;
  /** Seconds that a result takes from stage s to stage s + 1 and back; 0 on one device. Length stages − 1. */
  readonly transfers: Float64Array;
  /** Bytes that one microbatch keeps on a stage: from F to the end of the backward, and the part that W still needs after I. */
  readonly activation: Float64Array;
  readonly activationForWeight: Float64Array;
  /** Seconds after each device's last operation: gradients exchanged over data ranks, then the optimizer step. */
  readonly step: Float64Array;
  /** Bytes that a device has for activations: its capacity without weights, gradients, optimizer state, buffers and the largest workspace. */
  readonly room: Float64Array;
  /** Standard deviation of the times of a stage, as a share of them; undefined if times are certain. */
  readonly jitter?: Float64Array;
  /** Factors on the times of each device, of which orders are not to know: for figures only. Undefined if all are 1. */
  readonly slow?: Float64Array;
}

export interface ShapeFault {
  /** What is wrong, with the numbers: "8 microbatches do not divide into groups of 3". */
  readonly message: string;
  /** Which input to change and the nearest values that fit. */
  readonly fix: { readonly input: 'microbatches' | 'stages' | 'devices' | string; readonly values: readonly number[] };
}

/** A policy writes a device's operations here. */
export interface OperationSink {
  forward(stage: number, microbatch: number): void;
  backward(stage: number, microbatch: number): void;
  backwardInput(stage: number, microbatch: number): void;
  backwardWeight(stage: number, microbatch: number): void;
  recompute(stage: number, microbatch: number): void;
  /**
   * The optimizer's step of a stage, with the gradients up to this microbatch. For a copy, it runs once the other copies have the
   * gradients of the same round.
   */
  update(stage: number, microbatch: number): void;
  evict(stage: number, microbatch: number): void;
  load(stage: number, microbatch: number): void;
  /** The operation written last shares one slot with the next one: both start together. */
  fuse(): void;
}
