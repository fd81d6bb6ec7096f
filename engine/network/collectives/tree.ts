import { linear } from '../../basics/callCost.ts';
import type { Ring } from '../../costs/types.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';

/**
 * Double binary tree: 2⌈log₂n⌉α + 2S/B. Each of two trees reduces half of the bytes and then broadcasts it. A rank is a leaf of
 * at least one of them. So a port carries at most all bytes in each direction in either phase (Sanders, Speck and Träff,
 * *Two-tree algorithms for full bandwidth broadcast, reduction and scan*, 2009). It has no halves, because no rank holds just a
 * part when the reduction ends.
 */
export function treeCall(ranks: number, { latency, bandwidth }: Ring): LaneCall {
  const depth = ranks <= 1 ? 0 : Math.ceil(Math.log2(ranks));
  return { name: 'tree', push: linear(2 * depth * latency, ranks > 1 && bandwidth > 0 ? 2 / bandwidth : 0) };
}
