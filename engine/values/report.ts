/** The report: the contract of `simulate --format json`. Fields are added, never renamed. Seconds, bytes, shares of 1. */
import type { AccuracyReport } from './accuracy.ts';
import type { MeasuredReport } from './measured.ts';
import type { SearchReport } from './searchReport.ts';
import type { CutPlan, PlacePlan } from './plan.ts';

export interface PipelineReport {
  readonly name: string;
  readonly schedule: string;
  /** What `plan(…)` decided; absent if the file says the stages or balances them. */
  readonly plan?: CutPlan;
  /** What `place = best` chose; absent where stages take the devices in the order of their numbers. */
  readonly place?: PlacePlan;
  /** It has no model: every stage takes F = I = W = 1 s, an activation is 1 byte, transfers are free, and memory has no limit. */
  readonly unit_times?: true;
  /** Of one iteration: one update of the weights. */
  readonly microbatches: number;
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
  readonly bubble: BubbleReport;
  /** Only for the policy `search`: how far the order is from the shortest. */
  readonly search?: SearchReport;
  readonly devices: readonly DeviceReport[];
  /** Hosts that say how much memory they have; absent if nothing is kept on any. */
  readonly hosts?: readonly HostMemoryReport[];
  readonly stages: readonly StageReport[];
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
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly least: number;
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
  readonly stages: readonly SensitivityRow[];
  readonly devices: readonly SensitivityRow[];
  /** Pairs of devices, both directions. */
  readonly links: readonly SensitivityRow[];
  readonly slowdown: SlowdownReport;
}

/** Seconds by which the iteration gets longer if it is slower, and shorter if it is faster. */
export interface SensitivityRow {
  readonly name: string;
  readonly slower: number;
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
  readonly per_iteration: number;
  readonly per_second: number;
  readonly per_second_per_gpu: number;
  /** Only if the pipeline sets `tokens`: all tokens of the training, and how long they take at this rate. */
  readonly total?: number;
  readonly days?: number;
  readonly gpu_hours?: number;
}

/** Tokens of the samples of microbatches. */
export interface LengthsReport {
  readonly tokens: Spread;
  /** Tokens as a share of samples that are padded to the sequence. */
  readonly filled: number;
  /** Only of packed samples: their documents, and the share of the tokens that is in no document. */
  readonly documents?: Spread & { readonly count: number };
  readonly padding?: number;
  /** The microbatch that all stages take longest for, and its time over the mean. */
  readonly longest: { readonly microbatch: number; readonly tokens: number; readonly time: number };
}

export interface Spread {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** How gradients are exchanged under a rule. Times are in seconds from the start of the first last backward. */
export interface ExchangeReport {
  /** As in the file: `bytescheduler`. */
  readonly rule: string;
  readonly order: string;
  readonly barrier: boolean;
  /** From the end of an iteration to the end of the next. */
  readonly period: number;
  /** Whether periods repeat. If not, `period` is the last of 16. */
  readonly steady: boolean;
  /** A period that no order of tensors and no pieces of these buckets can be under, while devices keep their order of operations. `gap`: (period − bound) / bound. */
  readonly bound: number;
  readonly gap: number;
  /** What `best` stands for, bytes. */
  readonly partition?: number;
  readonly credit?: number;
  readonly lanes: readonly LaneReport[];
  /** From the front layer to the last; at most 10,000. */
  readonly tensors: readonly TensorReport[];
  /** Why the device that waits longest for gradients does so, seconds. */
  readonly exposed: ExposedReport;
}

/** What a group of ranks does one at a time; servers have pushes and pulls. */
export interface LaneReport {
  readonly name: string;
  readonly stages: readonly string[];
  /** Names of collectives. */
  readonly collectives: readonly string[];
  readonly bytes: number;
  readonly buckets: number;
  /** Seconds in which the lane is not idle, number of calls, and seconds of these that do not depend on bytes. */
  readonly busy: number;
  readonly calls: number;
  readonly overhead: number;
}

export interface TensorReport {
  readonly layer: string;
  readonly stage: string;
  readonly bytes: number;
  /** Name of its collective. */
  readonly by: string;
  /** When its gradients are ready, when the first bytes of its bucket are sent, and when layers may use it. */
  readonly ready: number;
  readonly sent: number;
  readonly arrived: number;
  /** When the next iteration comes to its layer, and how long before that the tensor has arrived: negative for a wait. */
  readonly needed: number;
  readonly slack: number;
  /** Pieces of its bucket. */
  readonly pieces: number;
}

export interface ExposedReport {
  readonly device: string;
  readonly total: number;
  /** The layer's bytes are sent. */
  readonly own: number;
  /** Bytes of other buckets are sent. */
  readonly blocked: number;
  /** Calls and latencies. */
  readonly overhead: number;
  /** Pieces wait for credit. */
  readonly credit: number;
  /** Other bytes of the layer's bucket are not ready, or are sent. */
  readonly fused: number;
  /** The layer is there, but other tensors are not. */
  readonly barrier: number;
  /** Servers have not been sent everything yet. */
  readonly server: number;
  /** Other stages send through the same links; absent if nobody waits for that. */
  readonly shared?: number;
}

/** Forward and backward, without what is computed again: FLOP/s of one device on average, and its share of the peak (MFU). */
export interface ModelFlopsReport {
  readonly rate: number;
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

/** The memory of the devices, or the argument `limit` of `search`. */
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
  readonly name: string;
  readonly kind: string;
  readonly stages: readonly string[];
  readonly busy: number;
  readonly idle: number;
  readonly span: number;
  /**
   * Gradients, and weights that are updated in parts; `exposed` what follows the last operation, waiting for other copies included, and
   * what first forwards wait for weights.
   */
  readonly sync: TrafficReport;
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
  readonly name: string;
  readonly peak: number;
  readonly capacity: number;
}

/** The part of an optimizer that is on the host of a device, and what of the figures of its host is due to it. */
export interface HostOptimizerReport {
  /** Bytes of gradients and state that the host keeps. */
  readonly kept: number;
  /** Bytes of gradients that the device sends, and of weights that come back. */
  readonly sent: number;
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
  readonly kind: MemoryItemKind;
  /** Stage whose microbatches these are; absent for what all stages of the device hold together. */
  readonly stage?: string;
  /** Device of that stage, where this one keeps them for it. */
  readonly of?: string;
  /** Name of the operation of the schedule that holds or has sent it. */
  readonly operation?: string;
  /** Microbatches, or segments of them, that `bytes` is of. */
  readonly count?: number;
  readonly bytes: number;
}

/** Of one iteration: bytes that a device sends, seconds of it, and of these the ones that no computing hides. */
export interface TrafficReport {
  readonly bytes: number;
  readonly time: number;
  readonly exposed: number;
}

export interface MemoryByKind {
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
  readonly activations: number;
  readonly versions: number;
  readonly buffers: number;
  readonly workspace: number;
  /** Absent where operations of the schedule hold nothing. */
  readonly operations?: number;
  /** Only where the peak is the update of the weights, and it copies gradients. */
  readonly gradient_copies?: number;
  readonly reserved: number;
}

export interface StageReport {
  readonly name: string;
  readonly layers: readonly string[];
  readonly parameters: number;
  /** Of these, the ones that train; absent where all do. */
  readonly trainable?: number;
  readonly forward: number;
  /** With recomputation, if that is not a separate operation. */
  readonly backward_input: number;
  /** Seconds of R, if recomputation is a separate operation. */
  readonly recompute?: number;
  readonly backward_weight: number;
  /** What ranks that work on one microbatch together exchange; part of the times of operations. Absent where there is none. */
  readonly traffic?: Readonly<Partial<Record<'tensor' | 'context' | 'expert' | 'weights', TrafficReport>>>;
  /** Most versions of the weights held at a time, the newest among them. */
  readonly versions: number;
  /** Most updates between the weights that a forward reads and those that its gradient is applied to, over the last half of the iterations. */
  readonly staleness: number;
  /** Only for asynchronous schedules, over the last half of the iterations: mean staleness, */
  readonly staleness_mean?: number;
  /** the mean of the backwards from a forward to its own backward, in minibatches, */
  readonly delay?: number;
  /** and whether a backward uses other weights than its forward. */
  readonly inconsistent?: boolean;
  /** Only for schedules that predict weights: updates ahead in the forward and in the backward. */
  readonly prediction?: { readonly forward: number; readonly backward: number };
  /** What the policy adds by name, such as `learning_rate_scale`. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** A fill job during one iteration (for asynchronous schedules: during all iterations, which run back to back). */
export interface FillReport {
  /** Model whose layers are the tasks. */
  readonly job: string;
  readonly work: 'inference' | 'training';
  /** Seconds of each change between pipeline and job. */
  readonly overhead: number;
  /** Tasks done on all devices; `passes` through the whole model. */
  readonly tasks: number;
  readonly passes: number;
  /** Seconds of these tasks, all devices together. */
  readonly time: number;
  /** `time` as a share of the time that devices idle. */
  readonly recovered: number;
  /** Share by which the iteration gets longer: 0 by construction, for tasks and changes end within the idle intervals. */
  readonly slowdown: number;
  readonly devices: readonly FillDeviceReport[];
}

export interface FillDeviceReport {
  readonly name: string;
  /** Seconds without an operation, gradient exchange and optimizer step included (nothing is placed in those two). */
  readonly idle: number;
  /** Idle intervals, those that hold tasks, and the longest one, seconds. */
  readonly intervals: number;
  readonly used: number;
  readonly longest: number;
  readonly tasks: number;
  readonly passes: number;
  readonly time: number;
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
  readonly seconds: number;
  /** Bytes that the pipeline leaves free all the while. */
  readonly free: number;
  /** Tasks in it and their seconds. */
  readonly tasks: number;
  readonly time: number;
}

export interface LinkReport {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly busy: number;
  /** Seconds that the receiving device waited for a transfer on this link with nothing else to do. */
  readonly exposed: number;
}

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
  readonly period_alone: number;
  readonly minibatches_per_second: number;
  /** Seconds in which a minibatch could enter but had to wait for other workers or for servers; and their share of the time. */
  readonly waiting: number;
  readonly waiting_share: number;
  /** Share of the time that its devices do not compute: less than waiting where minibatches in flight go on. */
  readonly idle: number;
  /** Bytes of one push, and of one pull. */
  readonly pushed: number;
  readonly pulled: number;
  /** Waves by which it leads the slowest worker at the end. */
  readonly lead: number;
}

export interface Report {
  readonly version: 1;
  readonly file: string;
  readonly pipelines: readonly PipelineReport[];
  /** One for each `job` that runs. */
  readonly jobs: readonly JobReport[];
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
