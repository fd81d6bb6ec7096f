import type { PlainBlock } from './columns.ts';

/** Seconds of forwards, input gradients and weight gradients of a row of `columnsFrom` between two times, found the long way. */
export function secondsOf(row: readonly PlainBlock[], from: number, to: number): number[] {
  const seconds = [0, 0, 0];
  let time = 0;
  for (const { kind, gap, length } of row) {
    time += gap;
    const parts =
      kind === 1
        ? [
            [0, 0.6, 1],
            [0.6, 1, 2],
          ]
        : [[0, 1, kind === 0 ? 0 : kind === 2 ? 1 : 2]];
    for (const [a, b, paint] of parts)
      seconds[paint] += Math.max(0, Math.min(to, time + b * length) - Math.max(from, time + a * length));
    time += length;
  }
  return seconds;
}

/** Mean share of each kind over some rows. */
export const sharesOf = (rows: readonly (readonly PlainBlock[])[], from: number, to: number): number[] =>
  [0, 1, 2].map(
    (kind) => rows.reduce((sum, row) => sum + secondsOf(row, from, to)[kind], 0) / rows.length / (to - from),
  );
