import type { FillBubble, FillDeviceReport, FillReport } from '../values/fillReport.ts';
import type { FillPlan, PipelinePlan } from '../values/plan.ts';
import { type MemoryTrack, memoryTrack } from '../simulate/memory.ts';
import type { Timeline } from '../values/timeline.ts';
import { type Idle, idleOf } from './intervals.ts';
import { placeTasks } from './place.ts';
import { tasksOf } from './tasks.ts';

/** Bubbles of a device that the report lists. */
const listedBubbles = 1000;

/** What the fill job of a pipeline does while its devices idle; undefined where the pipeline has none. */
export function fillReport(plan: PipelinePlan, timeline: Timeline): FillReport | undefined {
  const { fill } = plan;
  if (fill === undefined) return undefined;
  const devices = plan.devices.map((_, device) => deviceFill(plan, fill, timeline, device));
  const sum = (of: (device: FillDeviceReport) => number) => devices.reduce((all, device) => all + of(device), 0);
  const idle = sum((fillDeviceReport) => fillDeviceReport.idle);
  const time = sum((fillDeviceReport) => fillDeviceReport.time);
  return {
    job: fill.model,
    work: fill.work,
    overhead: fill.overhead,
    tasks: sum((fillDeviceReport) => fillDeviceReport.tasks),
    passes: sum((fillDeviceReport) => fillDeviceReport.passes),
    time,
    recovered: idle > 0 ? time / idle : 0,
    slowdown: 0,
    devices,
  };
}

function deviceFill(plan: PipelinePlan, fill: FillPlan, timeline: Timeline, device: number): FillDeviceReport {
  const { name, kind } = plan.devices[device];
  const { makespan, busy } = timeline;
  const idle = idleOf(timeline, device);
  const memory = memoryTrack(plan, timeline, device);
  const tasks = tasksOf(fill.tasks[kind] ?? []);
  const slack = makespan * 1e-12;
  const free = leastFree(idle, memory, slack);
  const request = { idle, memory, overhead: fill.overhead, slack };
  const bubbles: FillBubble[] = [];
  const placed = placeTasks({
    ...request,
    tasks,
    filled: (interval, count, seconds) => {
      if (interval >= listedBubbles) return;
      const at = idle.from[interval];
      bubbles.push({ at, seconds: idle.to[interval] - at, free: free[interval], tasks: count, time: seconds });
    },
  });
  const next = tasks.list.at(placed.next);
  // Alone, and first in every interval.
  const only = next === undefined ? undefined : placeTasks({ ...request, tasks: tasksOf([next]) });
  // Rounding may leave −1e−16 where nothing is idle.
  const whole = Math.max(0, makespan - busy[device]);
  return {
    name,
    idle: whole,
    intervals: idle.from.length,
    used: placed.used,
    tasks: placed.tasks,
    passes: tasks.list.length > 0 ? placed.tasks / tasks.list.length : 0,
    time: placed.seconds,
    recovered: whole > 0 ? placed.seconds / whole : 0,
    longest: idle.from.reduce((most, from, index) => Math.max(most, idle.to[index] - from), 0),
    next: next === undefined ? null : { ...next, fits: (only?.tasks ?? 0) > 0 },
    bubbles,
  };
}

/** Bytes that stay free all through each idle interval. */
function leastFree(idle: Idle, memory: MemoryTrack, slack: number): Float64Array {
  const free = new Float64Array(idle.from.length);
  let level = 0;
  for (let interval = 0; interval < free.length; interval += 1) {
    while (level + 1 < memory.at.length && memory.at[level + 1] <= idle.from[interval] + slack) level += 1;
    let most = memory.bytes[level];
    for (let other = level + 1; other < memory.at.length && memory.at[other] < idle.to[interval] - slack; other += 1)
      most = Math.max(most, memory.bytes[other]);
    free[interval] = Math.max(0, memory.capacity - most);
  }
  return free;
}
