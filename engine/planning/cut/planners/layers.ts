/** What planners know of a model, and what they give. All of it is plain data that survives structured cloning. */

/** Layers in an order in which each comes after those that it needs. */
export interface PlannerLayers {
  readonly count: number;
  /** Seconds of each layer for one microbatch: its forward, and its backward with its recomputation. */
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  /** Bytes of gradients that replicas of the layer exchange. */
  readonly gradients: Float64Array;
  /** `count` + 1 entries: bytes of one microbatch that the layers before the k-th send to it and the layers after it. */
  readonly crossing: Float64Array;
}

/** Layers `from` to `to` (exclusive) on `replicas` devices, or groups of devices, each. */
export interface PlannedStage {
  readonly from: number;
  readonly to: number;
  readonly replicas: number;
}

/** Stages in order, and the seconds that the planner's formula gives them. */
export interface Planned {
  readonly stages: readonly PlannedStage[];
  readonly seconds: number;
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
