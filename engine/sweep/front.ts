/** Rows of which no other is better in both: the Pareto front of time and memory. A row that keeps room is not worse than one without. */

export interface Figures {
  /** Seconds. */
  readonly iteration: number;
  /** Seconds in which the row would train as many samples as other rows; only if its iteration has another number of them. */
  readonly scaled?: number;
  /** Bytes of the fullest device. */
  readonly peak: number;
  /** Share of the memory of its fullest device that is left; only if it is less than the margin of `memory/headroom`. */
  readonly tight?: number;
}

/** Seconds by which rows compare, whatever samples their iterations have. */
export const paceOf = ({ iteration, scaled }: Pick<Figures, 'iteration' | 'scaled'>): number => scaled ?? iteration;

/** Whether it keeps the margin of `memory/headroom`. */
export const isRoomy = ({ tight }: Pick<Figures, 'tight'>): boolean => tight === undefined;

/** Whether a row that is not the fastest may be as fast: published runs of its kind are off by as much. */
export const isWithin = (
  { spread, ...row }: Pick<Figures, 'iteration' | 'scaled'> & { readonly spread?: { readonly time?: number } },
  fastest: Pick<Figures, 'iteration' | 'scaled'>,
): boolean =>
  spread?.time !== undefined && paceOf(row) > paceOf(fastest) && paceOf(row) <= paceOf(fastest) * (1 + spread.time);

/** Times that differ by less are equal: the same operations added up in another order. */
const rounding = 1e-9;

/** Whether a row is at least as good in both, and better in one by more than rounding. If devices differ, a smaller peak may leave less. */
export const dominates = (row: Figures, other: Figures): boolean =>
  paceOf(row) <= paceOf(other) &&
  row.peak <= other.peak &&
  (isRoomy(row) || !isRoomy(other)) &&
  (paceOf(row) < paceOf(other) * (1 - rounding) || row.peak < other.peak);

/** The front, fastest first. Of rows with equal figures the first one is in it, of those that keep room if there are any. */
export function frontOf<Row extends Figures>(rows: readonly Row[]): readonly Row[] {
  const front: Row[] = [];
  const places = new Map(rows.map((row, place) => [row, place]));
  const placeOf = (row: Row): number => places.get(row) ?? rows.length;
  /** Places on the front of the smallest row, and of the smallest one that keeps room. */
  const smallest = { any: -1, roomy: -1 };
  const sorted = rows.toSorted(
    (a, b) => paceOf(a) - paceOf(b) || a.peak - b.peak || Number(!isRoomy(a)) - Number(!isRoomy(b)),
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
