import type { PlanCut } from '../../../definitions/cut.ts';
import type { PlannerLayers } from './layers.ts';

/** `paper`: section 3.1. `released`: as the code that was published with it computes. */
export type PipedreamObjective = PlanCut['objective'];

/** Parts of a cluster that are linked with each other: devices of a node, nodes of a cluster. */
export interface PlannerLevel {
  /** Parts of this level in each part of the next one, or in the cluster. */
  readonly machines: number;
  /** Bytes per second between any two of them. */
  readonly bandwidth: number;
}

export interface PipedreamProblem {
  readonly planner: 'pipedream';
  readonly layers: PlannerLayers;
  /** Microbatches of one update. */
  readonly microbatches: number;
  /** From the innermost to the outermost. */
  readonly levels: readonly PlannerLevel[];
  /** Whether a stage may have several replicas. They divide the microbatches of an update, unless it has only one. */
  readonly replicates: boolean;
  readonly objective: PipedreamObjective;
}
