/** Seconds of one piece on a lane. */
import type { CallCost } from '../../exchangePlan.ts';

/** `bytes` are above 0. */
export function callSeconds(cost: CallCost, bytes: number): number {
  if (cost.kind === 'linear') return cost.fixed + cost.perByte * bytes;
  if (cost.kind === 'least')
    return cost.of.reduce((least, each) => Math.min(least, callSeconds(each, bytes)), Infinity);
  if (cost.kind === 'steps') return callSeconds(cost.of[lastUpTo(cost.from, bytes)], bytes);
  return cost.fixed + measured(cost.bytes, cost.seconds, bytes);
}

/** Of `callSeconds`, the seconds that do not depend on the bytes: what the call itself costs, and latencies. */
export function callOverhead(cost: CallCost, bytes: number): number {
  if (cost.kind === 'steps') return callOverhead(cost.of[lastUpTo(cost.from, bytes)], bytes);
  if (cost.kind !== 'least') return cost.fixed;
  return callOverhead(
    cost.of.reduce((best, each) => (callSeconds(each, bytes) < callSeconds(best, bytes) ? each : best)),
    bytes,
  );
}

/** No way to cut `bytes` into pieces takes fewer seconds, one after the other. */
export function leastSeconds(cost: CallCost, bytes: number): number {
  const whole = callSeconds(cost, bytes);
  if (isConcave(cost)) return whole;
  // Seconds per byte are least at a corner of the cost, or for the whole.
  return cornersOf(cost).reduce(
    (least, corner) =>
      corner > 0 && corner < bytes ? Math.min(least, (bytes * Math.min(...limits(cost, corner))) / corner) : least,
    whole,
  );
}

const isConcave = (cost: CallCost): boolean =>
  cost.kind === 'linear' || (cost.kind === 'least' && cost.of.every(isConcave));

function cornersOf(cost: CallCost): readonly number[] {
  if (cost.kind === 'table') return cost.bytes;
  if (cost.kind === 'steps') return [...cost.from, ...cost.of.flatMap(cornersOf)];
  return cost.kind === 'least' ? cost.of.flatMap(cornersOf) : [];
}

/** Seconds at a corner, and just before it. */
const limits = (cost: CallCost, corner: number): readonly number[] => [
  callSeconds(cost, corner),
  callSeconds(cost, corner * (1 - Number.EPSILON)),
];

/** The last index whose element is at most `value`; 0 if there is none. */
function lastUpTo(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** Linear between the points, at the rate of the last two after them. Fewer bytes than the first point has take as long as it. */
function measured(bytes: readonly number[], seconds: readonly number[], at: number): number {
  if (bytes.length === 1 || at <= bytes[0]) return seconds[0];
  const from = Math.min(lastUpTo(bytes, at), bytes.length - 2);
  const share = (at - bytes[from]) / (bytes[from + 1] - bytes[from]);
  return seconds[from] + share * (seconds[from + 1] - seconds[from]);
}
