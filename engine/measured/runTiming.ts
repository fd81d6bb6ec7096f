/** Times of a plan with parts of what was measured in their place. */
import type { MessageCounts } from '../basics/messageOverhead.ts';
import type { Flights } from '../runs/flights.ts';
import type { HostTimes } from '../runs/hostTimes.ts';
import type { Measured } from '../runs/measure.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { F, type Program, W } from '../values/program.ts';
import type { RecordedStep } from '../values/recording.ts';
import type { Timing } from '../values/timeline.ts';

/** Durations of rows: the mean as measured, and the plan's where nothing was measured. */
export function withTimes(timing: Timing, { times }: Pick<Measured, 'times'>): Timing {
  const { single: _, ...rest } = timing;
  return { ...rest, duration: timing.duration.map((planned, row) => times.get(row)?.mean ?? planned) };
}

/** Every operation keeps its device longer by what its host takes to turn to the next one. */
export const withHost = (timing: Timing, host: (row: number) => number): Timing => ({
  ...timing,
  duration: timing.duration.map((seconds, row) => seconds + host(row)),
});

/** By row: the host's time after an operation, and for its messages. */
export const rowHost =
  ({ operation, message }: HostTimes, { sent, received }: MessageCounts) =>
  (row: number): number => {
    const stages = sent.forward.length;
    const [kind, stage] = [Math.trunc(row / stages), row % stages];
    const way = kind === F ? 'forward' : 'backward';
    return operation + (kind === W ? 0 : message * (sent[way][stage] + received[way][stage]));
  };

/** Messages between devices take as long as measured for their pair, from sending to arriving; as planned where nothing was measured. */
export function withFlights(timing: Timing, { routes }: PipelinePlan, { of }: Flights): Timing {
  const measured = routes.map(({ from, to }) => of(from, to).median);
  const known = (need: number): boolean => !Number.isNaN(measured[timing.needRoute[need]] ?? Number.NaN);
  return {
    ...timing,
    needLatency: timing.needLatency.map((planned, need) => (known(need) ? measured[timing.needRoute[need]] : planned)),
    needOccupancy: timing.needOccupancy.map((planned, need) => (known(need) ? 0 : planned)),
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
