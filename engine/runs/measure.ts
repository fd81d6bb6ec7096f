/** Figures of a recording: times of each stage and kind, of messages, of hosts and of the iteration. */
import type { Recording, RecordedStep } from '../values/recording.ts';
import { flightOf, type Flight, type PairFlights, pairFlights } from './flights.ts';
import { iterationSeconds, withoutFirst } from './iteration.ts';
import { halfInterval, mean } from './statistics.ts';

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
  /** Seconds from sending to arriving, of messages that a rank waited for: of all, and by pair of ranks. */
  readonly flight: Flight;
  readonly flights: readonly PairFlights[];
  readonly iteration: number;
  readonly optimizer: number;
}

export function measure(recording: Recording, skip: number): Measured {
  const steps = withoutFirst(recording.steps, skip);
  const flights = pairFlights(recording, steps);
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
    flight: flightOf(flights),
    flights,
    iteration: iterationSeconds(steps.map((step) => [startOf(step), endOf(step)])),
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
