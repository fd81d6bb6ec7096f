/** Rows of which no other is better in both: the Pareto front of time and memory. */

export interface Figures {
  /** Seconds. */
  readonly iteration: number;
  /** Bytes of the fullest device. */
  readonly peak: number;
}

/** Times that differ by less are equal: the same operations added up in another order. */
const rounding = 1e-9;

/** Whether a row is at least as good in both, and better in one by more than rounding. */
export const dominates = (row: Figures, other: Figures): boolean =>
  row.iteration <= other.iteration &&
  row.peak <= other.peak &&
  (row.iteration < other.iteration * (1 - rounding) || row.peak < other.peak);

/** The front, fastest first. Of rows with equal figures the first one is in it. */
export function frontOf<Row extends Figures>(rows: readonly Row[]): readonly Row[] {
  const front: Row[] = [];
  const places = new Map(rows.map((row, place) => [row, place]));
  const placeOf = (row: Row): number => places.get(row) ?? rows.length;
  for (const row of rows.toSorted((a, b) => a.iteration - b.iteration || a.peak - b.peak)) {
    const last = front.at(-1);
    if (last === undefined || row.peak < last.peak) front.push(row);
    else if (row.peak === last.peak && !dominates(last, row) && placeOf(row) < placeOf(last))
      front[front.length - 1] = row;
  }
  return front;
}
