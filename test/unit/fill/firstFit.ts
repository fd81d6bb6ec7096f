import type { FillTask } from '../../../engine/values/plan.ts';

export interface Case {
  readonly idle: readonly (readonly [number, number])[];
  /** Moment and level, ascending; the first moment is 0. */
  readonly levels: readonly (readonly [number, number])[];
  readonly capacity: number;
  readonly tasks: readonly FillTask[];
  readonly overhead: number;
}

export interface Span {
  readonly at: number;
  readonly end: number;
  readonly task: number;
}

/** First fit, one task at a time: of all moments at which a task could begin, the first that does. Whole numbers, so no rounding. */
export function plainFirstFit({ idle, levels, capacity, tasks, overhead }: Case): Span[] {
  const levelAt = (from: number, to: number): number =>
    Math.max(
      ...levels.map(([at, level], index) => (at < to && (levels[index + 1]?.[0] ?? Infinity) > from ? level : -1)),
    );
  const spans: Span[] = [];
  const real = tasks.filter((task) => task.seconds > 0);
  if (real.length === 0) return spans;
  let next = 0;
  for (const [from, to] of idle) {
    let free = from + overhead;
    for (;;) {
      const { seconds, bytes } = real[next % real.length];
      let start = free;
      while (start + seconds <= to - overhead && levelAt(start, start + seconds) + bytes > capacity) start += 1;
      if (start + seconds > to - overhead) break;
      spans.push({ at: start, end: start + seconds, task: next % real.length });
      free = start + seconds;
      next += 1;
    }
  }
  return spans;
}
