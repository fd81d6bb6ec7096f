import { linear } from '../../basics/callCost.ts';
import type { Ring } from '../../costs/types.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';

/** It needs 2^k ranks. */
export interface NotPowerOfTwo {
  readonly problem: 'not-power-of-two';
  readonly ranks: number;
  /** Of the powers below and above, the closer one; the lower one of two that are as close. */
  readonly nearest: number;
}

/**
 * Recursive halving and doubling: 2 log₂n · α + 2(n − 1)/n · S/B for n = 2^k. In round i a rank exchanges n/2^i parts with a partner
 * (Thakur, Rabenseifner and Gropp, *Optimization of collective communication operations in MPICH*, 2005, section 4.5).
 */
export function halvingCall(ranks: number, ring: Ring): LaneCall | NotPowerOfTwo {
  const rounds = Math.log2(Math.max(1, ranks));
  if (!Number.isInteger(rounds)) {
    const [below, above] = [2 ** Math.floor(rounds), 2 ** Math.ceil(rounds)];
    return { problem: 'not-power-of-two', ranks, nearest: ranks - below <= above - ranks ? below : above };
  }
  const each = ring.bandwidth > 0 ? (ranks - 1) / ranks / ring.bandwidth : 0;
  const half = linear(rounds * ring.latency, each);
  return {
    name: 'halving',
    push: linear(2 * rounds * ring.latency, 2 * each),
    halves: { scatter: half, gather: half },
  };
}
