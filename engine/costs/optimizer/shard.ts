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
