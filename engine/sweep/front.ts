/** Rows of which no other is better in both: the Pareto front of time and memory. A row that keeps room is not worse than one without. */

export interface Figures {
  /** Seconds. */
  readonly iteration: number;
  /** Bytes of the fullest device. */
  readonly peak: number;
  /** Share of the memory of its fullest device that is left; only if it is less than the margin of `memory/headroom`. */
  readonly tight?: number;
}

/** Whether it keeps the margin of `memory/headroom`. */
export const isRoomy = ({ tight }: Pick<Figures, 'tight'>): boolean => tight === undefined;

/** Whether a row that is not the fastest may be as fast: published runs of its kind are off by as much. */
export const isWithin = (
  { iteration, spread }: Pick<Figures, 'iteration'> & { readonly spread?: { readonly time?: number } },
  fastest: Pick<Figures, 'iteration'>,
): boolean =>
  spread?.time !== undefined && iteration > fastest.iteration && iteration <= fastest.iteration * (1 + spread.time);

/** Times that differ by less are equal: the same operations added up in another order. */
const rounding = 1e-9;

/** Whether a row is at least as good in both, and better in one by more than rounding. If devices differ, a smaller peak may leave less. */
export const dominates = (row: Figures, other: Figures): boolean =>
  row.iteration <= other.iteration &&
  row.peak <= other.peak &&
  (isRoomy(row) || !isRoomy(other)) &&
  (row.iteration < other.iteration * (1 - rounding) || row.peak < other.peak);

/** The front, fastest first. Of rows with equal figures the first one is in it, of those that keep room if there are any. */
export function frontOf<Row extends Figures>(rows: readonly Row[]): readonly Row[] {
  const front: Row[] = [];
  const places = new Map(rows.map((row, place) => [row, place]));
  const placeOf = (row: Row): number => places.get(row) ?? rows.length;
  /** Places on the front of the smallest row, and of the smallest one that keeps room. */
  const smallest = { any: -1, roomy: -1 };
  const sorted = rows.toSorted(
    (a, b) => a.iteration - b.iteration || a.peak - b.peak || Number(!isRoomy(a)) - Number(!isRoomy(b)),
  );
  for (const row of sorted) {
    const at = isRoomy(row) ? smallest.roomy : smallest.any;
    const last = at < 0 ? undefined : front[at];
    if (last === undefined || row.peak < last.peak) {
      front.push(row);
      if (isRoomy(row)) smallest.roomy = front.length - 1;
      if (smallest.any < 0 || row.peak < front[smallest.any].peak) smallest.any = front.length - 1;
    } else if (
      row.peak === last.peak &&
      isRoomy(row) === isRoomy(last) &&
      !dominates(last, row) &&
      placeOf(row) < placeOf(last)
    )
      front[at] = row;
  }
  return front;
}
