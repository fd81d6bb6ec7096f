/** Figures of a recording: times of each stage and kind, of messages, of hosts and of the iteration. */
import type { Recording, RecordedStep } from '../values/recording.ts';
import { messagesOf } from './clocks.ts';
import { halfInterval, mean, median } from './statistics.ts';

export interface RowTime {
  readonly count: number;
  readonly mean: number;
  readonly half: number | undefined;
}

export interface Measured {
  readonly steps: readonly RecordedStep[];
  /** Seconds by row, which is kind × stages + stage; absent for a kind that the stage never ran, or without a time. */
  readonly times: ReadonlyMap<number, RowTime>;
  /** Operations by row, with those that have no time. */
  readonly counts: ReadonlyMap<number, number>;
  /** Seconds from one operation of a rank to the next, while neither waits. */
  readonly host: number;
  /** Seconds from sending to arriving, of messages that a rank waited for. */
  readonly flight: { readonly count: number; readonly median: number };
  readonly iteration: number;
  readonly optimizer: number;
}

/** Steps without the first ones, in which libraries start. One step is kept, whatever is left out. */
export const usedSteps = ({ steps }: Recording, skip: number): readonly RecordedStep[] =>
  steps.slice(Math.min(skip, steps.length - 1));

export function measure(recording: Recording, skip: number): Measured {
  const steps = usedSteps(recording, skip);
  const flights = steps.flatMap((step) =>
    [...messagesOf(recording, step)].flatMap(({ waited, posted, arrived }) => (waited ? [arrived - posted] : [])),
  );
  const counts = new Map<number, number>();
  for (const { rows } of steps)
    for (const row of rows)
      for (const [at, kind] of row.kind.entries()) {
        const key = kind * recording.stages + row.stage[at];
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
  return {
    steps,
    times: timesOf(recording, steps),
    counts,
    host: mean(steps.flatMap(({ rows }) => rows.flatMap(gapsOf))),
    flight: { count: flights.length, median: median(flights) },
    iteration: iterationOf(steps),
    optimizer: mean(steps.flatMap(({ optimizer }) => [...optimizer].filter((seconds) => !Number.isNaN(seconds)))),
  };
}

/** Times by row. */
function timesOf({ stages }: Recording, steps: readonly RecordedStep[]): ReadonlyMap<number, RowTime> {
  const samples = new Map<number, number[][]>();
  for (const [index, { rows }] of steps.entries())
    for (const row of rows)
      for (const [at, work] of row.work.entries()) {
        if (Number.isNaN(work)) continue;
        const key = row.kind[at] * stages + row.stage[at];
        const bySteps = samples.get(key) ?? steps.map((): number[] => []);
        samples.set(key, bySteps);
        bySteps[index].push(work);
      }
  return new Map(
    [...samples].map(([key, bySteps]) => {
      const all = bySteps.flat();
      const half = halfInterval(bySteps.filter((step) => step.length > 0).map(mean));
      return [key, { count: all.length, mean: mean(all), half }];
    }),
  );
}

/** Seconds between the end of one operation and the moment at which the rank turns to the next. */
export const gapsOf = ({ begin, end, fused }: RecordedStep['rows'][number]): readonly number[] =>
  [...begin.subarray(1)].flatMap((next, at) => (fused[at] === 1 ? [] : [Math.max(0, next - end[at])]));

/** A rank that waits for its first message has not started. */
export const startOf = ({ rows }: RecordedStep): number => Math.min(...rows.map(({ start }) => start[0]));
export const endOf = ({ rows }: RecordedStep): number => Math.max(...rows.map(({ end }) => Math.max(...end)));
export const lengthOf = (step: RecordedStep): number => endOf(step) - startOf(step);

/**
 * The mean from the first start to the last end where ranks meet between steps. Otherwise steps interlock, and the iteration is the
 * median from step to step.
 */
function iterationOf(steps: readonly RecordedStep[]): number {
  const periods = steps.slice(1).map((step, at) => startOf(step) - startOf(steps[at]));
  const interlock = steps.slice(1).some((step, at) => startOf(step) < endOf(steps[at]));
  return interlock ? median(periods) : mean(steps.map(lengthOf));
}
