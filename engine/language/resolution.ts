import type { LayerShape } from '../costs/shapeSize.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { RowTracer } from '../definitions/rowTracer.ts';
import type { DeclaredSchedule } from '../definitions/schedule.ts';
import type { SearchDefinition } from '../definitions/search.ts';
import type { ScheduleTest } from '../definitions/scheduleTest.ts';
import type { Mesh } from '../costs/mesh.ts';
import type { Finding } from '../findings/finding.ts';
import type { LayerCost, RecomputeMode, LayerMode } from '../costs/types.ts';
import type { Dimension, Origins, Place, Places, Plan } from '../values/plan.ts';

/** What planning one file gives: the plan and all that an editor needs to know about its names. */
export interface Resolution {
  readonly plan: Plan;
  /** Only if a schedule was asked for without a pipeline: why it cannot be planned, in a sentence. */
  readonly problem?: string;
  /** Pipelines that are not in the plan because a planner has not answered yet. */
  readonly pending: readonly string[];
  /** Schedules that the file tests over shapes, each with the place of its block's name. */
  readonly tests: readonly { readonly test: ScheduleTest; readonly place: Place }[];
  /** Schedules that the file itself declares, without those that have errors. */
  readonly schedules: readonly DeclaredSchedule[];
  /** The searches of the file, one for each pipeline, without those that have errors. */
  readonly searches: readonly SearchDefinition[];
  /** What each pipeline of the file says of its size, by name; also of one that cannot be planned. */
  readonly sizes: ReadonlyMap<string, PipelineSize>;
  /** The places of the paths of the plan. */
  readonly origins: Origins;
  /** The same for one path at a time, without a list of all. */
  readonly places: Places;
  /** They find the source of operations: one for each pipeline whose schedule is rows of a file. */
  readonly tracers: ReadonlyMap<string, RowTracer>;
  /** What each planned pipeline says with nothing left open, by its name: exports to engines read it. */
  readonly settled: ReadonlyMap<string, SettledPipeline>;
  /** In order of position. One mistake, one finding: what follows from another is left out. */
  readonly findings: readonly Finding[];
  readonly symbols: SymbolTable;
  /** Uris that were imported or read as the source of a model, directly or not, found or not: watch them. */
  readonly imports: readonly string[];
  /** Values that the file does not say and the engine derived, for inlay hints: shown at `offset` of the file itself. */
  readonly derived: readonly DerivedValue[];
}

/** Devices, ranks and samples of a pipeline. */
export interface PipelineSize {
  /** Devices of its cluster. */
  readonly devices: number;
  /** Of the smallest node; all devices of a cluster without nodes. */
  readonly perNode: number;
  /** Of the smallest machine: a node may consist of several (`hosts`). */
  readonly perHost: number;
  /**
   * What the layers compute follows from the ranks and the samples of a microbatch alone. Devices are of one kind, microbatches are
   * equally long, and no planner chooses replicas.
   */
  readonly sameWork: boolean;
  readonly mesh: Mesh;
  readonly microBatch: number;
  readonly microbatches: number;
  /** Every layer of the model needs the one above it, and no other. */
  readonly chain: boolean;
  readonly model: ModelSize;
}

/** What ranks can split a model into. */
export interface ModelSize {
  /** Elements of the model, and elements of its longest array of layers. */
  readonly layers: number;
  readonly blocks: number;
  /** Of each layer with attention, and of each with experts. */
  readonly heads: readonly number[];
  readonly experts: readonly number[];
  /** Tokens of a sample; absent if the file does not say. */
  readonly sequence?: number;
  /** Written layers with measured times, and all written layers. */
  readonly measured: number;
  readonly written: number;
  /** Layers share weights: a tied head, or a multi-token prediction. */
  readonly shares: boolean;
  /** Selective recomputation may have something to recompute: some attention is not FlashAttention. */
  readonly keepsScores: boolean;
  /** Some attention is latent. */
  readonly latent: boolean;
}

export interface DerivedValue {
  readonly offset: number;
  readonly text: string;
  readonly tooltip?: string;
  /** Of a layer with a shape: all that its text is taken from. */
  readonly layer?: LayerFigures;
  /** Stages that a planner made for a pipeline, as a file would write them. */
  readonly planned?: { readonly pipeline: string; readonly stages: readonly PlannedBlock[] };
}

/** A layer as it is on the first stage's devices of the first pipeline that uses its model. */
export interface LayerFigures {
  readonly pipeline: string;
  /** Of a layer of a pattern, its letter. */
  readonly letter?: string;
  /** Name of the `device` declaration. */
  readonly device: string;
  readonly mesh: Mesh;
  /** Of the pipeline; `cost` is under it. */
  readonly recompute: RecomputeMode;
  readonly cost: LayerCost;
  /** Bytes that one forward leaves, by what recomputation of single layers may be asked for. */
  readonly leaves: Readonly<Record<LayerMode, number>>;
}

/** `on` and `replicate` where any stage of the plan has several replicas. */
export interface PlannedBlock {
  readonly layers: readonly string[];
  readonly on?: string;
  readonly replicate?: string;
  /** Only if the planner chooses the ranks of the stage. */
  readonly ranks?: { readonly tensor: number; readonly data: number };
}

export type SymbolKind =
  | 'param'
  | 'let'
  | 'device'
  | 'cluster'
  | 'model'
  | 'layer'
  | 'stage'
  | 'switch'
  | 'schedule'
  | 'operation'
  | 'pipeline'
  | 'job'
  | 'parameter' /* of `row(d)`, `in_flight(s)` */
  | 'policy' /* built in */
  | 'function' /* built in: min, balance, transformer, … */
  | 'variable'; /* given by a context: `stages`, `microbatches` in a schedule; `gpu` in a cluster */

/** Something with a name. `declaration` is the place of the name itself; built-ins have none. */
export interface SymbolInfo {
  /** Unique in a table: `layer:toy/block`, `device:v100`, `policy:1f1b`. */
  readonly id: string;
  readonly name: string;
  readonly kind: SymbolKind;
  readonly declaration?: Place;
  /** The whole declaration. */
  readonly extent?: Place;
  /** Declared in a file of another format, such as a profile: there it cannot be renamed. */
  readonly foreign?: true;
  /** Of a name that a schedule takes over from its base: the id that it has there. */
  readonly inherits?: string;
  /** Of a name that replaces one of a base: where that one is declared first. */
  readonly replaces?: Place;
  /** Id of the symbol that this one is declared in: a layer's model, a stage's pipeline. */
  readonly container?: string;
  readonly doc?: string;
  /** Of a layer with a shape; of an array that follows a pattern, of each run. */
  readonly shapes?: readonly LayerShape[];
  /** Names of the parameters of a `let` that has any. */
  readonly parameters?: readonly string[];
  /** Its value or type in one line: `8 (1 to 64)`, `transformer, 32 layers`, `16 GiB`. */
  readonly detail?: string;
  /** Of a `let` or `param` of the file that is a number. */
  readonly dimension?: Dimension;
}

export interface SymbolTable {
  readonly symbols: ReadonlyMap<string, SymbolInfo>;
  /** Every use of a name in the file itself and what it means, declarations included, in order of position. */
  readonly references: readonly { readonly place: Place; readonly symbol: string }[];
}

/** A value of an expression with its dimension. */
export interface Measure {
  readonly value: number;
  readonly dimension: Dimension;
}
