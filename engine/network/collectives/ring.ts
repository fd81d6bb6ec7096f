import { leastOf } from '../../basics/callCost.ts';
import { collectiveLines } from '../../costs/collectives.ts';
import type { Ring } from '../../costs/types.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';

/** 2(n − 1)α + 2(n − 1)/n · S/B; half of it for each half. */
export const ringCall = (ranks: number, ring: Ring): LaneCall => ({
  name: 'ring',
  push: leastOf(collectiveLines('all_reduce', ranks, ring)),
  halves: {
    scatter: leastOf(collectiveLines('reduce_scatter', ranks, ring)),
    gather: leastOf(collectiveLines('all_gather', ranks, ring)),
  },
});
