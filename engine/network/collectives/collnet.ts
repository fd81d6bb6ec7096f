/** Switches of the network that sum up (SHARP), as NCCL uses them. Factors of NCCL v2.30.7-1, src/graph/tuning.cc, for Hopper. */
import { linear } from '../../basics/callCost.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import { type NvlsRanks, stepBetween } from './nvls.ts';

export type CollnetAlgorithm = 'collnet_direct' | 'collnet_chain';

/** `ncclTopoTuneModel` there: share of the channels' bandwidth that `collnet_direct` reaches if each GPU has its card. */
const directShare = 0.85;
/** `hwLatencies` there, microseconds: a step inside a node, and to the network and back; and of each further rank that a head serves. */
const steps = { direct: { inside: 3.7, network: 31, rank: 0.4 }, chain: { inside: 2.8, network: 30 } };

/**
 * Each of g ranks of a node is the head of a channel. It sums up a part of the node's bytes, sends the sum to a switch, and gets the sum
 * of all nodes back. So a card carries S/g once in each direction, and links inside carry S twice. NCCL searches for one speed of a
 * channel, and then for up to twice as much inside: 2S over g · min(intra, 2 · inter). `collnet_direct` has one step inside, and
 * `collnet_chain` g − 1.
 */
export function collnetCall({ heads, inside, card }: Omit<NvlsRanks, 'nodes'>, algorithm: CollnetAlgorithm): LaneCall {
  const intra = Math.min(stepBetween(inside / heads), 2 * stepBetween(card));
  const isDirect = algorithm === 'collnet_direct';
  const { direct, chain } = steps;
  const latency = isDirect
    ? 2 * (Math.min(1, heads - 1) * direct.inside + (heads - 1) * direct.rank) + direct.network
    : 2 * (heads - 1) * chain.inside + chain.network;
  return { name: 'nccl', push: linear(latency * 1e-6, 2 / (heads * intra * (isDirect ? directShare : 1))) };
}
