/** Times of a plan with parts of what was measured in their place. */
import type { Measured } from '../runs/measure.ts';
import type { Program } from '../values/program.ts';
import type { RecordedStep } from '../values/recording.ts';
import type { Timing } from '../values/timeline.ts';

/** Durations of rows: the mean as measured, and the plan's where nothing was measured. */
export function withTimes(timing: Timing, { times }: Pick<Measured, 'times'>): Timing {
  const { single: _, ...rest } = timing;
  return { ...rest, duration: timing.duration.map((planned, row) => times.get(row)?.mean ?? planned) };
}

/** Every operation keeps its device longer by what its host takes to turn to the next one. */
export const withHost = (timing: Timing, host: number): Timing => ({
  ...timing,
  duration: timing.duration.map((seconds) => seconds + (Number.isNaN(host) ? 0 : host)),
});

/** Messages between devices take as long as measured, from sending to arriving. */
export function withFlights(timing: Timing, flight: number): Timing {
  if (Number.isNaN(flight)) return timing;
  return {
    ...timing,
    needLatency: timing.needLatency.map((planned, need) => (timing.needRoute[need] < 0 ? planned : flight)),
    needOccupancy: timing.needOccupancy.map((planned, need) => (timing.needRoute[need] < 0 ? planned : 0)),
  };
}

/** Every operation takes what it took in this step, with the time until its rank turned to the next one. */
export function withOwnTimes(timing: Timing, program: Program, step: RecordedStep): Timing {
  const { microbatches, stages } = program;
  const seconds = new Float64Array(timing.duration.length * microbatches);
  for (const row of timing.duration.keys())
    seconds.fill(timing.duration[row], row * microbatches, (row + 1) * microbatches);
  for (const { kind, stage, microbatch, begin, end, work, fused } of step.rows)
    for (const [at, own] of work.entries()) {
      if (Number.isNaN(own)) continue;
      const gap = at + 1 < work.length && fused[at] === 0 ? Math.max(0, begin[at + 1] - end[at]) : 0;
      seconds[(kind[at] * stages + stage[at]) * microbatches + microbatch[at]] = own + gap;
    }
  const by = (least: (...values: readonly number[]) => number): Float64Array =>
    timing.duration.map((_, row) => least(...seconds.subarray(row * microbatches, (row + 1) * microbatches)));
  return { ...timing, single: { seconds, layers: timing.duration, least: by(Math.min), most: by(Math.max) } };
}
