import type { Wait } from '../../../../engine/analyze/waits/chainTypes.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import type { Program } from '../../../../engine/values/program.ts';
import { simulate } from '../../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { type Timeline, endAt, startAt, stepAt } from '../../../../engine/values/timeline.ts';

export function timelineOf(plan: PipelinePlan, program: Program): Timeline {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('deadlock');
  return timeline;
}

/** All idle times of a timeline: before operations, before the step, and at the end of the iteration. */
export function waitsOf(timeline: Timeline): Wait[] {
  const { program, makespan } = timeline;
  const slack = makespan * 1e-9;
  const waits: Wait[] = [];
  for (let device = 0; device < program.devices; device += 1) {
    const [first, stop] = [program.offsets[device], program.offsets[device + 1]];
    if (first === stop) continue;
    let from = 0;
    const add = (to: number, before: number) => {
      if (to - from > slack) waits.push({ device, from, to, before });
    };
    for (let at = first; at < stop; at += 1) {
      add(startAt(timeline, at), at);
      from = Math.max(from, endAt(timeline, at));
    }
    add(stepAt(timeline, device), -1);
    from = timeline.exchanged[device] + timeline.timing.optimizer[device];
    add(makespan, -1);
  }
  return waits;
}
