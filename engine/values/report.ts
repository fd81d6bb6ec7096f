/** The report: the contract of `simulate --format json`. Fields are added, never renamed. Seconds, bytes, shares of 1. */
import type { AccuracyReport } from './accuracy.ts';
import type { ExchangeReport } from './exchangeReport.ts';
import type { FillReport } from './fillReport.ts';
import type { JobReport } from './jobReport.ts';
import type { MeasuredReport } from './measured.ts';
import type { SearchReport } from './searchReport.ts';
import type { CutPlan, PlacePlan } from './plan.ts';

export interface PipelineReport {
  /** Name of the pipeline. */
  readonly name: string;
  /** Its schedule, as in the file. */
  readonly schedule: string;
  /** What `plan(…)` decided; absent if the file says the stages or balances them. */
  readonly plan?: CutPlan;
  /** What `place = best` chose; absent where stages take the devices in the order of their numbers. */
  readonly place?: PlacePlan;
  /** It has no model: every stage takes F = I = W = 1 s, an activation is 1 byte, transfers are free, and memory has no limit. */
  readonly unit_times?: true;
  /** Of one iteration: one update of the weights. */
  readonly microbatches: number;
  /** Operations of one iteration. */
  readonly operations: number;
  /** Of an asynchronous schedule the period: the time from one update to the next. */
  readonly iteration: number;
  /** Samples per second: microbatches × samples per microbatch × data ranks / iteration. */
  readonly throughput: number;
  /** Absent if the model has no `sequence`. */
  readonly tokens?: TokensReport;
  /** Only if microbatches have different lengths, or are packed from documents. */
  readonly lengths?: LengthsReport;
  /** Absent where layers are measured. */
  readonly model_flops?: ModelFlopsReport;
  /** How far published runs of its kind are off. Absent where layers are measured, and for a schedule without a pipeline. */
  readonly accuracy?: AccuracyReport;
  /** Idle time, as shares of all devices over the iteration, and its causes. */
  readonly bubble: BubbleReport;
  /** Only for the policy `search`: how far the order is from the shortest. */
  readonly search?: SearchReport;
  /** One for each pipeline rank: the figures are of each of its devices. */
  readonly devices: readonly DeviceReport[];
  /** Hosts that say how much memory they have; absent if nothing is kept on any. */
  readonly hosts?: readonly HostMemoryReport[];
  /** One for each stage, in the order of the model. */
  readonly stages: readonly StageReport[];
  /** One for each pair of ranks and direction in which stages send. */
  readonly links: readonly LinkReport[];
  /** Work of another job on idle devices; absent where the pipeline has no `fill`. */
  readonly fill?: FillReport;
  /** Only if a rule orders the exchange of gradients. */
  readonly exchange?: ExchangeReport;
  /** Machines in addition to the devices, through which gradients go; absent for none. */
  readonly servers?: number;
  /** Only if the pipeline has `jitter`. */
  readonly jitter?: JitterReport;
  /** Only if the pipeline names a run of it that is known. */
  readonly measured?: MeasuredReport;
  /** Only on request (`simulate --sensitivity`). */
  readonly sensitivity?: SensitivityReport;
  /** One chain of operations that decides the iteration; at most 10,000 are named. */
  readonly critical_path: readonly string[];
  /** Operations of the whole chain. */
  readonly critical_path_length: number;
  /** Only for asynchronous schedules: iterations run back to back, and figures describe the steady state. */
  readonly asynchronous?: AsynchronousReport;
}

/** Seconds of the iteration over random times of operations. */
export interface JitterReport {
  /** Simulated iterations: 1,000, or fewer for a large pipeline. */
  readonly draws: number;
  /** Mean of the draws. */
  readonly mean: number;
  /** Half of the draws are shorter. */
  readonly p50: number;
  /** 95 of 100 draws are shorter. */
  readonly p95: number;
  /** 99 of 100 draws are shorter. */
  readonly p99: number;
  /** Shortest draw. */
  readonly least: number;
  /** Longest draw. */
  readonly most: number;
  /** Draws in intervals of equal length from `least` to `most`. Absent if all draws are equal. */
  readonly counts?: readonly number[];
}

/** One pipeline against another, draw by draw: an operation has the same random factor in the same draw of both. */
export interface PairedReport {
  /** Draws that both have. */
  readonly draws: number;
  /** Share of the draws in which the iteration is shorter. */
  readonly faster: number;
  /** Time that is saved in a draw, as a share of the other iteration: 5th, 50th and 95th percentile. Less than 0: it takes longer. */
  readonly gain: { readonly p5: number; readonly p50: number; readonly p95: number };
}

/** How the iteration answers to slower and faster stages, devices and links, while the order stays. */
export interface SensitivityReport {
  /** Share by which times are made longer and shorter: 0.1. */
  readonly change: number;
  /** One for each stage. */
  readonly stages: readonly SensitivityRow[];
  /** One for each device. */
  readonly devices: readonly SensitivityRow[];
  /** Pairs of devices, both directions. */
  readonly links: readonly SensitivityRow[];
  /** What different times of operations cost. */
  readonly slowdown: SlowdownReport;
}

/** Seconds by which the iteration gets longer if it is slower, and shorter if it is faster. */
export interface SensitivityRow {
  /** Name of the stage or device, or of the two devices of a link. */
  readonly name: string;
  /** Seconds by which the iteration gets longer. */
  readonly slower: number;
  /** Seconds by which the iteration gets shorter. */
  readonly faster: number;
  /**
   * Only of stages: seconds by which each microbatch may take longer, while the iteration gets longer by these seconds only once. An
   * asynchronous one gets no longer at all. Absent if the stage never holds up more, as with one microbatch, and for over 100,000 operations.
   */
  readonly slack?: number;
}

/** The slowdown S and its parts, each over an iteration in which operations of a kind take the same time everywhere. */
export interface SlowdownReport {
  /** Seconds of that iteration. */
  readonly ideal: number;
  /** S: the iteration over the ideal one. */
  readonly slowdown: number;
  /** S_t: only this kind takes its real times. */
  readonly kinds: readonly { readonly name: string; readonly slowdown: number }[];
  /** S_w: only this device takes its real times. */
  readonly devices: readonly { readonly name: string; readonly slowdown: number }[];
  /** M_S: share of the slowdown that goes if the last stage takes the mean of all. Absent if there is no slowdown. */
  readonly last_stage?: number;
}

/** Tokens per second over all data ranks, and of each of the pipeline's devices. Padding behind documents does not count. */
export interface TokensReport {
  /** Tokens of one iteration. */
  readonly per_iteration: number;
  /** Tokens per second. */
  readonly per_second: number;
  /** Tokens per second over the devices of the pipeline. */
  readonly per_second_per_gpu: number;
  /** Only if the pipeline sets `tokens`: all tokens of the training, and how long they take at this rate. */
  readonly total?: number;
  /** Days of the whole training. */
  readonly days?: number;
  /** Hours of all devices together. */
  readonly gpu_hours?: number;
}

/** Tokens of the samples of microbatches. */
export interface LengthsReport {
  /** Tokens of a sample. */
  readonly tokens: Spread;
  /** Tokens as a share of samples that are padded to the sequence. */
  readonly filled: number;
  /** Only of packed samples: their documents, and the share of the tokens that is in no document. */
  readonly documents?: Spread & { readonly count: number };
  /** Share of the tokens that is in no document. */
  readonly padding?: number;
  /** The microbatch that all stages take longest for, and its time over the mean. */
  readonly longest: { readonly microbatch: number; readonly tokens: number; readonly time: number };
}

export interface Spread {
  /** The least. */
  readonly min: number;
  /** The mean. */
  readonly mean: number;
  /** The most. */
  readonly max: number;
}

/** Forward and backward, without what is computed again: FLOP/s of one device on average, and its share of the peak (MFU). */
export interface ModelFlopsReport {
  /** FLOP/s of one device on average. */
  readonly rate: number;
  /** Share of the peak of the devices (MFU). */
  readonly utilisation: number;
}

export interface AsynchronousReport {
  /** Update rule: `stash`, `vertical_sync`, `double_buffer`, `predict`, `latest`. */
  readonly weights: string;
  /** Iterations simulated back to back. */
  readonly iterations: number;
  /**
   * Whether the updates repeat in time over the last half of them, so that more iterations would not change the pace. If not,
   * `iteration` is a mean.
   */
  readonly steady: boolean;
  /** Of all iterations, filling and draining included. */
  readonly makespan: number;
}

export interface BubbleReport {
  /** 1 − Σ busy / (devices · iteration). */
  readonly makespan: number;
  /** (longest device span − busy time of that device) / longest device span. */
  readonly span: number;
  /**
   * Least makespan bubble that any order could have for this cut, these costs and this memory (a proven lower bound). The memory is the
   * limit of a search, otherwise what the devices have. It does not apply where the order itself does not fit the devices.
   */
  readonly bound: number;
  /** Only if the bound is higher than without a limit of memory: which limit that is. */
  readonly bound_within?: BoundWithin | undefined;
  /**
   * Only for an order with whole backwards. `split`: the bound is for orders that may split backwards, too, and may be under all orders
   * that do not. `whole`: it is for orders that do not split them.
   */
  readonly bound_backward?: 'split' | 'whole' | undefined;
  /** They add up to `makespan`. */
  readonly causes: BubbleCauses;
}

/** A report without the causes of idle time, which take further runs of the simulation to find. */
export type ReportWithoutCauses = Omit<PipelineReport, 'bubble'> & { readonly bubble: Omit<BubbleReport, 'causes'> };

/** The memory of the devices, or the argument `limit` of the policy `search`. */
export type BoundWithin = 'memory' | 'limit';

export type BubbleCause = 'fill_drain' | 'imbalance' | 'lengths' | 'communication' | 'memory' | 'sync' | 'order';
/** `lengths` only if microbatches have different lengths. */
export type BubbleCauses = Readonly<Record<Exclude<BubbleCause, 'lengths'>, number>> & { readonly lengths?: number };
/** How causes are called where people read them. */
export const causeNames: Readonly<Record<BubbleCause, string>> = {
  fill_drain: 'fill and drain',
  imbalance: 'imbalance',
  lengths: 'different microbatches',
  communication: 'communication',
  memory: 'waiting for memory',
  sync: 'gradient sync and step',
  order: 'order',
};
export const bubbleCauses: readonly BubbleCause[] = [
  'fill_drain',
  'imbalance',
  'lengths',
  'communication',
  'memory',
  'sync',
  'order',
];

export interface DeviceReport {
  /** Name of the first device of the rank: `gpu[0]`. */
  readonly name: string;
  /** Its kind: the name of a `device`. */
  readonly kind: string;
  /** Names of its stages. */
  readonly stages: readonly string[];
  /** Seconds of its operations. */
  readonly busy: number;
  /** Seconds of the iteration without an operation. */
  readonly idle: number;
  /** Seconds from the start of its first operation to the end of the last. */
  readonly span: number;
  /**
   * Gradients, and weights that are updated in parts; `exposed` what follows the last operation, waiting for other copies included, and
   * what first forwards wait for weights.
   */
  readonly sync: TrafficReport;
  /** Most bytes that it holds. */
  readonly peak: number;
  /** Usable bytes: memory − reserved. */
  readonly capacity: number;
  /** Activations of stages, or of segments, that are held at most: what `in_flight_microbatches` says in microbatches. */
  readonly in_flight: number;
  /** The same in microbatches, with fractions: a chunk of two is a half. Absent where a microbatch passes one stage of the device. */
  readonly in_flight_microbatches?: number;
  /** End of the operation during which the peak is first reached; start of the update, if that is the peak. */
  readonly peak_at: number;
  /** Name of that operation, or `update`; empty where nothing runs. */
  readonly peak_operation: string;
  /** Bytes at the peak by kind; they add up to `peak` without `reserved`, which lies outside the capacity. */
  readonly memory: MemoryByKind;
  /** What is there at the peak, item by item; they add up to `peak`. */
  readonly memory_items: readonly MemoryItem[];
  /** Only if the device sends activations to its host. */
  readonly host?: HostReport;
  /** What `memory.reserved` is made of, where a framework holds it. */
  readonly reserved_parts?: { readonly context: number; readonly communicators: number };
  /** Of the context: workspaces of matrix libraries, which the framework's allocator counts in addition to `peak`. */
  readonly workspaces?: number;
}

/** Memory of the host that a device uses. */
export interface HostReport {
  /** Most bytes that the host keeps for the device at a time. */
  readonly peak: number;
  /** Of one iteration: bytes that the device sends to the host. */
  readonly bytes: number;
  /** Bytes that come back; absent if these are as many. */
  readonly back?: number;
  /** Seconds that the copies take in the direction that is busier. */
  readonly busy: number;
  /** Seconds of one iteration that the device waits for its host, with nothing else to do. */
  readonly exposed: number;
  /** Only if the host has a part of the optimizer. */
  readonly optimizer?: HostOptimizerReport;
}

/** The memory of a node: most bytes that its devices keep there, each at its peak, and bytes that it has. */
export interface HostMemoryReport {
  /** Name of the node. */
  readonly name: string;
  /** Most bytes that its devices keep there. */
  readonly peak: number;
  /** Bytes that it has. */
  readonly capacity: number;
}

/** The part of an optimizer that is on the host of a device, and what of the figures of its host is due to it. */
export interface HostOptimizerReport {
  /** Bytes of gradients and state that the host keeps. */
  readonly kept: number;
  /** Bytes of gradients that the device sends, and of weights that come back. */
  readonly sent: number;
  /** Bytes of weights that come back. */
  readonly returned: number;
  /** Seconds in which the host updates weights. */
  readonly update: number;
  /** Seconds from the end of the device's gradient exchange until its weights are back, without the device's part of the step. */
  readonly exposed: number;
}

/**
 * `activations_for_weight` is what a weight gradient needs once the input gradient has run, `recomputed` what a backward has
 * recomputed, `versions` the weights other than the newest. `gradient_copies` are there only while weights are updated. `operations` is what operations of the schedule hold and receive.
 */
export type MemoryItemKind =
  | 'weights'
  | 'gradients'
  | 'optimizer'
  | 'versions'
  | 'buffers'
  | 'activations'
  | 'activations_for_weight'
  | 'recomputed'
  | 'operations'
  | 'gradient_copies'
  | 'workspace';

export interface MemoryItem {
  /** What it is. */
  readonly kind: MemoryItemKind;
  /** Stage whose microbatches these are; absent for what all stages of the device hold together. */
  readonly stage?: string;
  /** Device of that stage, where this one keeps them for it. */
  readonly of?: string;
  /** Name of the operation of the schedule that holds or has sent it. */
  readonly operation?: string;
  /** Microbatches, or segments of them, that `bytes` is of. */
  readonly count?: number;
  /** Bytes at the peak. */
  readonly bytes: number;
}

/** Of one iteration: bytes that a device sends, seconds of it, and of these the ones that no computing hides. */
export interface TrafficReport {
  /** Bytes that the device sends. */
  readonly bytes: number;
  /** Seconds of the exchange. */
  readonly time: number;
  /** Seconds of it that no computing hides. */
  readonly exposed: number;
}

export interface MemoryByKind {
  /** Weights, without older versions. */
  readonly weights: number;
  /** Gradients. */
  readonly gradients: number;
  /** State of the optimizer. */
  readonly optimizer: number;
  /** Activations of the microbatches in flight. */
  readonly activations: number;
  /** Weights other than the newest. */
  readonly versions: number;
  /** Buffers for messages between stages. */
  readonly buffers: number;
  /** What operations hold while they run. */
  readonly workspace: number;
  /** Absent where operations of the schedule hold nothing. */
  readonly operations?: number;
  /** Only where the peak is the update of the weights, and it copies gradients. */
  readonly gradient_copies?: number;
  /** What the framework and other programs hold, outside the capacity. */
  readonly reserved: number;
}

export interface StageReport {
  /** Name of the stage. */
  readonly name: string;
  /** Names of its layers. */
  readonly layers: readonly string[];
  /** Parameters of its layers. */
  readonly parameters: number;
  /** Of these, the ones that train; absent where all do. */
  readonly trainable?: number;
  /** Seconds of the forward of one microbatch. */
  readonly forward: number;
  /** With recomputation, if that is not a separate operation. */
  readonly backward_input: number;
  /** Seconds of R, if recomputation is a separate operation. */
  readonly recompute?: number;
  /** Seconds of the weight gradient of one microbatch. */
  readonly backward_weight: number;
  /** What ranks that work on one microbatch together exchange; part of the times of operations. Absent where there is none. */
  readonly traffic?: Readonly<Partial<Record<'tensor' | 'context' | 'expert' | 'weights', TrafficReport>>>;
  /** Most versions of the weights held at a time, the newest among them. */
  readonly versions: number;
  /** Most updates between the weights that a forward reads and those that its gradient is applied to, over the last half of the iterations. */
  readonly staleness: number;
  /** Mean staleness over the last half of the iterations. Only for asynchronous schedules, as the next two fields. */
  readonly staleness_mean?: number;
  /** Mean number of backwards from a forward to its backward, in minibatches. */
  readonly delay?: number;
  /** Whether a backward uses other weights than its forward. */
  readonly inconsistent?: boolean;
  /** Only for schedules that predict weights: updates ahead in the forward and in the backward. */
  readonly prediction?: { readonly forward: number; readonly backward: number };
  /** What the policy adds by name, such as `learning_rate_scale`. */
  readonly figures?: Readonly<Record<string, number>>;
}

export interface LinkReport {
  /** Rank that sends, by its first device. */
  readonly from: string;
  /** Rank that receives, by its first device. */
  readonly to: string;
  /** Bytes of one iteration. */
  readonly bytes: number;
  /** Seconds in which it carries bytes. */
  readonly busy: number;
  /** Seconds that the receiving device waited for a transfer on this link with nothing else to do. */
  readonly exposed: number;
}

export interface Report {
  /** Version of this format. */
  readonly version: 1;
  /** Path of the file, as given. */
  readonly file: string;
  /** One for each pipeline that runs. */
  readonly pipelines: readonly PipelineReport[];
  /** One for each `job` that runs. */
  readonly jobs: readonly JobReport[];
  /** What is wrong or could be better, as the editor shows it. */
  readonly findings: readonly ReportFinding[];
}

export interface ReportFinding {
  /** Code of the finding: `schedule/bubble`. */
  readonly code: string;
  /** How severe it is. */
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  /** The message, as the editor shows it. */
  readonly message: string;
  /** Zero-based, UTF-16 characters, in `file` unless `uri` says otherwise. */
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  /** File of the finding, if it is another one. */
  readonly uri?: string;
}
