import type { IterationsDigest, RunDigest } from '../values/recording.ts';

/** What libraries of a training run hold on a device, in bytes. */
export interface FrameworkSettings {
  /** The context of a device: its driver's and its libraries' own memory. */
  readonly context: number;
  /** Buffers of one communicator group. */
  readonly communicator: number;
  /** Most of both. */
  readonly reservedMost: number;
}

/** What a recorded run says, `reading` until that is known, or why it is not. */
export type RunAnswer =
  { readonly runs: readonly (RunDigest | IterationsDigest)[] } | { readonly problem: string } | 'reading';

/**
 * What the engine needs from outside: the text of other files. The engine itself does no input or output; the server,
 * the command line and tests each pass their own.
 */
export interface EngineHost {
  /**
   * Text of the file at `uri` (as made by `resolve`), or why there is none. `outside`: it lies outside the workspace and
   * the workspace is not trusted, or outside the folder in `detail`, which says what to do. Synchronous: hosts keep what they
   * have read and call the engine again when a file arrives.
   */
  read(
    uri: string,
  ): { readonly text: string } | { readonly problem: 'not-found' | 'outside' | 'unreadable'; readonly detail?: string };
  /** Uri of `path` as written in an `import` of the file at `from`. */
  resolve(path: string, from: string): string;
  /**
   * A recorded run: the traces at `uri`, a file or a folder, of these ranks or of all. Absent, or undefined: the host reads no runs, so
   * nothing is said of them. It answers at once, and calls the engine again when a run is read.
   */
  run?(uri: string, ranks: readonly number[]): RunAnswer | undefined;
}

/** Figures that a user may set (`pipewright.limits.*`, `pipewright.diagnostics.*`, `pipewright.search.*`, `pipewright.memory.*`). */
export interface EngineOptions {
  readonly limits: {
    /** Bytes (UTF-16 units) of one file. */
    readonly fileSize: number;
    /** Operations of one pipeline. */
    readonly operations: number;
    /** Layers of one model, devices of one cluster, elements of one list. */
    readonly elements: number;
    /** Findings reported for one file. */
    readonly findings: number;
    /** Rows of one search over settings. */
    readonly searchRows: number;
  };
  readonly thresholds: {
    /** Slowest stage over the mean by more than this share is `stage/imbalance`. */
    readonly imbalance: number;
    /** Bubble over this share is a warning, below it an information. */
    readonly bubble: number;
    /** Less than this share of the device's memory left is `memory/headroom`. Absent: by the spread of published runs of its kind. */
    readonly headroom?: number;
    /** Exposed communication over this share of the iteration is `comm/exposed`. */
    readonly exposed: number;
    /** A link busy more than this share is `comm/bottleneck-link`. */
    readonly linkBusy: number;
  };
  readonly search: {
    /** How long a shorter order of a pipeline is searched once the figures are there; 0 for not at all. */
    readonly effort: number;
  };
  /** Bytes of what `reserved = framework` stands for. */
  readonly memory: FrameworkSettings;
  /** Name of the training engine of pipelines that name none; absent for no engine in particular. */
  readonly engine?: string;
}

const gibibyte = 2 ** 30;

export const defaultOptions: EngineOptions = {
  limits: { fileSize: 2_000_000, operations: 16_000_000, elements: 20_000, findings: 1_000, searchRows: 1_000_000 },
  thresholds: { imbalance: 0.1, bubble: 0.3, exposed: 0.05, linkBusy: 0.8 },
  search: { effort: 0 },
  memory: { context: 1.5 * gibibyte, communicator: 0.5 * gibibyte, reservedMost: 3 * gibibyte },
};
