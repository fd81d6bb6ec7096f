import type { MemoryTrack } from '../simulate/memory.ts';
import type { Idle } from './intervals.ts';
import { type Tasks, fitting } from './tasks.ts';

/** What of a fill job one device does during one run. */
export interface Placed {
  readonly tasks: number;
  /** Seconds of the tasks, changes not counted. */
  readonly seconds: number;
  /** Idle intervals that hold tasks. */
  readonly used: number;
  /** Task that comes next; it was the first not to fit. */
  readonly next: number;
}

/** What an idle interval took: tasks and their seconds. */
type Filled = (interval: number, tasks: number, seconds: number) => void;

/**
 * Called for each run of tasks that was placed: `count` tasks back to back from `at`, the first of them task `first` of the job.
 */
type Visit = (at: number, count: number, first: number) => void;

export interface FillRequest {
  readonly idle: Idle;
  readonly memory: MemoryTrack;
  readonly tasks: Tasks;
  /** Seconds of a change between the pipeline and the fill job. */
  readonly overhead: number;
  /** Seconds of rounding. */
  readonly slack: number;
  readonly visit?: Visit;
  readonly filled?: Filled;
}

/**
 * First fit (Arfeen et al., "PipeFill", MLSys 2025). It goes through the idle intervals in order of time. It starts the next task
 * at the earliest moment from which the task ends within the interval and fits the free memory until then. A task is never cut
 * and never passed by; the first that does not fit waits for a later interval. A change of `overhead` seconds lies before the
 * first task of an interval and after its last. `slack` seconds are rounding.
 * O(intervals + changes of memory), times the logarithm of the tasks; if memory is short, also the tasks placed.
 */
export function placeTasks({
  idle,
  memory,
  tasks,
  overhead,
  slack,
  visit = () => {},
  filled = () => {},
}: FillRequest): Placed {
  const placed = { tasks: 0, seconds: 0, used: 0, next: 0 };
  const { list } = tasks;
  if (list.length === 0) return placed;
  const endOf = (level: number): number => (level + 1 < memory.at.length ? memory.at[level + 1] : Infinity);
  const freeAt = (level: number): number => memory.capacity - memory.bytes[level];
  const put = (at: number, count: number, seconds: number): void => {
    if (count === 0) return;
    visit(at, count, placed.next);
    placed.tasks += count;
    placed.seconds += seconds;
    placed.next = (placed.next + count) % list.length;
  };
  let level = 0;
  for (let interval = 0; interval < idle.from.length; interval += 1) {
    const before = placed.tasks;
    const seconds = placed.seconds;
    const until = idle.to[interval] - overhead + slack;
    let at = idle.from[interval] + overhead;
    while (at < until) {
      while (endOf(level) <= at + slack) level += 1;
      // Those that run while the level stays.
      const stays = Math.min(until, endOf(level) + slack);
      const run = fitting(tasks, placed.next, stays - at, freeAt(level));
      put(at, run.count, run.seconds);
      at += run.seconds;
      if (endOf(level) + slack >= until) break;
      // The next one runs into later levels, or waits for them.
      const { seconds: takes, bytes } = list[placed.next];
      let start = at;
      for (let other = level; other < memory.at.length && memory.at[other] < start + takes - slack; other += 1)
        if (freeAt(other) < bytes) start = Math.max(start, endOf(other));
      if (start + takes > until) break;
      put(start, 1, takes);
      at = start + takes;
    }
    if (placed.tasks > before) placed.used += 1;
    filled(interval, placed.tasks - before, placed.seconds - seconds);
  }
  return placed;
}
