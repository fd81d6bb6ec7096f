/**
 * Times as whole numbers of a decimal fraction of a second, as fine as the longest run allows. Sums are then exact, so that equal
 * instants are found equal, and an order does not depend on rounding.
 */
export interface Ticks {
  /** By result row. */
  readonly duration: Float64Array;
  /** By need. */
  readonly transfer: Float64Array;
}

export interface WholeTicks extends Ticks {
  readonly perSecond: number;
}

/** Scales and rounds both arrays in place; `microbatches` of each bound the longest run. */
export function wholeTicks(duration: Float64Array, transfer: Float64Array, microbatches: number): WholeTicks {
  const longest = microbatches * (duration.reduce(sum, 0) + transfer.reduce(sum, 0));
  const digits = Math.max(-300, Math.min(15, Math.floor(15 - Math.log10(Math.max(longest, 1e-300)))));
  const scale = 10 ** digits;
  for (let row = 0; row < duration.length; row += 1) duration[row] = Math.round(duration[row] * scale);
  for (let need = 0; need < transfer.length; need += 1) transfer[need] = Math.round(transfer[need] * scale);
  return { duration, transfer, perSecond: scale };
}

const sum = (total: number, value: number): number => total + value;
