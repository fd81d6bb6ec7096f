import type { Row } from './vBlocks.ts';
import { classesOf, endOf, type Ends, type VTimes } from './vTimes.ts';

/** How far an operation is moved in the order of its device. */
const reach = 14;
/** Moves that must fit the budget for any to be tried. */
const fewest = 300;

/**
 * Moves operations of one device past neighbours of another class, one at a time and as long as the end comes sooner, within
 * `limit` chunks. Visits `budget` operations at most, and always in the same turn, so that a shape always has the same order.
 */
export function improved(
  given: readonly Row[],
  microbatches: number,
  limit: number,
  times: VTimes,
  ends: Ends,
  budget: number,
): readonly Row[] {
  const rows = given.map((row) => row.slice());
  const operations = rows.reduce((sum, row) => sum + row.length, 0);
  let best = endOf(rows, microbatches, times, ends);
  let visited = operations;
  const spent = (): boolean => visited + operations > budget;
  const classes = classesOf(times.taken.length, microbatches);
  const fits = (row: Row): boolean => {
    let held = 0;
    for (let at = 0; at < row.length; at += 1) {
      held += times.taken[classes[row[at]]];
      if (held > limit) return false;
    }
    return true;
  };
  /** Moves the operation at `from` past its neighbours in one direction, and leaves the row where the end was soonest. */
  const move = (row: Row, from: number, direction: -1 | 1): boolean => {
    const kept = row.slice();
    const moving = classes[row[from]];
    let sooner = false;
    for (let at = from, to = from + direction, steps = 0; steps < reach && row[to] !== undefined; steps += 1) {
      if (classes[row[to]] === moving || spent()) break;
      [row[at], row[to]] = [row[to], row[at]];
      [at, to] = [to, to + direction];
      visited += row.length;
      if (!fits(row)) continue;
      visited += operations;
      const end = endOf(rows, microbatches, times, ends, best);
      if (end >= best) continue;
      best = end;
      kept.set(row);
      sooner = true;
    }
    row.set(kept);
    return sooner;
  };
  // A handful of moves of a long order gains nothing.
  if (fewest * operations > budget) return rows;
  for (let moved = true; moved;) {
    moved = false;
    for (const row of rows) {
      for (let at = 0; at < row.length; at += 1) {
        if (spent()) return rows;
        for (const direction of [-1, 1] as const) if (move(row, at, direction)) moved = true;
      }
    }
  }
  return rows;
}
