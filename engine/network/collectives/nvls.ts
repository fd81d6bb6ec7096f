/** NVLink SHARP: switches of a node sum up. Factors and lists of NCCL v2.30.7-1 for Hopper. */
import { linear } from '../../basics/callCost.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';

export type NvlsAlgorithm = 'nvls' | 'nvls_tree';

export interface NvlsRanks {
  /** Ranks of each node, and nodes. */
  readonly heads: number;
  readonly nodes: number;
  /** Bytes per second of a rank's links inside its node, and of its card. */
  readonly inside: number;
  readonly card: number;
}

/** GB/s of a channel that a search tries, inside one node and between nodes (`sm90SpeedArrayIntra` and `-Inter` in src/graph/search.cc). */
const speedsInside = [60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3];
const speedsBetween = [48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12];
/** `nvlsEfficiency` and `perChMaxNVLSTreeBws` of Hopper in src/graph/tuning.cc: GB/s of a channel of a tree, over two nodes and over more. */
const efficiency = 0.85;
const mostOfTree = { two: 57.7, more: 45.5 };
/** `hwLatencies` there: microseconds of a step inside a node, and between nodes. */
const steps = { inside: 25, nvls: 18, tree: 20.9 };

/**
 * Each of g ranks of a node is the head of a channel, and an all-reduce scatters and gathers at the same time. So the bus bandwidth is
 * g · min(2 · 0.85 · (g − 1)/g · intra, inter), by the speeds of the lists. Between nodes, `nvls` has the network's switches sum up,
 * and `nvls_tree` forms a tree of nodes, of which two need half of the network.
 */
export function nvlsCall({ heads, nodes, inside, card }: NvlsRanks, algorithm: NvlsAlgorithm): LaneCall {
  const isTree = algorithm === 'nvls_tree';
  const speeds = nodes === 1 ? speedsInside : speedsBetween;
  const intra = 2 * efficiency * ((heads - 1) / heads) * stepBelow(speeds, inside / heads);
  const inter = nodes === 1 ? Infinity : stepBelow(speeds, card) * (isTree && nodes === 2 ? 2 : 1);
  const most = isTree ? (nodes === 2 ? mostOfTree.two : mostOfTree.more) * 1e9 : Infinity;
  const ranks = heads * nodes;
  const between = isTree ? 2 * Math.floor(Math.log2(nodes)) * steps.tree : nodes > 1 ? steps.nvls : 0;
  const bus = heads * Math.min(intra, inter, most);
  return { name: 'nccl', push: linear((steps.inside + between) * 1e-6, (2 * (ranks - 1)) / ranks / bus) };
}

export const stepBetween = (carried: number): number => stepBelow(speedsBetween, carried);

/** The fastest listed speed, in bytes per second, that links carry; theirs if they are slower than all. */
const stepBelow = (speeds: readonly number[], carried: number): number =>
  (speeds.find((speed) => speed * 1e9 <= carried * (1 + 1e-9)) ?? carried / 1e9) * 1e9;
