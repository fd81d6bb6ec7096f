import { type TorchCell, computing } from './table.ts';
import { neededKey, resultKey } from './waits.ts';

/** Blanks of one table at most; with more of them it is written without any. */
const mostBlanks = 4_000_000;

/**
 * Idle steps before each cell if each takes one step and starts as soon as what it needs has ended; stages in a chain, transfers
 * free. `undefined` where the order never ends, or where the blanks would be too many. Linear in cells and blanks.
 */
export function idleSteps(
  rows: readonly (readonly TorchCell[])[],
  stages: number,
  microbatches: number,
): readonly Int32Array[] | undefined {
  const done = new Uint8Array(3 * stages * microbatches);
  const idle = rows.map((row) => new Int32Array(row.length));
  const next = rows.map(() => 0);
  let working = rows.flatMap((row, rank) => (row.length > 0 ? [rank] : []));
  let blanks = 0;
  while (working.length > 0) {
    const ended: number[] = [];
    let moved = false;
    for (const rank of working) {
      const at = next[rank];
      const actions = computing(rows[rank][at]);
      const needs = actions.map((computeAction) => neededKey(computeAction, stages, microbatches));
      if (needs.some((need) => need >= 0 && done[need] === 0)) {
        idle[rank][at] += 1;
        blanks += 1;
      } else {
        next[rank] += 1;
        moved = true;
        for (const computeAction of actions) ended.push(resultKey(computeAction, stages, microbatches));
      }
    }
    if (!moved || blanks > mostBlanks) return undefined;
    for (const key of ended) done[key] = 1;
    working = working.filter((rank) => next[rank] < rows[rank].length);
  }
  return idle;
}
