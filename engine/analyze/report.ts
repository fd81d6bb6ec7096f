/** The report: the contract of `simulate --format json`. Fields are added, never renamed. Seconds, bytes, shares of 1. */

export interface PipelineReport {
  readonly name: string;
  readonly schedule: string;
  readonly microbatches: number;
  readonly operations: number;
  readonly iteration: number;
  /** Samples a second: microbatches × samples of one × data ranks / iteration. */
  readonly throughput: number;
  readonly bubble: BubbleReport;
  readonly devices: readonly DeviceReport[];
  readonly stages: readonly StageReport[];
  readonly links: readonly LinkReport[];
  /** One chain of operations that decides the iteration; at most 10,000 are named. */
  readonly critical_path: readonly string[];
  /** Operations of the whole chain. */
  readonly critical_path_length: number;
}

export interface BubbleReport {
  /** 1 − Σ busy / (devices · iteration). */
  readonly makespan: number;
  /** (longest device span − busy time of that device) / longest device span. */
  readonly span: number;
  /** Least makespan bubble that any order could have for this cut, these costs and this memory (a proven lower bound). */
  readonly bound: number;
  /** They add up to `makespan`. */
  readonly causes: Readonly<Record<BubbleCause, number>>;
}

export type BubbleCause = 'fill_drain' | 'imbalance' | 'communication' | 'memory' | 'sync' | 'order';
/** How causes are called where people read them. */
export const causeNames: Readonly<Record<BubbleCause, string>> = {
  fill_drain: 'fill and drain',
  imbalance: 'imbalance',
  communication: 'communication',
  memory: 'waiting for memory',
  sync: 'gradient sync and step',
  order: 'order',
};
export const bubbleCauses: readonly BubbleCause[] = [
  'fill_drain',
  'imbalance',
  'communication',
  'memory',
  'sync',
  'order',
];

export interface DeviceReport {
  readonly name: string;
  readonly kind: string;
  readonly stages: readonly string[];
  readonly busy: number;
  readonly idle: number;
  readonly span: number;
  readonly peak: number;
  /** Usable bytes: memory − reserved. */
  readonly capacity: number;
  readonly in_flight: number;
  /** End of the operation during which the peak is first reached. */
  readonly peak_at: number;
  /** Name of that operation; empty where nothing runs. */
  readonly peak_operation: string;
  /** Bytes at the peak by kind; they add up to `peak` without `reserved`, which lies outside the capacity. */
  readonly memory: MemoryByKind;
}

export interface MemoryByKind {
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
  readonly activations: number;
  readonly versions: number;
  readonly buffers: number;
  readonly workspace: number;
  readonly reserved: number;
}

export interface StageReport {
  readonly name: string;
  readonly layers: readonly string[];
  readonly parameters: number;
  readonly forward: number;
  readonly backward_input: number;
  readonly backward_weight: number;
  readonly versions: number;
  readonly staleness: number;
}

export interface LinkReport {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly busy: number;
  /** Seconds that the receiving device waited for a transfer on this link with nothing else to do. */
  readonly exposed: number;
}

export interface Report {
  readonly version: 1;
  readonly file: string;
  readonly pipelines: readonly PipelineReport[];
  readonly findings: readonly ReportFinding[];
}

export interface ReportFinding {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  /** Zero-based, UTF-16 characters, in `file` unless `uri` says otherwise. */
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly uri?: string;
}
