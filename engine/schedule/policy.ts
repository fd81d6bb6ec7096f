import type { PolicyArgument } from '../plan/plan.ts';

/**
 * A policy: where stages live and in which order each device works. A pure function of the shape.
 * Adding one: a file that exports a `Policy`, a line in `registry.ts`, a fixture, a row in the reference page.
 */
export interface Policy {
  /** As written in a file: `1f1b`. */
  readonly name: string;
  /** One sentence: what it does and what it is good for. */
  readonly summary: string;
  /** Section of `docs/schedules.md` that defines it. */
  readonly page: string;
  readonly parameters: readonly PolicyParameter[];
  /** Backward in two operations (I and W) or one (B). */
  readonly split: boolean;
  /** Stages a device holds; from `chunks` where the policy has that parameter. */
  chunks(args: PolicyArguments): number;
  /** Device of each stage; length `shape.stages`. */
  placement(shape: Shape): Int32Array;
  /** Why this shape cannot be, and what could; empty when it can. */
  check(shape: Shape): readonly ShapeFault[];
  /** Appends the operations of one device, in order. Called only for shapes that `check` passes. */
  order(shape: Shape, device: number, out: OperationSink): void;
  /**
   * The definition with the numbers of `shape` filled in, for a hover: Markdown lines such as
   * `warm-up: min(m, p − i) = 4, 3, 2, 1 forwards`, `bubble: (p − 1)(F + B) = 36 ms`.
   */
  explain(shape: Shape): readonly string[];
  /** The policy in `.pipe` syntax (the body of a `schedule` declaration), where it can be so written. */
  readonly source?: string;
}

export interface PolicyParameter {
  readonly name: string;
  readonly kind: 'integer' | 'integers' | 'word';
  readonly summary: string;
  /** For words: what may be written. Integers may also allow some words (`warmup = hide_latency`). */
  readonly words?: readonly string[];
  /** Absent: the policy derives it from the shape. */
  readonly default?: PolicyArgument;
  readonly min?: number;
}

export type PolicyArguments = Readonly<Record<string, PolicyArgument>>;

export interface Shape {
  readonly devices: number;
  readonly stages: number;
  readonly chunks: number;
  readonly microbatches: number;
  readonly args: PolicyArguments;
  /** Seconds by stage. */
  readonly forward: Float64Array;
  readonly backwardInput: Float64Array;
  readonly backwardWeight: Float64Array;
  /** Largest one-way transfer time between neighbouring stages on different devices, seconds; 0 where there is none. */
  readonly transfer: number;
}

export interface ShapeFault {
  /** What is wrong, with the numbers: "8 microbatches do not divide into groups of 3". */
  readonly message: string;
  /** Which input to change and the nearest values that would do. */
  readonly fix: { readonly input: 'microbatches' | 'stages' | 'devices' | string; readonly values: readonly number[] };
}

/** Where a policy writes a device's operations. */
export interface OperationSink {
  forward(stage: number, microbatch: number): void;
  backward(stage: number, microbatch: number): void;
  backwardInput(stage: number, microbatch: number): void;
  backwardWeight(stage: number, microbatch: number): void;
}
