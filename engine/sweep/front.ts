/** Rows of which no other is better in both: the Pareto front of time and memory. */

export interface Figures {
  /** Seconds. */
  readonly iteration: number;
  /** Bytes of the fullest device. */
  readonly peak: number;
}

/** Whether a row is at least as good in both, and better in one. */
export const dominates = (row: Figures, other: Figures): boolean =>
  row.iteration <= other.iteration &&
  row.peak <= other.peak &&
  (row.iteration < other.iteration || row.peak < other.peak);

/** The front, fastest first. Of rows with equal figures the first one is in it. */
export function frontOf<Row extends Figures>(rows: readonly Row[]): readonly Row[] {
  const front: Row[] = [];
  for (const row of rows.toSorted((a, b) => a.iteration - b.iteration || a.peak - b.peak)) {
    const last = front.at(-1);
    if (last === undefined || row.peak < last.peak) front.push(row);
  }
  return front;
}
