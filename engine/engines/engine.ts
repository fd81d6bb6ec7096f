/** What is known of a training engine: a row for each key, each read in the engine's source. */
import type { Mesh } from '../costs/mesh.ts';
import type { ContextExchange, Precision, RecomputeMode } from '../costs/types.ts';
import type { RecipeValues, Shard } from '../costs/optimizer.ts';
import type { LayerDefinition } from '../definitions/model.ts';
import type { PipelinePlan, StageCopy } from '../values/plan.ts';

export interface Engine {
  /** As a file writes it: `engine = megatron`. */
  readonly name: string;
  /** As messages call it. */
  readonly title: string;
  /** One sentence. */
  readonly doc: string;
  /** Repository and version that the rows were read in. */
  readonly read: string;
  /** Policies that it has by name; absent if it takes orders as tables. */
  readonly schedules?: readonly string[];
  /** Arguments of an optimizer with which its users split it over data ranks, the usual ones first; absent if that is up to them. */
  readonly shards?: readonly ShardArguments[];
  /** How its users exchange gradients over data ranks, as a file writes it; absent: after the last backward. */
  readonly sync?: 'overlap' | 'megatron';
  /** How its heads compute a loss that the file leaves open, as they would write it, or `usual`; absent: as it is without an engine. */
  readonly loss?: string;
  /** Whether what tensor and context ranks gather stays whole up to the backward; absent: where data ranks share the weights. */
  readonly keepsGathered?: boolean;
  /**
   * Whether it makes whole copies of weights also for shard groups of one rank; absent: up to its users. PyTorch's FSDP does, in the
   * format of the products.
   */
  readonly copiesAlone?: boolean;
  /** How its context ranks get keys where the file does not say; absent: around a ring. */
  readonly contextExchange?: ContextExchange;
  /** Further forwards before the first backward of interleaved stages where the exchanges of experts overlap; absent: none. */
  readonly overlapWarmup?: number;
  readonly rows: readonly Row[];
}

export interface ShardArguments {
  readonly shard: Shard;
  readonly reshard?: 'false';
}

export interface Row {
  /** Key of a pipeline. A refusal is reported at its value. */
  readonly key: string;
  /** What the engine runs, in Markdown, as the page of the engine says it. */
  readonly runs: string;
  /** File of the engine's source, and the function or class in it. */
  readonly source: string;
  /** Why it does not run an order of operations. */
  readonly refusesOrder?: (plan: OrderPlan) => Refusal | undefined;
  /** Why it does not run something else that a file says. */
  readonly refuses?: (setup: Setup) => Refusal | undefined;
  /** As `refuses`, of an engine that is chosen: with another one its users write another value, so this does not decide who runs a plan. */
  readonly refusesAsWritten?: (setup: Setup) => Refusal | undefined;
  /** What it does if the file leaves it open. */
  readonly usually?: (setup: Setup) => Usual | undefined;
}

/** What decides whether an engine runs an order. */
export interface OrderPlan extends Pick<PipelinePlan, 'schedule' | 'placement' | 'microbatches'> {
  readonly devices: readonly unknown[];
  readonly stages: readonly { readonly copy?: Pick<StageCopy, 'stage' | 'segment' | 'spare'> }[];
}

/** How islands share what they learned. */
export interface LocalSetup {
  readonly bits: number;
  readonly backup: 'host' | 'device';
}

/** What a file says of everything else. */
export interface Setup {
  /** Of an iteration. */
  readonly microbatches: number;
  /** Pipeline ranks, and stages of the cut on each. */
  readonly ranks: number;
  readonly chunks: number;
  readonly mesh: Mesh;
  /** Stages have other meshes than the pipeline, or replicas. */
  readonly unlike: boolean;
  /** Layers of the model have experts. */
  readonly hasExperts: boolean;
  /** Of the model, as the file writes them. */
  readonly layers: readonly LayerDefinition[];
  /** Further forwards before the first backward, of a schedule that has such an argument. */
  readonly extraWarmup?: { readonly forwards: number; readonly written: boolean };
  /** Sends and receives of a pipeline block. */
  readonly blocks: boolean;
  /** Tokens of a sample, if layers have shapes. */
  readonly sequence?: number;
  readonly precision: Precision;
  /** What of the model trains; absent: all of it. */
  readonly training?: PartTraining;
  /** How each head computes its loss, once; undefined of heads that leave it open. */
  readonly losses: readonly (string | undefined)[];
  /** Of the pipeline and its stages, each once. */
  readonly recompute: readonly RecomputeMode[];
  readonly optimizer?: OptimizerSetup;
  /** Activations of layers go to the host. */
  readonly offload: boolean;
  /** Shares of communication that overlap with compute, if the file asks for any. */
  readonly overlap: { readonly tensor: number; readonly expert: number };
  /** `end`, or the name of the rule; `arguments` if it is an `overlap` that says more than its buckets. */
  readonly sync: { readonly name: string; readonly arguments: boolean; readonly local?: LocalSetup };
  /** Absent: the file names none. */
  readonly collective?: string;
  readonly rankOrder: 'tp_cp_dp_pp' | 'tp_cp_pp_dp';
  /** A device has receive buffers for every microbatch. */
  readonly receivesAll: boolean;
  /** Whether the file writes a key of the pipeline. */
  readonly writes: (key: string) => boolean;
}

/** A model of which some weights do not train. */
export interface PartTraining {
  /** Layers have adapters: all alike, and nothing else trains. */
  readonly adapters?: {
    /** Frozen weights are in 4 bits. */
    readonly packed: boolean;
    readonly dropout: boolean;
    readonly experts: boolean;
  };
  /** Some layers train whole, and others do not train. */
  readonly freezes: boolean;
}

export interface OptimizerSetup {
  /** Name of its recipe: `adam_mixed`. */
  readonly recipe: string;
  readonly shard: Shard;
  /** Ranks of a shard group; absent: all. */
  readonly over?: number;
  /** The share of it that the host keeps; absent: none. */
  readonly offload?: number;
  /** Gathered weights are given up after each pass of a layer, and gradients are scattered. */
  readonly reshard: boolean;
  /** As in `OptimizerUse`. */
  readonly reshardTo?: number;
  /** Gradients stay whole up to the last backward, although weights do not. */
  readonly syncsLast: boolean;
  /** Arguments that the file writes. */
  readonly writes: (argument: string) => boolean;
  readonly written: RecipeValues;
  /** What the file writes in the brackets of another recipe: arguments that all recipes have. */
  readonly shared: string;
}

/** Why an engine does not run something: a sentence without its full stop, and the nearest that it runs. */
export interface Refusal {
  readonly reason: string;
  readonly nearest?: Write;
}

/** A value of a key, or of an argument of its value. Without `value`, the key is left out. */
export interface Write {
  /** The block that has the key; absent: the pipeline. */
  readonly block?: 'model';
  readonly key: string;
  readonly argument?: string;
  readonly value?: string;
}

/** What an engine does by default: `clips gradients by their norm`. */
export interface Usual {
  readonly does: string;
  readonly write: Write;
}

/** `schedule = 1f1b`, `shard = distributed`, or `no \`offload\``. */
export const writeText = ({ key, argument, value }: Write): string =>
  value === undefined ? `no \`${key}\`` : `\`${argument ?? key} = ${value}\``;
