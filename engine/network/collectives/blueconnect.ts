import { linear } from '../../basics/callCost.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import type { Level } from './levels.ts';

/**
 * Levels from the innermost out: Σᵢ 2[(pᵢ − 1)αᵢ + (pᵢ − 1)/pᵢ · S/Π_{j<i}pⱼ/Bᵢ] (Cho et al., *BlueConnect*, SysML 2019). Reduce-scatters
 * go out level by level, and all-gathers come back.
 */
export function blueconnectCall(levels: readonly Level[], name = 'blueconnect'): LaneCall {
  let [fixed, perByte, left] = [0, 0, 1];
  for (const { ranks, ring } of levels) {
    if (ranks <= 1) continue;
    fixed += (ranks - 1) * ring.latency;
    perByte += (((ranks - 1) / ranks) * left) / ring.bandwidth;
    left /= ranks;
  }
  const half = linear(fixed, perByte);
  return { name, push: linear(2 * fixed, 2 * perByte), halves: { scatter: half, gather: half } };
}
