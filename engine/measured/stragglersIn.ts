/** Stragglers of a run, against a plan. */
import { timingOf } from '../simulate/timing.ts';
import { measure, type Measured, type RowTime } from '../runs/measure.ts';
import { type Stragglers, stragglersOf } from '../runs/stragglers.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import type { Recording } from '../values/recording.ts';
import { plannedIdeal } from './plannedIdeal.ts';

export function stragglersIn(
  plan: PipelinePlan,
  program: Program,
  replicas: readonly Recording[],
  skip: number,
): Stragglers {
  const { duration } = timingOf(plan, program, { freeStep: true });
  const figures = replicas.map((replica) => measure(replica, skip));
  const flight = Number.isNaN(figures[0].flight.median) ? 0 : figures[0].flight.median;
  return stragglersOf(replicas, skip, flight, plannedIdeal(duration, program.stages, togetherOf(figures)));
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
