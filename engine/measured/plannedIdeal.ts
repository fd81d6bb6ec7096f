/** What an operation should take: what the plan says, at the pace that the run as a whole had. */
import type { Measured } from '../runs/measure.ts';

/** An operation that takes less than this share of its planned time does nothing: the first stage has no input gradient to compute. */
const empty = 0.01;

/**
 * A kind that is slow on every rank differs from the plan, and is no straggler. So the planned times of a kind are scaled by the mean
 * of measured over planned, over its operations. With equal planned stages that is the mean time of the kind, as in the study.
 */
export function plannedIdeal(
  duration: Float64Array,
  stages: number,
  { times }: Pick<Measured, 'times'>,
): (kind: number, stage: number) => number {
  const paces = new Map<number, { sum: number; count: number }>();
  for (const [row, { mean, count }] of times) {
    const pace = paces.get(Math.trunc(row / stages)) ?? { sum: 0, count: 0 };
    paces.set(Math.trunc(row / stages), pace);
    if (!(duration[row] > 0) || mean < empty * duration[row]) continue;
    pace.sum += (count * mean) / duration[row];
    pace.count += count;
  }
  return (kind, stage) => {
    const row = kind * stages + stage;
    const pace = paces.get(kind);
    const own = times.get(row)?.mean ?? 0;
    return pace === undefined || pace.count === 0 || !(duration[row] > 0) || own < empty * duration[row]
      ? own
      : (duration[row] * pace.sum) / pace.count;
  };
}
