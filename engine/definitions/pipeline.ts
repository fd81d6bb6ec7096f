/** What a `pipeline` declaration says, each key checked by itself. */
import type { Span } from '../../grammar/syntax.ts';
import type { DeviceSpeed, RecomputeMode } from '../costs/types.ts';
import type { Mesh } from '../costs/mesh.ts';
import type { MeasuredPlan } from '../values/measured.ts';
import type { FillPlan, HostLinkPlan, TransferRule, Resharding } from '../values/plan.ts';
import type { ClusterDefinition } from './cluster.ts';
import type { Cut, PlanCut } from './cut.ts';
import type { LocalUse } from '../exchange/local.ts';
import type { ExchangeUse } from './exchange.ts';
import type { ModelDefinition } from './model.ts';
import type { OptimizerUse } from './optimizer.ts';
import type { ScheduleUse } from './schedule.ts';

/** All that a pipeline block says, checked by itself. */
export interface PipelineDefinition {
  readonly name: string;
  readonly doc?: string;
  readonly model: ModelDefinition;
  readonly cluster: ClusterDefinition;
  readonly use: ScheduleUse;
  readonly cut: Cut | PlanCut;
  readonly microbatches: number;
  /** Consecutive iterations to run. 1 for a synchronous schedule; `steady`: as many as an asynchronous one needs to repeat. */
  readonly iterations: number | 'steady';
  /** Tokens of the whole training. */
  readonly tokens?: number;
  /** Only if microbatches have different lengths, or are packed from documents. */
  readonly lengths?: MicrobatchLengths;
  /** For every stage without a mesh in the file. */
  readonly mesh: Mesh;
  readonly rankOrder: RankOrder;
  /** How stages without `on` get their devices. Absent: in the order of their numbers. */
  readonly place?: 'best';
  /** Share of each group's traffic that may run in parallel with computing. */
  readonly overlap: Overlap;
  readonly recompute: RecomputeMode;
  readonly optimizer?: OptimizerUse;
  /** Activations of layers that go to the host. */
  readonly offload?: ActivationOffload;
  readonly transfer: TransferUse;
  /** Seconds that each message keeps the devices at its ends busy. */
  readonly messageOverhead: number;
  /** Absent where gradients are exchanged after the last operation. */
  readonly sync?: SyncRule;
  /** A rule that says more than that, or a collective; then `sync` is absent. */
  readonly exchange?: ExchangeUse;
  /** Islands share their weights once in a while; the mesh says how many there are. */
  readonly local?: LocalUse;
  /** Work for idle devices. */
  readonly fill?: FillUse;
  readonly variation: VariationUse;
  /** Runs of it that were recorded. */
  readonly measured?: MeasuredPlan;
  /** Name of the engine that trains it; `any`: none in particular, whatever the settings say. */
  readonly engine?: string;
  /** The place of a finding about a key: its value, or the name of the pipeline if the key is not written. */
  at(key: string): Span;
}

/** Tokens of a sample, by microbatch; then of the documents that it is packed from. */
export interface MicrobatchLengths {
  readonly tokens: readonly number[];
  readonly documents?: readonly (readonly number[])[];
  /** The key that says it. */
  readonly key: 'tokens' | 'documents';
}

/** A pipeline with nothing left open: a planner has made its stages, and its iterations are counted. */
export interface SettledPipeline extends Omit<PipelineDefinition, 'cut' | 'iterations'> {
  readonly cut: Cut;
  readonly iterations: number;
}

/** A pipeline whose stages a planner is to make. */
export type Unplanned = Omit<PipelineDefinition, 'cut'>;

/** A pipeline but for its cut. */
export type Uncut = Omit<PipelineDefinition, 'cut' | 'iterations'>;

/** What comes first in the numbers of devices: data ranks of one pipeline rank, or pipeline ranks of one data rank. */
export type RankOrder = 'tp_cp_dp_pp' | 'tp_cp_pp_dp';

export type Overlap = DeviceSpeed['overlap'];

/** What the key says. `rule` is absent if transfers run in parallel with the work, `reshard` if the fastest method is taken. */
export interface TransferUse {
  readonly rule?: TransferRule;
  readonly reshard?: Resharding;
  /** Each stage has buffers for the messages of all microbatches, and keeps what it sends until the backward. */
  readonly receive?: 'all';
}

/** Gradients are exchanged during the last backwards, in buckets of at least this number of bytes. 0: a bucket for each layer. */
export interface SyncRule {
  readonly bucket: number;
  /** The file does not say so: what the optimizer's library does. */
  readonly usual?: true;
}

/** How times vary from what the layers say. */
export interface VariationUse {
  /** Standard deviation of each operation's time, as a share of it. */
  readonly jitter?: number;
  /** The same of single stages. */
  readonly jitterOf: readonly VariationOf[];
  /** Factors on the times of devices. */
  readonly slowOf: readonly VariationOf[];
}

export interface VariationOf {
  /** Number of the stage in the cut or of the device, or name of the stage. */
  readonly which: number | string;
  readonly value: number;
  readonly at: Span;
}

/** The first layers of each stage, their link to the host if the device's is not used, and the place of their number. */
export interface ActivationOffload {
  readonly layers: number;
  readonly link?: Pick<HostLinkPlan, 'bandwidth' | 'latency'>;
  readonly at: Span;
}

/** A fill job as written. */
export interface FillUse {
  readonly model: ModelDefinition;
  readonly work: FillPlan['work'];
  readonly overhead: number;
}
