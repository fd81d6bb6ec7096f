import { elementBytes } from '../precision.ts';
import type { Precision } from '../types.ts';
import {
  gradientSyncMeanings,
  gradientSyncWords,
  shardRanks,
  shardsGradients,
  shardsState,
  shardsWeights,
  shardMeanings,
  shardWords,
  type Shard,
} from './shard.ts';

/** What an optimizer keeps. Adding one: `docs/contribute/adding-an-optimizer.md`. */
export interface OptimizerRecipe {
  /** As written in a file: `adam_mixed`. */
  readonly name: string;
  readonly doc: string;
  readonly parameters: readonly OptimizerParameter[];
  /** Name of the only training engine that has it: what a file leaves open is as in that one, if the file names none. */
  readonly engine?: string;
  bytes(request: OptimizerRequest): OptimizerBytes;
  /** Bytes of a parameter in transfers between ranks that share it. */
  moved(precision: Precision): MovedBytes;
  /** The recipe with its copies of gradients as part of the state, there all the time. Absent if it makes none. */
  readonly withCopies?: OptimizerRecipe;
  /** Bytes of memory that the update of a parameter reads and writes; absent: there is no update. */
  updated?(precision: Precision, clip: boolean): number;
  /** Steps in which the update orthogonalises each matrix; absent: it works on single numbers. */
  readonly newtonSchulz?: number;
  /** The recipe with the arguments of a file, checked by their parameters; a sentence if they do not fit together. */
  with?(values: RecipeValues): OptimizerRecipe | string;
}

export interface OptimizerParameter {
  readonly name: string;
  /** `count` is a whole number from 1 on, `bytes` a number of bytes for each parameter of the model, `share` is from 0 to 1. */
  readonly kind: 'word' | 'time' | 'count' | 'bytes' | 'share';
  /** Of a `count`. Absent: 1. */
  readonly least?: number;
  /** For words: what may be written, and whether that may also be a whole number from 2 on. */
  readonly words?: readonly string[];
  readonly orCount?: true;
  /** What single words mean. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly default?: string;
  readonly required?: true;
  readonly doc: string;
}

/** Words and numbers by parameter, those that were written. */
export type RecipeValues = ReadonlyMap<string, string | number>;

export interface OptimizerRequest {
  /** Parameters on one device, without parameters of experts. */
  readonly local: number;
  /** Parameters of experts on one device. */
  readonly experts: number;
  /** Ranks that hold the same parameters: data × context ranks, and replicas that split microbatches. */
  readonly ranks: number;
  /** Those that hold the same experts. */
  readonly expertRanks: number;
  /** Of the model; only `none` depends on it. */
  readonly precision: Precision;
  readonly shard?: Shard;
  /** Ranks of one shard group; all of them unless given, and never more. */
  readonly over?: number;
}

/** Bytes on one device, without weights that are gathered while a layer runs (`gatheredBytes`). */
export interface OptimizerBytes {
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
  /** Copies of gradients that exist only while weights are updated; absent if there are none. */
  readonly gradientCopies?: number;
}

/** Bytes of one parameter before anything is split. */
export interface ParameterBytes {
  readonly weight: number;
  readonly gradient: number;
  /** Main copy and moments. */
  readonly state: number;
  /** The weight itself is updated. Absent: the state has a main copy of it. */
  readonly inPlace?: true;
  /** Of the sum of gradients, which an update reads, where a backward's own gradients are kept too. Absent: `gradient`. */
  readonly sum?: number;
  /** Times that an update reads the gradient; once where absent. */
  readonly reads?: number;
  /** A wider copy of the gradient, which each update makes and which is freed before the next forward. It is not part of `state`. */
  readonly copied?: number;
  /** Only if the bytes that move differ from the bytes that are kept. */
  readonly moved?: Partial<MovedBytes>;
}

export interface MovedBytes {
  /** Of a weight that is gathered: as kept, but not wider than the model computes in (FSDP keeps fp32 and gathers bf16). */
  readonly weight: number;
  /** Of a gradient that is reduced. */
  readonly gradient: number;
  /** Of a gradient on a device that has not scattered it yet. */
  readonly whole: number;
  /** Of a weight on a device that has gathered it, fp8 copies included. */
  readonly gathered: number;
}

export const step: OptimizerParameter = {
  name: 'step',
  kind: 'time',
  doc: 'seconds of the update after the last backward. Default: of derived layers on a device with a `memory_efficiency` by size, the bytes that it moves; otherwise 0',
};

export const clip: OptimizerParameter = {
  name: 'clip',
  kind: 'word',
  words: ['true', 'false'],
  default: 'false',
  doc: 'whether gradients are clipped by their global norm, so that no weight is updated before all gradients are there',
};

export const offload: OptimizerParameter = {
  name: 'offload',
  kind: 'share',
  doc: 'share of the optimizer state that is in the memory of the host, which then does this share of the update. Default: 0',
};

/** Arguments of every recipe that can be split. */
export const sharing: readonly OptimizerParameter[] = [
  {
    name: 'shard',
    kind: 'word',
    words: shardWords,
    default: 'none',
    doc: 'what the data ranks split, so that each holds a part',
    meanings: shardMeanings,
  },
  step,
  {
    name: 'over',
    kind: 'count',
    doc: 'ranks of one shard group (hybrid sharding). It must divide the data ranks, and each group holds everything. Default: all ranks',
  },
  {
    name: 'reshard',
    kind: 'word',
    words: ['true', 'false'],
    orCount: true,
    default: 'true',
    doc: 'under `zero3` and `fsdp`: whether a layer frees its gathered weights after each forward and backward. `false` keeps them, and whole gradients, from the first forward to the last backward, as torchtitan does. A number, such as 8: after a forward the weights stay in parts on that number of neighbours, and the backward gathers them there',
  },
  clip,
  offload,
];

/** When weights and gradients that are in parts move. Last, so that arguments without names keep their places. */
const whenMoved: readonly OptimizerParameter[] = [
  {
    name: 'prefetch',
    kind: 'count',
    least: 0,
    default: '1',
    doc: 'under `zero3` and `fsdp` with `reshard = true`: layers whose weights are gathered ahead of the one that runs, in forwards and backwards. With 0 each pass of a layer waits for its own gather',
  },
  {
    name: 'gradient_sync',
    kind: 'word',
    words: gradientSyncWords,
    default: 'scatter',
    doc: 'under `zero3` and `fsdp` with `reshard = true`: when gradients of several microbatches are exchanged',
    meanings: gradientSyncMeanings,
  },
];

/** What a recipe keeps of one parameter. With `splitBytes` it gives the recipe's bytes, without a function. */
export function keptBytes(recipe: Pick<OptimizerRecipe, 'bytes'>, precision: Precision): ParameterBytes {
  const { weights, gradients, optimizer, gradientCopies } = recipe.bytes({
    local: 1,
    experts: 0,
    ranks: 1,
    expertRanks: 1,
    precision,
  });
  return {
    weight: weights,
    gradient: gradients,
    state: optimizer,
    ...(gradientCopies === undefined ? {} : { copied: gradientCopies }),
  };
}

/** A recipe without this share of its state. */
export const withoutState = (whole: OptimizerRecipe, share: number): OptimizerRecipe => ({
  ...whole,
  bytes: (request) => {
    const { gradientCopies, ...found } = whole.bytes(request);
    return {
      ...found,
      optimizer: found.optimizer * (1 - share),
      ...(gradientCopies === undefined ? {} : { gradientCopies: gradientCopies * (1 - share) }),
    };
  },
  ...(whole.withCopies === undefined ? {} : { withCopies: withoutState(whole.withCopies, share) }),
});

/** Splits what is kept over shard groups; experts over their own. */
export function splitBytes(kept: ParameterBytes, request: Omit<OptimizerRequest, 'precision'>): OptimizerBytes {
  const { local, experts, ranks, expertRanks, shard = 'none', over } = request;
  const whole = local + experts;
  const part = local / shardRanks(ranks, over) + experts / shardRanks(expertRanks, over);
  return {
    weights: kept.weight * (shardsWeights(shard) ? part : whole),
    gradients: kept.gradient * (shardsGradients(shard) ? part : whole),
    optimizer: kept.state * (shardsState(shard) ? part : whole),
    // Each rank copies the gradients that it updates weights with.
    ...(kept.copied === undefined ? {} : { gradientCopies: kept.copied * (shardsState(shard) ? part : whole) }),
  };
}

/** A recipe that keeps these bytes; its doc ends with the figures. */
export const recipe = (
  name: string,
  kept: ParameterBytes,
  doc: string,
  more: Pick<OptimizerRecipe, 'engine' | 'newtonSchulz' | 'with'> & {
    readonly parameters?: readonly OptimizerParameter[];
  } = {},
): OptimizerRecipe => ({
  name,
  doc: `${doc} ${kept.weight + kept.gradient + kept.state} bytes per parameter: weights ${kept.weight}, gradients ${kept.gradient}, state ${kept.state}.${kept.copied === undefined ? '' : ` The update holds ${kept.copied} bytes more.`}`,
  bytes: (request) => splitBytes(kept, request),
  moved: (precision) => ({
    weight: kept.moved?.weight ?? Math.min(kept.weight, elementBytes(precision)),
    gradient: kept.moved?.gradient ?? kept.sum ?? kept.gradient,
    whole: kept.moved?.whole ?? kept.gradient,
    gathered: kept.moved?.gathered ?? Math.min(kept.weight, elementBytes(precision)),
  }),
  updated: (precision, clip) => updatedBytes(kept, precision, clip),
  ...more,
  ...(kept.copied === undefined
    ? {}
    : {
        withCopies: {
          ...recipe(name, copiesInState(kept), doc, more),
          updated: (precision, clip) => updatedBytes(kept, precision, clip),
        },
      }),
  parameters: [...sharing, ...(more.parameters ?? []), ...whenMoved],
});

const copiesInState = ({ copied = 0, ...kept }: ParameterBytes): ParameterBytes => ({
  ...kept,
  state: kept.state + copied,
});

/**
 * An update reads the gradient and the state, and writes the state and the weight. A weight without a main copy is read too. Clipping
 * reads all gradients for their norm, then reads and writes them to scale them. A copy of the gradient is written and read.
 */
function updatedBytes(
  { weight, gradient, state, moved, inPlace, sum, copied = 0, reads = 1 }: ParameterBytes,
  precision: Precision,
  clip: boolean,
): number {
  const read = sum ?? gradient;
  const written = inPlace === true ? 2 * weight : (moved?.weight ?? Math.min(weight, elementBytes(precision)));
  return (clip ? 3 * (copied || read) : 0) + reads * read + 2 * (state + copied) + written;
}
