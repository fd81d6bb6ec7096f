/** What a `search` declaration says: settings of a pipeline to try. */

export interface Axis {
  /** A key of the pipeline, `pipeline`, `chunks`, `micro_batch`, or the name of a `param`. */
  readonly key: string;
  /** As you would write them. */
  readonly values: readonly string[];
}

/** What a search makes least; its front always has both. */
export type Objective = 'iteration' | 'peak_memory';

export interface SearchDefinition {
  readonly pipeline: string;
  readonly axes: readonly Axis[];
  readonly minimise: Objective;
  /** Conditions that every row must meet: `peak_memory < 75GiB`. */
  readonly limits: readonly string[];
}
