import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { criticalPath } from '../../../engine/analyze/criticalPath.ts';
import { exposedByRoute } from '../../../engine/analyze/exposed.ts';
import { operationName } from '../../../engine/values/program.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { endAt, startAt } from '../../../engine/values/timeline.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { oneForwardOneBackward, programOf } from '../support/programs.ts';

it('is an unbroken chain from 0 to the end: each operation starts when the one before has ended or its result has arrived', () => {
  fc.assert(
    fc.property(runnable, ({ plan, program }) => {
      const timeline = simulate(program, timingOf(plan, program));
      if (timeline === undefined) throw new Error('deadlock');
      const path = [...criticalPath(timeline)];
      expect(startAt(timeline, path[0])).toBe(0);
      const device = (at: number) => program.offsets.findLastIndex((offset) => offset <= at);
      const end = endAt(timeline, path[path.length - 1]);
      const last = program.offsets.findIndex((offset) => offset === path[path.length - 1] + 1) - 1;
      expect(end + timeline.timing.sync[last]).toBe(timeline.makespan);
      for (let step = 1; step < path.length; step += 1) {
        const wait = startAt(timeline, path[step]) - endAt(timeline, path[step - 1]);
        const same = device(path[step]) === device(path[step - 1]);
        expect(wait).toBe(same ? 0 : (plan.routes[0]?.latency ?? 0));
      }
    }),
    { numRuns: 200 },
  );
});

it('of 1F1B without latency goes down, along the last device, and up again', () => {
  const program = programOf(oneForwardOneBackward(3, 2), 3, 2, [0, 1, 2]);
  const timeline = simulate(
    program,
    timingOf(recipePlan({ devices: 3, microbatches: 2, schedule: policy('1f1b') }), program),
  );
  if (timeline === undefined) throw new Error('deadlock');
  const names = Array.from(criticalPath(timeline), (at) => operationName(program, program.order[at]));
  expect(names).toEqual(['0F0', '1F0', '2F0', '2B0', '2F1', '2B1', '1B1', '0B1']);
});

it('goes on from what the other half of a fused slot waited for', () => {
  // F1 of device 0 could run at 1 s; its slot waits for the gradient of microbatch 0, there at 4.5 s.
  const program = programOf(
    [
      ['0F0', ['0F1', '0B0'], '0B1'],
      ['1F0', '1B0', '1F1', '1B1'],
    ],
    2,
    2,
    [0, 1],
  );
  const plan = recipePlan({ devices: 2, microbatches: 2, schedule: policy('1f1b'), latency: 0.25 });
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('deadlock');
  const names = Array.from(criticalPath(timeline), (at) => operationName(program, program.order[at]));
  expect(names).toEqual(['0F0', '1F0', '1B0', '0F1', '1F1', '1B1', '0B1']);
  // Down and up for each microbatch, 0.25 s each, no wait hidden.
  expect([...exposedByRoute(timeline, plan.routes.length)]).toEqual([0.5, 0.5]);
});
