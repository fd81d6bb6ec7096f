import { kindOfRow, type Program, R } from '../values/program.ts';

/** Whether the microbatch of an operation of this device has a separate R. */
export function recomputedApart(
  { order, shift, stages, microbatches }: Program,
  apart: Uint8Array,
  local: readonly number[],
  turn: Int32Array,
  from: number,
  to: number,
): ((word: number) => boolean) | undefined {
  if (!local.some((stage) => apart[stage] === 1)) return undefined;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const found = new Uint8Array(local.length * microbatches);
  for (let at = from; at < to; at += 1) {
    const row = order[at] >> shift;
    if (kindOfRow(stages, row) === R) found[turn[row % stages] * microbatches + (order[at] & mask)] = 1;
  }
  return (word) => found[turn[(word >> shift) % stages] * microbatches + (word & mask)] === 1;
}
