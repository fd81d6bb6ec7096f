/** What planners know of a model, and what they give. All of it is plain data that survives structured cloning. */
import type { Adjacency } from '../dag/graph.ts';
import type { RecomputedLayers } from '../stageRuns.ts';

/** Layers in an order in which each comes after those that it needs. */
export interface PlannerLayers {
  readonly count: number;
  /** Seconds of each layer for one microbatch: its forward, and its backward with its recomputation; without what `recomputed` adds. */
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  /** Only if the layers that a stage recomputes follow from the cut: seconds of its backward. */
  readonly recomputed?: RecomputedLayers;
  /** Bytes of gradients that replicas of the layer exchange. */
  readonly gradients: Float64Array;
  /** `count` + 1 entries: bytes of one microbatch that the layers before the k-th send to it and the layers after it. */
  readonly crossing: Float64Array;
  /** Bytes of one microbatch that each layer sends to others, and the layers that it needs: their places in the order. */
  readonly outputs: Float64Array;
  readonly needs: Adjacency;
}

/** Layers `from` to `to` (exclusive) on `replicas` machines. A machine is a device, or a group of devices that share a microbatch. */
export interface PlannedStage {
  readonly from: number;
  readonly to: number;
  readonly replicas: number;
  /** Numbers of the machines; absent: the next ones that no stage before has. */
  readonly machines?: readonly number[];
  /** How its machines share each microbatch, if the planner decides that. */
  readonly ranks?: { readonly tensor: number; readonly data: number };
}

/** Stages in order, and the seconds that the planner's formula gives them. */
export interface Planned {
  readonly stages: readonly PlannedStage[];
  readonly seconds: number;
  /** Layers, stage by stage, that `from` and `to` count in; absent: as they were given. */
  readonly order?: Int32Array;
  /** Whether no other plan has fewer `seconds`. */
  readonly exact: boolean;
  /** Seconds that no plan can be below; equal to `seconds` if the plan is exact. */
  readonly least: number;
}

/** What the number of plans depends on. */
export interface Size {
  readonly layers: Pick<PlannerLayers, 'count'>;
  readonly machines: number;
}

/** Sums of the first entries: one more than there are entries. */
export function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [index, value] of values.entries()) sums[index + 1] = sums[index] + value;
  return sums;
}
