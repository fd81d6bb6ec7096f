/** The report of a job: pipelines that train one model through servers. */

/**
 * Pipelines that train one model together. Periods, rates, waiting, idle shares and traffic describe the last half of the waves.
 * It begins when the slowest worker ends half of them, and lasts to the end of the run.
 */
export type JobReport = JobFigures & JobRule;

/** When workers wait for each other, and how old weights become under that. */
type JobRule =
  | {
      readonly sync: 'wsp';
      /** Clocks that a worker may lead the slowest one by. */
      readonly distance: number;
      readonly staleness: {
        /** Updates of the same worker that a minibatch misses: wave − 1. */
        readonly local: number;
        /** Updates of another worker that a minibatch can miss at most: (distance + 1) · wave + wave − 2. */
        readonly bound: number;
        /** Most that any minibatch of the run did miss. */
        readonly observed: number;
      };
    }
  | {
      readonly sync: 'free';
      readonly staleness: {
        readonly local: number;
        /**
         * Updates of all other workers that the servers applied after they had read the weights of a minibatch and before its
         * update: the mean, and the most of the run. `null` if no update reached the servers in the last half.
         */
        readonly mean: number | null;
        readonly largest: number | null;
      };
    };

interface JobFigures {
  readonly name: string;
  readonly servers: number;
  /** Minibatches of a wave: as many as each worker has in flight. */
  readonly wave: number;
  /** Waves of the slowest worker that were simulated, and when it ended them. */
  readonly waves: number;
  readonly makespan: number;
  /**
   * Whether every worker leads the slowest one by as many waves at the end as at half. If not, its lead still grows, and it will
   * wait more. Always true under `free`: no worker waits.
   */
  readonly steady: boolean;
  /** Samples per second of all workers. */
  readonly throughput: number;
  /** Bytes per second that all servers receive and send. */
  readonly server_traffic: number;
  readonly workers: readonly JobWorkerReport[];
}

export interface JobWorkerReport {
  /** Name of its pipeline. */
  readonly name: string;
  /** Seconds from one wave to the next, in the job and by itself. */
  readonly period: number;
  /** Seconds from one wave to the next if the worker is alone. */
  readonly period_alone: number;
  /** Minibatches per second. */
  readonly minibatches_per_second: number;
  /** Seconds in which a minibatch could enter but had to wait for other workers or for servers; and their share of the time. */
  readonly waiting: number;
  /** `waiting` as a share of the time. */
  readonly waiting_share: number;
  /** Share of the time that its devices do not compute: less than waiting where minibatches in flight go on. */
  readonly idle: number;
  /** Bytes of one push, and of one pull. */
  readonly pushed: number;
  /** Bytes of one pull. */
  readonly pulled: number;
  /** Waves by which it leads the slowest worker at the end. */
  readonly lead: number;
}
