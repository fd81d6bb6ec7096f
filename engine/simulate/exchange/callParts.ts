/** The least seconds of calls that carry given bytes. */
import { callSeconds } from '../../basics/callCost.ts';
import type { CallCost } from '../../values/exchangePlan.ts';

/** No way to cut `bytes` into pieces takes fewer seconds, if one goes after the other. */
export function leastSeconds(cost: CallCost, bytes: number): number {
  const whole = callSeconds(cost, bytes);
  if (isConcave(cost)) return whole;
  // Seconds per byte are least at a corner of the cost, on either side of it, or for the whole.
  return cornersOf(cost).reduce((least, corner) => {
    if (corner <= 0 || corner > bytes) return least;
    const seconds = Math.min(callSeconds(cost, corner), callSeconds(cost, corner * (1 - Number.EPSILON)));
    return Math.min(least, (bytes * seconds) / corner);
  }, whole);
}

/** Then a cut never pays: both parts pay what does not depend on the bytes. */
const isConcave = (cost: CallCost): boolean =>
  cost.kind === 'linear' || (cost.kind === 'least' && cost.of.every(isConcave));

function cornersOf(cost: CallCost): readonly number[] {
  if (cost.kind === 'table') return cost.bytes;
  if (cost.kind === 'steps') return [...cost.from, ...cost.of.flatMap(cornersOf)];
  return cost.kind === 'least' ? cost.of.flatMap(cornersOf) : [];
}
