/**
 * The plan: what a `.pipe` file says, with every name resolved and every number computed. Plain data that survives JSON and
 * structured cloning. Times are in seconds, sizes in bytes, rates in bytes or FLOPs per second, shares of 1.
 *
 * A plan holds no source ranges. Each thing in it has a *path* (`train/stage:2`), and `Origins` maps paths to places in the text.
 * So white space and comments change origins and leave the plan equal, and nothing is simulated again.
 */

import type { CrowdedLinkPlan, ExchangePlan, LinkSharing, SharedLinkPlan } from './exchangePlan.ts';
import type { RunKind } from './accuracy.ts';
import type { MeasuredPlan } from './measured.ts';
import type { Dimension, Packed, SchedulePlan } from './orderPlan.ts';
import type { StepPlan } from './stepPlan.ts';

export * from './orderPlan.ts';
export * from './stepPlan.ts';

export interface Plan {
  /** Uri of the file. */
  readonly file: string;
  readonly params: readonly ParamPlan[];
  readonly pipelines: readonly PipelinePlan[];
  /** Pipelines that train one model together. */
  readonly jobs: readonly JobPlan[];
}

/** A number that you can change without editing the file. Path `param:NAME`. */
export interface ParamPlan {
  readonly name: string;
  readonly value: number;
  /** As written after `=`; differs from `value` only under `--set` or a slider. */
  readonly default: number;
  readonly dimension: Dimension;
  /** For showing: values are stored in base units, one `unit` is `scale` of them. `''` and 1 for plain numbers. */
  readonly unit: string;
  readonly scale: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly doc?: string;
  /** Its number is in the file itself, in a `param` or behind `with`: a slider's value can be written back. */
  readonly local: boolean;
  /** Only of an argument of a pipeline's schedule. Its name is `PIPELINE.PARAMETER`. */
  readonly argument?: {
    readonly pipeline: string;
    readonly schedule: string;
    /** Number or word of this parameter. */
    readonly parameter: string;
    /** A number of the shape on which a schedule is shown without a pipeline: no text has it. */
    readonly shape?: true;
  };
  /** The value is the number of one of these words. */
  readonly words?: readonly string[];
}

/** Tensor-, context-, data- and expert-parallel ranks of a pipeline rank (expert ranks are among the others); 1 where the file says nothing. */
export interface MeshPlan {
  readonly tensor: number;
  readonly context: number;
  readonly data: number;
  readonly expert: number;
}

/** What the optimizer would keep that training at this precision usually has. */
export interface UnnamedOptimizer {
  readonly name: string;
  /** Bytes of a parameter: of weights and gradients alone, and with this optimizer. */
  readonly without: number;
  readonly with: number;
  /** By stage: bytes on one device in addition to weights and gradients, always, and only during the update. */
  readonly state: readonly number[];
  readonly copied: readonly number[];
}

/** Path NAME. The mesh is for all devices without a separate mesh. */
export interface PipelinePlan extends MeshPlan {
  readonly name: string;
  readonly doc?: string;
  readonly model: string;
  /** It has no model: every stage takes F = I = W = 1 s, an activation is 1 byte, and transfers are free. */
  readonly unitTimes?: true;
  /** Microbatches of one iteration: one update of the weights. */
  readonly microbatches: number;
  /** Consecutive iterations that are simulated; 1 for a synchronous schedule. */
  readonly iterations: number;
  readonly schedule: SchedulePlan;
  /** How devices exchange results; absent if a transfer runs in parallel with the work of both devices. */
  readonly transfer?: TransferRule;
  /** Pipeline ranks in order. Path `NAME/device:I`. */
  readonly devices: readonly DevicePlan[];
  /** Hosts with a limit of memory that have devices of the pipeline; absent if there are none. */
  readonly hosts?: readonly HostPlan[];
  /** Virtual stages in order: devices × chunks of them. Each copy or part of a stage is a separate stage. Path `NAME/stage:I`. */
  readonly stages: readonly StagePlan[];
  /** Device of each stage. */
  readonly placement: readonly number[];
  /** Data that a stage needs from earlier ones: one entry for each pair of stages that share a tensor. */
  readonly edges: readonly EdgePlan[];
  /** One for each ordered pair of devices that an edge needs, in either direction. Path `NAME/route:FROM-TO`. */
  readonly routes: readonly RoutePlan[];
  /** Samples of one microbatch, for throughput; 1 unless the model says. */
  readonly microBatchSize: number;
  /** Tokens of one sample without padding, and of the whole training if the file says; absent for a model without a sequence. */
  readonly tokens?: { readonly perSample: number; readonly total?: number };
  /** A device without `efficiency`, on which derived layers take the time of its full rate; only if there is one. */
  readonly fullRate?: string;
  /** Which published runs it is like; absent if a layer is measured. */
  readonly runKind?: RunKind;
  /** Kinds of ranks some groups of which are in several nodes; absent for none. */
  readonly spans?: Readonly<Partial<Record<'tensor' | 'context' | 'expert', GroupSpan>>>;
  /** Only if the file names no optimizer and states the weights of measured layers. */
  readonly unnamedOptimizer?: UnnamedOptimizer;
  /** Only if microbatches differ: the figures of stages and edges are then means over them, and the largest of workspaces and buffers. */
  readonly lengths?: LengthsPlan;
  /** By device: gradients reduced over the ranks that hold the same weights, then the optimizer step. */
  readonly step: readonly StepPlan[];
  /** What a rule orders of the gradients' exchange; that is in no step. Absent for `end` and for an `overlap` in plain buckets. */
  readonly exchange?: ExchangePlan;
  /** Links that exchanges of different stages share while they run. */
  readonly linkSharing?: LinkSharing;
  /** Links through which stages exchange gradients, where the simulation does not share them. */
  readonly sharedLinks?: readonly SharedLinkPlan[];
  /**
   * Links through which several ranks of the pipeline send in an iteration, or one rank several kinds of traffic, with the least bytes of
   * all that they exchange. Operations share them.
   */
  readonly crowdedLinks?: readonly CrowdedLinkPlan[];
  /** Machines in addition to the devices, through which gradients go; absent for none. */
  readonly servers?: number;
  /** Seconds that each message keeps the devices at its ends busy, which are in the times of their stages. Absent for none. */
  readonly messageOverhead?: number;
  /** By stage: standard deviation of the time of each operation, as a share of it. Absent where times are certain. */
  readonly jitter?: readonly number[];
  /** By device: factor on the times of its operations, which neither the cut nor the order knows. Absent where all are 1. */
  readonly slow?: readonly number[];
  /** Other work that devices do where they idle. */
  readonly fill?: FillPlan;
  /** Runs of the pipeline that were recorded. They change no other figure. */
  readonly measured?: MeasuredPlan;
  /** Figures that must hold. Path `expect:NAME/I`. */
  readonly expects: readonly ExpectPlan[];
  /** What a planner decided; absent if the file says the stages or balances them. */
  readonly cut?: CutPlan;
  /** What `place = best` chose; absent where stages take the devices in the order of their numbers. */
  readonly place?: PlacePlan;
  /** Absent of a plan that no file describes. */
  readonly engines?: EnginesPlan;
}

/** Ranks of a group, and the nodes in which they are. */
export interface GroupSpan {
  readonly ranks: number;
  readonly nodes: number;
}

/** Training engines, by name, and a plan without its order of operations. */
export interface EnginesPlan {
  /** The one that the file or a setting names. */
  readonly chosen?: string;
  /** Common ones that run all of the plan but the order, which is another question. */
  readonly able: readonly string[];
}

/** Microbatches of different lengths. */
export interface LengthsPlan {
  /** Tokens of a sample, and the documents that it is packed from, by microbatch of an iteration. */
  readonly tokens: readonly number[];
  readonly documents?: readonly (readonly number[])[];
  /** Most tokens that a sample may have: the `sequence` of the model. */
  readonly sequence: number;
  /** By microbatch: index of its kind. Microbatches of one kind have equal lengths. */
  readonly kindOf: readonly number[];
  /** What each kind takes, by stage and by edge of the plan. */
  readonly kinds: readonly {
    readonly stages: readonly LengthStage[];
    readonly edges: readonly Pick<EdgePlan, 'bytes' | 'back'>[];
  }[];
}

/** The figures of a stage that go by the length of a microbatch. */
export type LengthStage = Pick<
  StagePlan,
  | 'forward'
  | 'backwardInput'
  | 'backwardWeight'
  | 'recompute'
  | 'forwardFlops'
  | 'spareFlops'
  | 'backwardFlops'
  | 'activation'
  | 'activationForWeight'
  | 'recomputed'
  | 'recomputedWhole'
  | 'workspace'
>;

/** A placement of pipeline ranks on devices, compared with the placement by number. */
export interface PlacePlan extends PlacementFigures {
  /** First device of each pipeline rank, in order. */
  readonly devices: readonly string[];
  /** Devices of each pipeline rank as the file would name them. */
  readonly on: readonly string[];
  /** Absent if some stages cannot reach each other by number. */
  readonly by_number?: PlacementFigures;
  /** Whether no placement has a smaller `worst`, or an equal one and a smaller `sum`, than the first that was simulated. */
  readonly exact: boolean;
  /** Placements that were simulated, the one by number included. */
  readonly simulated: number;
}

/** Seconds. A hop is the transfer of one microbatch's message between two pipeline ranks. */
export interface PlacementFigures {
  readonly worst: number;
  readonly sum: number;
  readonly iteration: number;
}

/** What `plan(…)` made of a model and a cluster. */
export interface CutPlan {
  readonly planner: 'pipedream' | 'dapple' | 'alpa' | 'hetpipe';
  /** Formula that `plan(pipedream)` minimises. */
  readonly objective?: 'paper' | 'released';
  /** How `plan(hetpipe)` divides the cluster into virtual workers, and the number of this one. */
  readonly allocation?: 'node' | 'equal' | 'hybrid';
  readonly worker?: number;
  /** Seconds by the planner's formula: of the slowest stage in one update (PipeDream, HetPipe) or of an iteration (DAPPLE, Alpa). */
  readonly value: number;
  /** Seconds that no plan is below; equal to `value` if the plan is exact. */
  readonly least: number;
  readonly exact: boolean;
  /** Levels of links that the formula knows, innermost first: parts that are linked, and bytes per second between two of them. */
  readonly levels: readonly { readonly machines: number; readonly bandwidth?: number }[];
  readonly stages: readonly PlannedStagePlan[];
}

export interface PlannedStagePlan {
  readonly name: string;
  readonly layers: readonly string[];
  readonly replicas: number;
  /** Ranks of the stage, if the planner chooses them. */
  readonly tensor?: number;
  readonly data?: number;
  readonly devices: readonly string[];
}

/**
 * `rendezvous`: a send and its receive block both devices until the transfer is over. `batched`: which exchanges between two
 * operations are issued together: none, those to and from one device, or all.
 */
export interface TransferRule {
  readonly kind: 'rendezvous';
  readonly batched: 'none' | 'peer' | 'all';
}

export interface DevicePlan {
  /** As the file calls it: `gpu[0]`, or `node[1].gpu[0]`. */
  readonly name: string;
  /** Name of the `device` declaration. */
  readonly kind: string;
  /** Devices of the pipeline rank, of which this is the first; 1 where absent. */
  readonly members?: number;
  /** Only if its stages have another mesh than the pipeline. Members beyond the mesh are replicas that share the work. */
  readonly mesh?: MeshPlan;
  /** Peak at the model's precision, FLOP/s; absent where layers are measured, so that nobody knows their FLOPs. */
  readonly compute?: number;
  /** Bytes of the device, and those that something else holds (framework, other programs). Capacity is the difference. */
  readonly memory: number;
  readonly reserved: number;
  /** Link to the memory of the host, in each direction; absent where the file has none. */
  readonly host?: HostLinkPlan;
  /** Hosts that have the devices of the rank, as numbers of the plan's `hosts`, and how many of its devices each has. Absent if none says its memory. */
  readonly on?: readonly { readonly host: number; readonly devices: number }[];
  /** Of `reserved`, where it is what a framework holds: it adds up to that. */
  readonly reservedParts?: { readonly context: number; readonly communicators: number };
  /** Of the context: workspaces of matrix libraries, which are in the framework’s allocator. */
  readonly workspaces?: number;
}

/** A host, by the name of its node or cluster, and the bytes that it has. */
export interface HostPlan {
  readonly name: string;
  readonly memory: number;
}

/** `half`: both directions are one resource. */
export interface HostLinkPlan {
  readonly bandwidth: number;
  readonly latency: number;
  readonly half?: true;
}

/** What a stage is a copy or a part of. Copies hold the same layers on different devices, each for some of the microbatches. */
export interface StageCopy {
  /** Number of the stage in the cut. */
  readonly stage: number;
  /** It runs microbatches j with j mod `every` = `first`. With `turns`, which ascend from `first`, j mod `every` is one of them. */
  readonly every: number;
  readonly first: number;
  readonly turns?: Packed;
  /** Segment of the sequence that it computes, of `segments`; it shares device and weights with the others. */
  readonly segment?: number;
  readonly segments?: number;
  /** Shares of 1 that the segment has of the sequence (activations, bytes sent) and of the stage's times; equal ones where absent. */
  readonly share?: number;
  readonly time?: number;
  /** It runs forwards only, and no other stage waits for it. */
  readonly spare?: true;
  /** It runs forwards only. Other stages wait for its forwards; it is not updated. */
  readonly forwardOnly?: true;
  /** Its weights, gradients and optimizer state are at home on another device. */
  readonly away?: true;
}

export interface StagePlan {
  readonly name: string;
  /** Absent where the stage is on one device and runs every microbatch. */
  readonly copy?: StageCopy;
  /** Names as shown: `embed`, `block[3]`. Path of each: `layer:MODEL/NAME`. */
  readonly layers: readonly string[];
  readonly parameters: number;
  /** Floating-point operations of one forward of one microbatch on one device; 0 where the layers are measured. */
  readonly forwardFlops: number;
  /** Of these, what the model itself does not ask for: repeated on tensor ranks, or for tokens beyond an even spread over experts. */
  readonly spareFlops?: number;
  /** Parameters that train; absent: all. */
  readonly trainable?: number;
  /** Floating-point operations that the model asks for in one backward; absent: twice the forward's. */
  readonly backwardFlops?: number;
  /** Seconds for one microbatch. Recomputation is in `recompute`, and happens before B or I. */
  readonly forward: number;
  readonly backwardInput: number;
  readonly backwardWeight: number;
  readonly recompute: number;
  /** False where the split of the backward is assumed (halves), not measured or derived. */
  readonly splitKnown: boolean;
  /** Static bytes. */
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
  /** Bytes of copies of gradients that are there only while weights are updated, after the last operation; absent if there are none. */
  readonly gradientCopies?: number;
  /** Bytes kept of one microbatch from the start of F to the end of the backward (what recomputation leaves, where there is any). */
  readonly activation: number;
  /** What W still needs once I has run (may be more than `activation` where I recomputes): with a split backward this stays until W ends. */
  readonly activationForWeight: number;
  /** Activations of layers that the forward copies to the host and the backward copies back. */
  readonly offloaded?: OffloadedPlan;
  /** Of what a forward leaves by part of the layers (`attention`, `scores`, …), where that is known: bytes of one microbatch. */
  readonly activationParts?: Readonly<Record<string, number>>;
  /** Bytes held only while the backward runs: activations that recomputation makes again. */
  readonly recomputed: number;
  /**
   * Bytes of all that recomputation makes, every layer's at once. They are held from the start of a separate R to the end of the
   * backward. `recomputed` if absent.
   */
  readonly recomputedWhole?: number;
  /** Bytes held only while any operation of the stage runs. */
  readonly workspace: number;
  /** Bytes of send and receive buffers. */
  readonly buffers: number;
  readonly recomputeMode:
    | 'none'
    | 'selective'
    | 'full'
    | 'stage'
    | 'operations'
    | `modules(${string})`
    | `full(${string})`
    | `budget(${string})`;
  /** What ranks that work on one microbatch together exchange for it; seconds are part of those above. Absent where there is none. */
  readonly traffic?: Readonly<Partial<Record<TrafficName, TrafficPlan>>>;
}

/** For one microbatch: layers whose activations the host keeps from the forward to the backward, and their bytes. */
export interface OffloadedPlan {
  readonly layers: number;
  readonly bytes: number;
  /** Of these bytes, those that are on the device from the end of an input gradient to the end of its weight gradient. */
  readonly forWeight: number;
  /** Seconds of the copies in one direction. */
  readonly busy: number;
  /** Seconds by which copies make the forward and the backward longer; how much longer they make an input gradient than that. */
  readonly exposed: number;
  readonly split: number;
}

/** `weights`: gathers of weights and scatters of gradients that data ranks hold in parts. */
export type TrafficName = 'tensor' | 'context' | 'expert' | 'weights';

/** For one microbatch: bytes that a device sends, seconds that they take, and of these the ones that no computing hides. */
export interface TrafficPlan {
  readonly bytes: number;
  /** Bytes of the forward, which are part of these; absent: none. */
  readonly forward?: number;
  readonly time: number;
  readonly exposed: number;
}

/**
 * F of `to` needs F of `from`; the backward of `from` needs the backward of `to`. Bytes of one microbatch, in each direction: the
 * bytes of one tensor and context rank of the sender, summed over the data ranks of one pipeline replica.
 */
export interface EdgePlan {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** Of the gradient that comes back, where a rank of `to` has other parts than one of `from`; `bytes` where absent. */
  readonly back?: number;
  /** Only where `to` is a spare copy, or neither `from` nor a stage before it trains: nothing comes back, and `from` waits for nothing. */
  readonly forwardOnly?: true;
}

/** A transfer is delayed by `latency` and occupies `channel` for bytes / bandwidth. Routes with one channel queue for it. */
export interface RoutePlan {
  readonly from: number;
  readonly to: number;
  /** For a route over several hops: the least bandwidth and the sum of latencies. */
  readonly bandwidth: number;
  readonly latency: number;
  /** For a route over several hops: the channel of the slowest hop. */
  readonly channel: number;
  /** Only if the route has several hops, in order. Transfers that meet on a hop share its bandwidth. */
  readonly hops?: readonly HopPlan[];
  /**
   * How the message gets to the devices of the receiver, where these have other parts than the sender's. Bandwidth and hops are then what
   * the whole exchange comes to, for bytes as the edge counts them.
   */
  readonly reshard?: Resharding;
}

/** `bandwidth` is what the route may send over the hop where it has it for itself. */
export interface HopPlan {
  readonly channel: number;
  readonly bandwidth: number;
  readonly latency: number;
}

/** A job whose tasks run where the pipeline's devices idle, in order and over again. Each device runs a separate job. */
export interface FillPlan {
  /** Whose layers are the tasks. */
  readonly model: string;
  readonly work: 'inference' | 'training';
  /** Seconds of each change between the pipeline and the job: one before and one after the tasks of an idle interval. */
  readonly overhead: number;
  /** One for each layer, in order, by kind of device. */
  readonly tasks: Readonly<Record<string, readonly FillTask[]>>;
}

/** Seconds of a layer's task, and bytes that it holds while it runs. */
export interface FillTask {
  readonly layer: string;
  readonly seconds: number;
  readonly bytes: number;
}

export interface ExpectPlan {
  readonly figure: ExpectFigure;
  /** Restrict the figure to one stage (its number in the cut: all its copies count, by the worst) or device. */
  readonly stage?: number;
  readonly device?: number;
  readonly operator: '<' | '<=' | '>' | '>=' | '==' | '!=';
  readonly bound: number;
  readonly dimension: Dimension;
  /** For messages: `bubble < 30%`, also where the file says `30% > bubble`. */
  readonly text: string;
  /** Path of the condition in `Origins`: `expect:NAME/I`. */
  readonly path: string;
}

export type ExpectFigure =
  | 'bubble'
  | 'span_bubble'
  | 'gap'
  | 'iteration_bound'
  | 'peak_memory'
  | 'iteration'
  | 'drift'
  | 'p50'
  | 'p95'
  | 'p99'
  | 'throughput'
  | 'staleness'
  | 'versions'
  | 'in_flight'
  | 'exposed_communication'
  | 'mfu'
  | 'tokens_per_second'
  | 'tokens_per_second_per_gpu'
  | 'days'
  | 'gpu_hours';

/** Pipelines that train one model together through parameter servers. Path `job:NAME`. */
export interface JobPlan {
  readonly name: string;
  readonly doc?: string;
  /** Names of its pipelines. Path `job:NAME/worker:I`. */
  readonly workers: readonly string[];
  /**
   * Wave Synchronous Parallel: a worker may lead the slowest by `distance` clocks. `free`: no worker waits for another. Path
   * `job:NAME/key:sync`.
   */
  readonly sync: { readonly kind: 'wsp'; readonly distance: number } | { readonly kind: 'free' };
  readonly servers: number;
  /** Of each server; absent where exchanges with servers take no time. `half`: both directions are one resource. */
  readonly link?: { readonly bandwidth: number; readonly latency: number; readonly duplex: 'full' | 'half' };
  /** Waves of the slowest worker that are simulated. */
  readonly waves: number;
}

/** The places in text of the things of a plan. Several paths may share a place. */
export interface Place {
  readonly uri: string;
  readonly start: number;
  readonly end: number;
}
export type Origins = ReadonlyMap<string, Place>;
export type Places = Pick<Origins, 'get'>;

/** The one spelling of paths. */
export const paths = {
  param: (name: string) => `param:${name}`,
  layer: (model: string, layer: string) => `layer:${model}/${layer}`,
  /** A `device` declaration, and its `memory` value. */
  deviceKind: (kind: string) => `device:${kind}`,
  deviceMemory: (kind: string) => `device:${kind}/memory`,
  pipeline: (name: string) => name,
  /** The value of a key of the pipeline block: `schedule`, `microbatches`, `stages`, `devices`, … */
  key: (pipeline: string, key: string) => `${pipeline}/key:${key}`,
  device: (pipeline: string, index: number) => `${pipeline}/device:${index}`,
  stage: (pipeline: string, index: number) => `${pipeline}/stage:${index}`,
  route: (pipeline: string, from: number, to: number) => `${pipeline}/route:${from}-${to}`,
  row: (pipeline: string, device: number) => `${pipeline}/row:${device}`,
  rowItem: (pipeline: string, device: number, item: number) => `${pipeline}/row:${device}/item:${item}`,
  /** `kind` is a number of `program.ts`, `stage` a stage of the plan. */
  operation: (pipeline: string, device: number, item: number, kind: number, stage: number, microbatch: number) =>
    `${pipeline}/row:${device}/item:${item}/operation:${kind}.${stage}.${microbatch}`,
  guard: (pipeline: string, written: number) => `${pipeline}/guard:${written}`,
  expect: (pipeline: string, index: number) => `expect:${pipeline}/${index}`,
  job: (name: string) => `job:${name}`,
  jobWorker: (name: string, index: number) => `job:${name}/worker:${index}`,
  jobKey: (name: string, key: string) => `job:${name}/key:${key}`,
} as const;

/** Whether a path is of a param, a layer or a device, which pipelines share. */
export const isShared = (path: string): boolean => /^(?:param|layer|device):/.test(path);

/**
 * Methods to bring a message from one set of devices to another that has it in other parts. Zhuang et al., "On Optimizing the
 * Communication of Model Parallelism" (MLSys 2023, arXiv:2211.05322), section 3.1, compare the first three. `scatter_gather`
 * comes from Narayanan et al. (SC '21, arXiv:2104.04473), section 4.1.
 */
export type Resharding =
  /** Each receiver gets all that it needs from devices that have it. */
  | { readonly strategy: 'send_recv' }
  /** Receivers of the same part in one node, or all in the cluster, get a share each and gather the rest among them. */
  | { readonly strategy: 'all_gather'; readonly scope: 'node' | 'cluster' }
  /** Each part goes through all of its receivers in a chain, in chunks. */
  | { readonly strategy: 'broadcast'; readonly chunks?: number }
  /** As an all-gather over all receivers of a part; between equal meshes too. */
  | { readonly strategy: 'scatter_gather' };
