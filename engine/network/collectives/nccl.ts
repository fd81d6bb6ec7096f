import { leastOf, linear } from '../../basics/callCost.ts';
import type { NcclAlgorithm } from '../../exchange/collectives.ts';
import type { CallCost, LaneCall } from '../../values/exchangePlan.ts';
import {
  baseMicroseconds,
  type Hardware,
  type Protocol,
  protocols,
  ringShares,
  stepMicroseconds,
  treeCorrections,
  treeShare,
  treeShares,
} from './ncclTuning.ts';

/** n ranks in N nodes, and bytes per second of the slowest step of their ring. */
export interface NcclRanks {
  readonly ranks: number;
  readonly nodes: number;
  readonly inside: Exclude<Hardware, 'net'>;
  readonly bandwidth: number;
}

/** base + (2(n − 1) − 2(N − 1)) · intra + 2(N − 1) · inter, in seconds; half the steps for a half. */
export function ncclRingSeconds({ ranks, nodes, inside }: NcclRanks, protocol: Protocol, passes: 1 | 2 = 2): number {
  const [intra, inter] = [stepMicroseconds[inside].ring[protocol], stepMicroseconds.net.ring[protocol]];
  const steps = passes * (ranks - nodes) * intra + passes * (nodes - 1) * inter;
  return (baseMicroseconds.ring[protocol] + steps) * 1e-6;
}

/** base + 2((n/N − 1) · intra + log₂N · inter), in seconds, in whole numbers as NCCL computes them. */
export function ncclTreeSeconds({ ranks, nodes, inside }: NcclRanks, protocol: Protocol): number {
  const [intra, inter] = [stepMicroseconds[inside].tree[protocol], stepMicroseconds.net.tree[protocol]];
  const depth = (Math.floor(ranks / nodes) - 1) * intra + Math.floor(Math.log2(nodes)) * inter;
  return (baseMicroseconds.tree[protocol] + 2 * depth) * 1e-6;
}

/**
 * What NCCL's own model takes for the fastest: the least of ring and tree by protocol. Bandwidth is the rate of all channels together. The
 * limits of a channel are not in it, because a cluster does not say them; nor is the overhead of a network card. Reduce-scatter and
 * all-gather only have rings.
 */
export function ncclCall(of: NcclRanks, algorithm?: NcclAlgorithm): LaneCall {
  if (of.ranks <= 1)
    return { name: 'nccl', push: linear(0, 0), halves: { scatter: linear(0, 0), gather: linear(0, 0) } };
  const { ranks, bandwidth } = of;
  const ring = (protocol: Protocol, passes: 1 | 2): CallCost =>
    linear(ncclRingSeconds(of, protocol, passes), (passes * (ranks - 1)) / ranks / (bandwidth * ringShares[protocol]));
  const half = leastOf(protocols.map((protocol) => ring(protocol, 1)));
  const rings = protocols.map((protocol) => ring(protocol, 2));
  const trees = protocols.map((protocol) => treeCost(of, protocol));
  if (algorithm === 'tree') return { name: 'nccl', push: leastOf(trees) };
  const push = leastOf(algorithm === 'ring' ? rings : [...rings, ...trees]);
  return { name: 'nccl', push, halves: { scatter: half, gather: half } };
}

function treeCost(of: NcclRanks, protocol: Protocol): CallCost {
  const fixed = ncclTreeSeconds(of, protocol);
  const perByte = 2 / (of.bandwidth * treeShare * treeShares(of.nodes)[protocol]);
  const factors = treeCorrections[protocol];
  return {
    kind: 'steps',
    from: [0, ...factors.map((_, power) => 64 * 2 ** power), 64 * 2 ** factors.length],
    of: [1, ...factors, 1].map((factor) => linear(fixed, perByte / factor)),
  };
}
