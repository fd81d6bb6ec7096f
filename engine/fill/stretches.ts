import type { PipelinePlan } from '../values/plan.ts';
import { memoryTrack } from '../simulate/memory.ts';
import type { Timeline } from '../values/timeline.ts';
import { idleOf } from './intervals.ts';
import { placeTasks } from './place.ts';
import { tasksOf } from './tasks.ts';

/**
 * What a fill job does on one device, for drawing: stretches of tasks that run back to back, in order of time. There may be many
 * tasks. There are only a few stretches for each idle interval, each change of memory within it, and each task that waits for
 * one.
 */
export interface FillStretches {
  /** Layers and seconds of the tasks of one pass; the job starts over at their end. */
  readonly layers: readonly string[];
  readonly seconds: Float64Array;
  /** By stretch: start and end in seconds, number of tasks, and which of `layers` is the first. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly count: Float64Array;
  readonly first: Int32Array;
}

/** The stretches of a device; undefined if its pipeline has no fill job. The report has the same tasks. */
export function fillStretches(plan: PipelinePlan, timeline: Timeline, device: number): FillStretches | undefined {
  const { fill } = plan;
  if (fill === undefined) return undefined;
  const tasks = tasksOf(fill.tasks[plan.devices[device].kind] ?? []);
  const pass = tasks.before[tasks.list.length];
  const from: number[] = [];
  const to: number[] = [];
  const count: number[] = [];
  const first: number[] = [];
  const slack = timeline.makespan * 1e-12;
  placeTasks({
    idle: idleOf(timeline, device),
    memory: memoryTrack(plan, timeline, device),
    tasks,
    overhead: fill.overhead,
    slack,
    visit: (at, placed, start) => {
      const passes = Math.floor(placed / tasks.list.length);
      const rest = placed - passes * tasks.list.length;
      const end = at + passes * pass + (tasks.before[start + rest] - tasks.before[start]);
      const last = to.length - 1;
      // One that follows at once is part of the same stretch.
      if (last >= 0 && at - to[last] <= slack) {
        to[last] = end;
        count[last] += placed;
        return;
      }
      from.push(at);
      to.push(end);
      count.push(placed);
      first.push(start);
    },
  });
  return {
    layers: tasks.list.map(({ layer }) => layer),
    seconds: Float64Array.from(tasks.list, ({ seconds }) => seconds),
    from: Float64Array.from(from),
    to: Float64Array.from(to),
    count: Float64Array.from(count),
    first: Int32Array.from(first),
  };
}
