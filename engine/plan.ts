/**
 * The plan: what a `.pipe` file says, with every name resolved and every number computed. Plain data that survives JSON and
 * structured cloning. Times are in seconds, sizes in bytes, rates in bytes or FLOPs per second, shares of 1.
 *
 * A plan holds no source ranges. Each thing in it has a *path* (`train/stage:2`), and `Origins` maps paths to places in the text.
 * So white space and comments change origins and leave the plan equal, and nothing is simulated again.
 */

import type { ExchangePlan } from './exchangePlan.ts';

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
  /** Declared in the file itself, not imported: a slider's value can be written back. */
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

export type Dimension = 'number' | 'share' | 'time' | 'bytes' | 'bandwidth' | 'compute' | 'flops' | 'rate';

/** Tensor-, context-, data- and expert-parallel ranks of a pipeline rank (expert ranks are among the others); 1 where the file says nothing. */
export interface MeshPlan {
  readonly tensor: number;
  readonly context: number;
  readonly data: number;
  readonly expert: number;
}

/** Path NAME. The mesh is for all devices without a separate mesh. */
export interface PipelinePlan extends MeshPlan {
  readonly name: string;
  readonly doc?: string;
  readonly model: string;
  /** Microbatches of one iteration: one update of the weights. */
  readonly microbatches: number;
  /** Consecutive iterations that are simulated; 1 for a synchronous schedule. */
  readonly iterations: number;
  readonly schedule: SchedulePlan;
  /** How devices exchange results; absent if a transfer runs in parallel with the work of both devices. */
  readonly transfer?: TransferRule;
  /** Pipeline ranks in order. Path `NAME/device:I`. */
  readonly devices: readonly DevicePlan[];
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
  /** By device: gradients reduced over the ranks that hold the same weights, then the optimizer step. */
  readonly step: readonly StepPlan[];
  /** What a rule orders of the gradients' exchange; that is in no step. Absent for `end` and for an `overlap` in plain buckets. */
  readonly exchange?: ExchangePlan;
  /** Other work that devices do where they idle. */
  readonly fill?: FillPlan;
  /** Figures that must hold. Path `expect:NAME/I`. */
  readonly expects: readonly ExpectPlan[];
  /** What a planner decided; absent if the file says the stages or balances them. */
  readonly cut?: CutPlan;
  /** What `place = best` chose; absent where stages take the devices in the order of their numbers. */
  readonly place?: PlacePlan;
}

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
  readonly planner: 'pipedream' | 'dapple';
  /** Formula that `plan(pipedream)` minimises. */
  readonly objective?: 'paper' | 'released';
  /** Seconds by the planner's formula: of the slowest stage in one update (PipeDream) or of an iteration (DAPPLE). */
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
  readonly devices: readonly string[];
}

/** Seconds are 0 where the file has none. */
export interface StepPlan {
  /** Seconds of what a device exchanges after its last operation: all, or where exchanges overlap what is in no bucket. */
  readonly sync: number;
  readonly optimizer: number;
  /** Bytes that it sends for all of its exchanges; absent for none. */
  readonly bytes?: number;
  /**
   * Exchanges during the last backward of a stage, one after the other. For a stage with several copies, only the first copy's
   * are here.
   */
  readonly overlap?: readonly StageExchange[];
}

export interface StageExchange {
  readonly stage: number;
  /** In the order in which the backward makes them ready. */
  readonly buckets: readonly BucketPlan[];
}

export interface BucketPlan {
  readonly seconds: number;
  /** Shares of the stage's recomputation, input and weight gradients that its backward still has to do when the bucket is ready. */
  readonly left: { readonly recompute: number; readonly input: number; readonly weight: number };
  /** Updated weights of its layers, gathered before the first forward: seconds, and the share of that forward that comes before these layers. */
  readonly gather?: { readonly seconds: number; readonly before: number };
}

/**
 * `rendezvous`: a send and its receive block both devices until the transfer is over. `batched`: which exchanges between two
 * operations are issued together: none, those to and from one device, or all.
 */
export interface TransferRule {
  readonly kind: 'rendezvous';
  readonly batched: 'none' | 'peer' | 'all';
}

/** What the file says of the order. `args` are numbers, names, lists of numbers or quantities, checked against the policy's parameters. */
export type SchedulePlan =
  | { readonly kind: 'policy'; readonly name: string; readonly args: Readonly<Record<string, PolicyArgument>> }
  | {
      readonly kind: 'rows';
      readonly name: string;
      /** What the pipeline gives for parameters of the schedule; absent where it gives nothing. */
      readonly args?: Readonly<Record<string, number>>;
      /** By device, all iterations. Path `NAME/row:DEVICE/item:I`. */
      readonly rows: readonly RowPlan[];
      /** Operations move to where a device would idle, within what the rows hold; only for a clock table. */
      readonly fill?: true;
      /** Update rule of the weights. Default: `flush`. */
      readonly weights?: string;
      /** Operations that the schedule declares. */
      readonly operations?: OperationsPlan;
      readonly times?: readonly OperationTimes[];
    }
  | {
      readonly kind: 'greedy';
      readonly name: string;
      readonly args?: Readonly<Record<string, number>>;
      readonly placement: PlacementRule;
      readonly split: boolean;
      /** Kinds in order of preference: a ready operation of an earlier kind runs first. */
      readonly prefer: readonly RuleOperation[];
      /** Most microbatches in flight of each stage; `Infinity` cannot be in JSON, so `null` is no limit. */
      readonly inFlight: readonly (number | null)[];
      /** Update rule of the weights; only `flush` is synchronous. */
      readonly weights: string;
      /** Absent where nothing but `prefer` and `inFlight` decides. */
      readonly rule?: GreedyRule;
      /** Operations that the schedule declares. */
      readonly operations?: OperationsPlan;
      /** Of each device, the declared operations that it runs; the rule decides when. */
      readonly runs?: readonly RowPlan[];
      readonly times?: readonly OperationTimes[];
    };

/** Whether a schedule declares operations or sets durations. Others leave them out, so their times are no alternative. */
export const setsWork = (schedule: SchedulePlan): boolean =>
  schedule.kind !== 'policy' && (schedule.operations !== undefined || schedule.times !== undefined);

/** What to say of a schedule that sets operations or durations, where it is compared with others. */
export const setsWorkText = (schedule: string): string =>
  `${schedule} sets operations or durations, which other schedules leave out.`;

/** Operations that a schedule declares. In rows the i-th has the kind `kinds + i` of `program.ts`. */
export interface OperationsPlan {
  readonly names: readonly string[];
  /** One for each operation and stage of the program that it runs on. */
  readonly costs: readonly OperationCost[];
  /** Six numbers for each wait: kind, stage and microbatch of who waits, then of what it waits for. */
  readonly waits: readonly number[];
}

/** Seconds and bytes of an operation at a stage of the program; they may read the costs of stages (`RuleRead`). */
export interface OperationCost {
  readonly operation: number;
  readonly stage: number;
  readonly time: RuleExpression;
  /** Only if it differs by the number of the operation: of each that runs there. */
  readonly times?: readonly { readonly number: number; readonly time: RuleExpression }[];
  readonly holds: RuleExpression;
  readonly sends: RuleExpression;
  /** Device that receives what it sends; absent where only those that wait do. */
  readonly to?: number;
}

/** Durations of the operations of one kind and stage that differ by microbatch. */
export interface OperationTimes {
  /** Number of `program.ts`. */
  readonly kind: number;
  /** Stage of the program. */
  readonly stage: number;
  /** Share of what the layers say, by microbatch of all iterations. */
  readonly factors: readonly number[];
}

/** What decides in addition to the preference and the limit of microbatches in flight. */
export interface GreedyRule {
  /** Preference of each device. */
  readonly prefer: readonly (readonly RuleOperation[])[];
  /** Which of several ready operations of a kind runs first. */
  readonly ties: Ties;
  /** Most bytes of each device; `null` for no limit. */
  readonly limit: readonly (number | null)[];
  /** Conditions of single stages; an operation starts only while all of its conditions hold. */
  readonly guards: readonly GuardPlan[];
  /** Stages of the cut that recompute in a separate operation; the others keep everything. Absent where no operation is R. */
  readonly recomputes?: readonly boolean[];
  /** Who keeps the activations that E sends, by device. Absent where no operation is E. */
  readonly keeper?: readonly (number | 'host')[];
}

/** `oldest`: the lowest microbatch, then the deepest stage. `deepest`, `shallowest`: that stage, then the lowest microbatch. */
export type Ties = 'oldest' | 'deepest' | 'shallowest';

/** Path `NAME/guard:WRITTEN`. */
export interface GuardPlan {
  readonly operation: RuleOperation;
  /** Number of the stage in the cut. */
  readonly stage: number;
  /** As written, for messages. */
  readonly text: string;
  readonly condition: RuleExpression;
  /** Which written condition of the schedule this came from. */
  readonly written: number;
}

/** What only a rule reads. */
export type RuleReading = 'held' | 'away' | 'loaded' | 'pending' | 'done' | 'next' | 'time' | 'bytes' | 'activation';

/** What a device knows of itself while it runs. Stages are numbers of the cut, on this device. Seconds and bytes. */
export interface RuleRead {
  readonly read: RuleReading | 'weights' | 'gradients';
  readonly kind?: RuleOperation;
  readonly stage?: number;
}

/** A number that is known before the run, a reading, or an operator or function with its operands. */
export type RuleExpression = number | RuleRead | { readonly apply: string; readonly to: readonly RuleExpression[] };

export type PolicyArgument = number | string | readonly number[] | Measured;
/** A quantity in base units, where a parameter takes a plain number or a quantity and they mean different things. */
export interface Measured {
  readonly value: number;
  readonly dimension: Dimension;
}
/** An operation that a rule chooses: a letter, or the name of one that the schedule declares. */
export type RuleOperation = string;
export type OperationLetter = 'F' | 'B' | 'I' | 'W' | 'R' | 'U' | 'E' | 'L';

declare const packed: unique symbol;

/** Whole numbers from 0 on as a text, which only `packed.ts` reads and writes. A plan crosses processes, where arrays are slow. */
export interface Packed {
  readonly [packed]: true;
}

/** The operations of a device in order, each an element of every list: a long row is no object for each operation. */
export interface RowPlan {
  /** Numbers of `program.ts`: 0 is F, 1 is B, … */
  readonly kinds: Packed;
  readonly stages: Packed;
  readonly microbatches: Packed;
  /** Which written expression of the row each came from. */
  readonly items: Packed;
  /** Positions of operations that share a slot with the next one, in order; absent for none. */
  readonly fused?: Packed;
  /** Slot of each operation; only of a clock table. */
  readonly slots?: Packed;
  /** Share of the shorter operation of each pair that runs in parallel with the longer one; the same in all rows. Default: 0. */
  readonly overlap?: number;
  /** Who keeps what an E of this row sends: a device, or the host of this one. Absent for a row without E. */
  readonly keeper?: number | 'host';
}

/** One operation of a row. `fused` operations run in one slot: the first of the pair has `fusedWithNext`. */
export interface RowItem {
  readonly op: OperationLetter;
  readonly stage: number;
  readonly microbatch: number;
  readonly fusedWithNext?: boolean;
  /** Which written expression of the row this came from; path `NAME/row:DEVICE/item:ITEM`. */
  readonly item: number;
}

/** `linear` is one stage a device; the others as in `docs/language.md`. A list names the stages of each device. */
export type PlacementRule = 'linear' | 'loop' | 'v_shape' | 'wave' | 'bidirectional' | readonly (readonly number[])[];

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
  /** Of `reserved`, where it is what a framework holds: it adds up to that. */
  readonly reservedParts?: { readonly context: number; readonly communicators: number };
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
  /** Bytes kept of one microbatch from the start of F to the end of the backward (what recomputation leaves, where there is any). */
  readonly activation: number;
  /** What W still needs once I has run (may be more than `activation` where I recomputes): with a split backward this stays until W ends. */
  readonly activationForWeight: number;
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
  readonly recomputeMode: 'none' | 'selective' | 'full' | 'stage';
  /** What ranks that work on one microbatch together exchange for it; seconds are part of those above. Absent where there is none. */
  readonly traffic?: Readonly<Partial<Record<TrafficName, TrafficPlan>>>;
}

/** `weights`: gathers of weights and scatters of gradients that data ranks hold in parts. */
export type TrafficName = 'tensor' | 'context' | 'expert' | 'weights';

/** For one microbatch: bytes that a device sends, seconds that they take, and of these the ones that no computing hides. */
export interface TrafficPlan {
  readonly bytes: number;
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
  /** Only where `to` is a spare copy: nothing comes back, and `from` waits for nothing. */
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
  | 'peak_memory'
  | 'iteration'
  | 'throughput'
  | 'staleness'
  | 'versions'
  | 'in_flight'
  | 'exposed_communication'
  | 'mfu';

/** Pipelines that train one model together through parameter servers. Path `job:NAME`. */
export interface JobPlan {
  readonly name: string;
  readonly doc?: string;
  /** Names of its pipelines. Path `job:NAME/worker:I`. */
  readonly workers: readonly string[];
  /** Wave Synchronous Parallel: a worker may lead the slowest by `distance` clocks. Path `job:NAME/key:sync`. */
  readonly sync: { readonly kind: 'wsp'; readonly distance: number };
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
