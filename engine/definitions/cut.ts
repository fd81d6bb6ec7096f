/** How a pipeline cuts its model into stages. */
import type { Span } from '../../grammar/syntax.ts';
import type { RecomputeMode } from '../costs/types.ts';
import type { Mesh } from '../costs/mesh.ts';
import type { CutPlan } from '../values/plan.ts';
import type { DeviceSet } from './cluster.ts';

/** A cut as written, before costs are known. */
export type Cut =
  | { readonly kind: 'balance'; readonly count: number; readonly by: BalanceBy; readonly at: Span }
  | {
      readonly kind: 'split';
      readonly sizes: readonly number[];
      readonly count: number;
      readonly at: Span;
    }
  /** `planned`: a planner made them. They are not in the file. */
  | {
      readonly kind: 'blocks';
      readonly stages: readonly StageBlock[];
      readonly count: number;
      readonly planned?: CutPlan;
    }
  /** The schedule makes the stages, `count` at most. */
  | { readonly kind: 'groups'; readonly count: number };

/** A cut that a planner makes, with replicas of its stages, once costs are known. */
export interface PlanCut {
  readonly kind: 'plan';
  readonly planner: 'pipedream' | 'dapple' | 'alpa' | 'hetpipe';
  /** What `plan(pipedream)` makes least. */
  readonly objective: 'paper' | 'released';
  /** Only of `plan(hetpipe)`: how the cluster is divided into virtual workers, and the number of the pipeline's. */
  readonly allocation?: Allocation;
  readonly worker: number;
  readonly at: Span;
}

/** A virtual worker has the devices of a node (`node`), one of each node (`equal`), or halves of a fast and a slow node (`hybrid`). */
export type Allocation = 'node' | 'equal' | 'hybrid';

/** What a balanced cut makes least: the slowest stage, the fullest device, or the slowest stage where all devices fit their memory. */
export type BalanceBy = 'time' | 'memory' | 'both';

export interface StageBlock {
  readonly name: string;
  readonly at: Span;
  readonly elements: readonly number[];
  /** `chosen`: the file does not say the devices, and `place = best` may choose others. */
  readonly on?: { readonly end: DeviceSet; readonly at: Span; readonly chosen?: true };
  readonly recompute?: RecomputeMode;
  readonly recomputeAt?: Span;
  /** Only if the stage says how its devices share its work. */
  readonly mesh?: Mesh;
  /** How the devices of `on` share the work where there are several replicas of the stage. */
  readonly replicate?: { readonly rule: Replication; readonly at: Span };
}

/** `split`: each replica takes a share of every microbatch. `round_robin`: replicas take microbatches in turn. */
export type Replication = 'split' | 'round_robin';
