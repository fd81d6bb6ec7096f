/** Seconds of a call as a function of its bytes. */
import type { CallCost } from '../values/exchangePlan.ts';

export type Line = Extract<CallCost, { readonly kind: 'linear' }>;

export const linear = (fixed: number, perByte: number): Line => ({ kind: 'linear', fixed, perByte });

export const leastOf = (of: readonly CallCost[]): CallCost => (of.length === 1 ? of[0] : { kind: 'least', of });

/** The same with `fixed` more seconds for each call. */
export function withFixed(cost: CallCost, fixed: number): CallCost {
  if (fixed === 0) return cost;
  switch (cost.kind) {
    case 'linear':
    case 'table':
      return { ...cost, fixed: cost.fixed + fixed };
    case 'least':
    case 'steps':
      return { ...cost, of: cost.of.map((part) => withFixed(part, fixed)) };
  }
}

/** The same with `share` bytes for each byte. `share` is positive. */
export function withShare(cost: CallCost, share: number): CallCost {
  switch (cost.kind) {
    case 'linear':
      return { ...cost, perByte: cost.perByte * share };
    case 'table':
      return { ...cost, bytes: cost.bytes.map((bytes) => bytes / share) };
    case 'least':
      return { ...cost, of: cost.of.map((part) => withShare(part, share)) };
    case 'steps':
      return {
        ...cost,
        from: cost.from.map((bytes) => bytes / share),
        of: cost.of.map((part) => withShare(part, share)),
      };
  }
}

/** A table has the seconds of its first point below it, and the rate of its last two points above them. */
export function callSeconds(cost: CallCost, bytes: number): number {
  switch (cost.kind) {
    case 'linear':
      return cost.fixed + cost.perByte * bytes;
    case 'least':
      return cost.of.reduce((least, part) => Math.min(least, callSeconds(part, bytes)), Infinity);
    case 'steps':
      return callSeconds(cost.of[placeOf(cost.from, bytes)], bytes);
    case 'table':
      return cost.fixed + between(cost.bytes, cost.seconds, bytes);
  }
}

/** The seconds that do not depend on the bytes: what the call itself costs, and latencies. */
export function callOverhead(cost: CallCost, bytes: number): number {
  if (cost.kind === 'steps')
    return callOverhead(
      cost.of[
        Math.max(
          0,
          cost.from.findLastIndex((from) => from <= bytes),
        )
      ],
      bytes,
    );
  if (cost.kind !== 'least') return cost.fixed;
  return callOverhead(
    cost.of.reduce((best, each) => (callSeconds(each, bytes) < callSeconds(best, bytes) ? each : best)),
    bytes,
  );
}

function between(at: readonly number[], seconds: readonly number[], bytes: number): number {
  if (bytes <= at[0] || at.length === 1) return seconds[0];
  const left = Math.min(placeOf(at, bytes), at.length - 2);
  const rate = (seconds[left + 1] - seconds[left]) / (at[left + 1] - at[left]);
  return seconds[left] + (bytes - at[left]) * rate;
}

/** The last of the ascending numbers that is at most `value`; 0 if all are above it. */
function placeOf(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ascending[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
