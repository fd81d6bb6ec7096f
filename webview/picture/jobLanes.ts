import type { Columns } from './columns.ts';

/** All workers of a job on one time axis, from the start to the last tick of the global clock. Seconds. */
export interface JobLanes {
  readonly name: string;
  /** End of the axis. */
  readonly until: number;
  /** When the global clock reached 1, 2, … */
  readonly clock: Float64Array;
  readonly workers: readonly WorkerLane[];
}

/** The devices of a worker as rows, and what it does with the servers. Intervals are pairs of begin and end. */
export interface WorkerLane {
  /** Name of its pipeline. */
  readonly name: string;
  readonly devices: readonly string[];
  readonly columns: Columns;
  /** A minibatch could enter but was held back. */
  readonly waits: Float64Array;
  /** Updates that go to the servers, and weights that come from them. */
  readonly pushes: Float64Array;
  readonly pulls: Float64Array;
}
