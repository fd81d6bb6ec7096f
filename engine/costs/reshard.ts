import type { Resharding } from '../values/plan.ts';

/** Bytes of a chunk where no number of chunks is given: what NCCL moves in one step, 4 MiB of buffer in 8 steps (NCCL_BUFFSIZE, NCCL_STEPS). */
const chunkBytes = 512 * 2 ** 10;

/** Chunks that `bytes` go in. */
export const chunksOf = (bytes: number, chunks?: number): number =>
  chunks ?? Math.max(1, Math.ceil(bytes / chunkBytes));

/**
 * Seconds by which a chain of hops takes longer than its slowest hop alone, for each byte of a message in K chunks. The last
 * chunk leaves when K − 1 have gone over the slowest hop, and then takes all hops. With B for the slowest: Σ (1/K)/Bᵢ + (K − 1)/K
 * · 1/B, so 1/B + (Σ 1/Bᵢ − 1/B)/K. Over A slow links that take t each for the message, and others that take no time: t + (A −
 * 1)·t/K.
 */
export function chainFill(bandwidths: readonly number[], chunks: number): number {
  let [sum, slowest] = [0, 0];
  for (const bandwidth of bandwidths) {
    sum += 1 / bandwidth;
    slowest = Math.max(slowest, 1 / bandwidth);
  }
  return (sum - slowest) / chunks;
}

/** `all_gather over the cluster`, for people. */
export const strategyName = (rule: Resharding): string =>
  rule.strategy === 'all_gather' && rule.scope === 'cluster' ? 'all_gather(scope = cluster)' : rule.strategy;
