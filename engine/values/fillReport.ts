/** The part of the report about a job on idle devices. */

/** A fill job during one iteration (for asynchronous schedules: during all iterations, which run back to back). */
export interface FillReport {
  /** Model whose layers are the tasks. */
  readonly job: string;
  /** What the job does: `inference` or `training`. */
  readonly work: 'inference' | 'training';
  /** Seconds of each change between pipeline and job. */
  readonly overhead: number;
  /** Tasks done on all devices; `passes` through the whole model. */
  readonly tasks: number;
  /** Passes of tasks through the whole model. */
  readonly passes: number;
  /** Seconds of these tasks, all devices together. */
  readonly time: number;
  /** `time` as a share of the time that devices idle. */
  readonly recovered: number;
  /** Share by which the iteration gets longer: 0 by construction, for tasks and changes end within the idle intervals. */
  readonly slowdown: number;
  /** One for each device. */
  readonly devices: readonly FillDeviceReport[];
}

export interface FillDeviceReport {
  /** Name of the device. */
  readonly name: string;
  /** Seconds without an operation, gradient exchange and optimizer step included (nothing is placed in those two). */
  readonly idle: number;
  /** Idle intervals, those that hold tasks, and the longest one, seconds. */
  readonly intervals: number;
  /** Idle intervals that hold tasks. */
  readonly used: number;
  /** Seconds of the longest idle interval. */
  readonly longest: number;
  /** Tasks done on the device. */
  readonly tasks: number;
  /** Passes through the whole model. */
  readonly passes: number;
  /** Seconds of its tasks. */
  readonly time: number;
  /** `time` as a share of the idle time. */
  readonly recovered: number;
  /** The task that comes next, and whether it would fit into any idle interval; null where the job has none. */
  readonly next: {
    readonly layer: string;
    readonly seconds: number;
    readonly bytes: number;
    readonly fits: boolean;
  } | null;
  /** The idle intervals in order of time, at most 1,000 of them. */
  readonly bubbles: readonly FillBubble[];
}

export interface FillBubble {
  /** Start and length, seconds. */
  readonly at: number;
  /** Length in seconds. */
  readonly seconds: number;
  /** Bytes that the pipeline leaves free all the while. */
  readonly free: number;
  /** Tasks in it and their seconds. */
  readonly tasks: number;
  /** Seconds of the tasks. */
  readonly time: number;
}
