import type { Run } from '../../engine/schedule/evaluation.ts';
import { rowOf } from '../../engine/values/program.ts';

/** How time maps to character cells. Cell c covers `c * cell` to `(c + 1) * cell` seconds. */
export interface Scale {
  readonly cell: number;
  readonly cells: number;
  /**
   * False: every operation is at least one cell wide, and a cell shows what runs at its middle. True: operations are
   * narrower than cells, and a cell shows what kinds of them run in it.
   */
  readonly compressed: boolean;
}

/** The widest drawing within `columns` in which the shortest operation takes a whole number of cells; all of `columns` where it would take less than one. */
export function scaleOf(run: Run, columns: number): Scale {
  const makespan = drawnSeconds(run);
  const shortest = shortestOf(run);
  if (!(makespan > 0)) return { cell: 1, cells: 0, compressed: false };
  const each = Math.floor((columns * shortest) / makespan + 1e-9);
  // No operation takes time, but transfers or gradients do: the shortest is infinite.
  if (!(each >= 1) || each === Infinity) return { cell: makespan / columns, cells: columns, compressed: true };
  const cell = shortest / each;
  return { cell, cells: Math.min(columns, Math.ceil(makespan / cell - 1e-6)), compressed: false };
}

/** Without a barrier, devices may wait after an iteration until the next one begins: a whole period is drawn. */
const drawnSeconds = ({ timeline: { makespan, exchange } }: Run): number => Math.max(makespan, exchange?.period ?? 0);

function shortestOf(run: Run): number {
  const { program, timeline } = run;
  const seen = new Set<number>();
  for (const word of program.order) seen.add(rowOf(program, word));
  return [...seen].reduce((least, row) => {
    const duration = (timeline.timing.single?.least ?? timeline.timing.duration)[row] ?? 0;
    return duration > 0 ? Math.min(least, duration) : least;
  }, Infinity);
}
