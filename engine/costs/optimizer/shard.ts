/** How weights, gradients and optimizer state are split over the ranks that hold the same parameters. */

/**
 * What a file may write. ZeRO (arXiv:1910.02054, section 5) splits the state (stage 1), the gradients too (stage 2), the weights
 * too (stage 3). `distributed` is Megatron-LM's name of the first, `fsdp` PyTorch's of the last (arXiv:2304.11277).
 */
export const shardWords = ['none', 'zero1', 'distributed', 'zero2', 'zero3', 'fsdp'] as const;

/** What the data ranks split under each. */
export const shardMeanings: Readonly<Record<Shard, string>> = {
  none: 'nothing: every data rank holds everything',
  zero1: 'the optimizer state',
  distributed: "the optimizer state; Megatron-LM's name of `zero1`",
  zero2: 'the optimizer state and the gradients',
  zero3: 'the optimizer state, the gradients and the weights',
  fsdp: "the optimizer state, the gradients and the weights; PyTorch's name of `zero3`",
};

export type Shard = (typeof shardWords)[number];

export const isShard = (text: string): text is Shard => (shardWords as readonly string[]).includes(text);

/** Each rank keeps its part of the weights: a layer gathers them before it runs. */
export const shardsWeights = (shard: Shard): boolean => shard === 'zero3' || shard === 'fsdp';

/** Each rank keeps its part of the gradients: they are reduced and scattered after each backward. */
export const shardsGradients = (shard: Shard): boolean => shard === 'zero2' || shardsWeights(shard);

/** When data ranks exchange gradients that they keep in parts, in an iteration of several microbatches. */
export const gradientSyncWords = ['scatter', 'each', 'last'] as const;

export const gradientSyncMeanings: Readonly<Record<GradientSync, string>> = {
  scatter:
    'gradients are scattered after each backward, and the groups of `over` reduce their parts after the last one',
  each: 'the groups of `over` also reduce after each backward: FSDP2 as it is, without `set_requires_all_reduce(False)`',
  last: 'nothing before the last backward, until which gradients stay whole: `set_requires_gradient_sync(False)`, `no_sync`',
};

export type GradientSync = (typeof gradientSyncWords)[number];

export const isGradientSync = (text: string): text is GradientSync =>
  (gradientSyncWords as readonly string[]).includes(text);

/** What says when gradients are exchanged. */
export interface GradientSharing {
  readonly shard: Shard;
  readonly reshard: boolean;
  readonly gradientSync?: GradientSync;
}

/** Gradients are scattered after each backward; otherwise they are exchanged once an iteration. */
export const scattersEach = (use: GradientSharing | undefined): boolean =>
  use !== undefined &&
  shardsGradients(use.shard) &&
  (!shardsWeights(use.shard) || (use.reshard && use.gradientSync !== 'last'));

/** Groups of ranks that each hold all weights reduce their parts of the gradients after each backward too. */
export const reducesEach = (use: GradientSharing | undefined): boolean =>
  use?.gradientSync === 'each' && shardsWeights(use.shard) && use.reshard;

export const shardsState = (shard: Shard): boolean => shard !== 'none';

/**
 * Ranks of one shard group: all, or the greatest divisor of them that is at most `over` (experts may have fewer ranks than
 * `over`). Several groups hold copies of each other (hybrid sharding, arXiv:2304.11277, section 3.2.2).
 */
export function shardRanks(ranks: number, over: number = ranks): number {
  let size = Math.max(1, Math.min(over, ranks));
  while (size > 1 && ranks % size !== 0) size -= 1;
  return size;
}
