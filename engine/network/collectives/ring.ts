import { linear } from '../../basics/callCost.ts';
import { collectiveTime } from '../../costs/collectives.ts';
import type { Ring } from '../../costs/types.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';

/** 2(n − 1)α + 2(n − 1)/n · S/B; half of it for each half. */
export function ringCall(ranks: number, ring: Ring): LaneCall {
  const costOf = (pattern: 'all_reduce' | 'reduce_scatter' | 'all_gather') => {
    const fixed = collectiveTime({ pattern, bytes: 0 }, ranks, ring);
    return linear(fixed, collectiveTime({ pattern, bytes: 1 }, ranks, { ...ring, latency: 0 }));
  };
  return {
    name: 'ring',
    push: costOf('all_reduce'),
    halves: { scatter: costOf('reduce_scatter'), gather: costOf('all_gather') },
  };
}
