import type { PlannerLayers } from './layers.ts';

/** What `plan(dapple)` plans for. */
export interface DappleProblem {
  readonly planner: 'dapple';
  readonly layers: PlannerLayers;
  readonly microbatches: number;
  /** Machines at most. */
  readonly machines: number;
  /** Devices of each machine that reduce gradients with the devices of the other replicas; 1 without data ranks. */
  readonly data: number;
  /** The link between any two machines. `alone`: each pair has its own, so that replicas send at the same time. */
  readonly link: { readonly bandwidth: number; readonly latency: number; readonly alone: boolean };
}
