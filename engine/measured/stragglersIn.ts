/** Stragglers of a run, against a plan. */
import { withoutOverhead } from '../basics/messageOverhead.ts';
import { timingOf } from '../simulate/timing.ts';
import { flightsIn } from '../runs/flights.ts';
import { measure, type Measured, type RowTime } from '../runs/measure.ts';
import { type Stragglers, stragglersOf } from '../runs/stragglers.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import type { Recording } from '../values/recording.ts';
import { plannedFlights } from './plannedFlights.ts';
import { plannedIdeal } from './plannedIdeal.ts';

export function stragglersIn(
  plan: PipelinePlan,
  program: Program,
  replicas: readonly Recording[],
  skip: number,
): Stragglers {
  const timing = timingOf(withoutOverhead(plan), program, { freeStep: true });
  const figures = replicas.map((replica) => measure(replica, skip));
  const flights = figures.map((of) => flightsIn(of, plannedFlights(plan, timing)));
  const flight = (replica: number, from: number, to: number): number => flights[replica].of(from, to).median || 0;
  return stragglersOf(replicas, skip, flight, plannedIdeal(timing.duration, program.stages, togetherOf(figures)));
}

/** Times of all replicas as one. */
function togetherOf(figures: readonly Measured[]): Pick<Measured, 'times'> {
  const times = new Map<number, RowTime>();
  for (const each of figures)
    for (const [row, { count, mean }] of each.times) {
      const before = times.get(row) ?? { count: 0, mean: 0, half: undefined };
      const all = before.count + count;
      times.set(row, { count: all, mean: (before.count * before.mean + count * mean) / all, half: undefined });
    }
  return { times };
}
