/**
 * Times as whole numbers of a decimal fraction of a second, as fine as the longest run allows. Sums are then exact, so that equal
 * instants are found equal, and an order does not depend on rounding.
 */
export interface Ticks {
  /** By result row. */
  readonly duration: Float64Array;
  /** By result row × microbatches + microbatch; only if operations of a row take different times. */
  readonly single?: Float64Array;
  /** By need. */
  readonly transfer: Float64Array;
}

/** Ticks of the operation of a result row. */
export const ticksAt = ({ duration, single }: Ticks, microbatches: number, row: number, microbatch: number): number =>
  single === undefined ? duration[row] : single[row * microbatches + microbatch];

export interface WholeTicks extends Ticks {
  readonly perSecond: number;
}

/** Scales and rounds both arrays in place; `microbatches` of each bound the longest run. */
export function wholeTicks(
  duration: Float64Array,
  transfer: Float64Array,
  microbatches: number,
  single?: Float64Array,
): WholeTicks {
  const work = microbatches * duration.reduce(sum, 0);
  const longest = Math.max(work, single?.reduce(sum, 0) ?? 0) + microbatches * transfer.reduce(sum, 0);
  const digits = Math.max(-300, Math.min(15, Math.floor(15 - Math.log10(Math.max(longest, 1e-300)))));
  const scale = 10 ** digits;
  for (let row = 0; row < duration.length; row += 1) duration[row] = Math.round(duration[row] * scale);
  for (let need = 0; need < transfer.length; need += 1) transfer[need] = Math.round(transfer[need] * scale);
  if (single === undefined) return { duration, transfer, perSecond: scale };
  return { duration, single: single.map((seconds) => Math.round(seconds * scale)), transfer, perSecond: scale };
}

const sum = (total: number, value: number): number => total + value;
