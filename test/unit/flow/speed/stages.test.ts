import { expect, test } from 'vitest';
import { evaluate } from '../../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { recipePlan, policy } from '../../support/plans.ts';

/** How often an evaluation reads an element of these lists of the plan: its work on them, whatever the machine. */
function reads(plan: PipelinePlan): number {
  let count = 0;
  const counted = <T extends object>(list: T): T =>
    new Proxy(list, {
      get(target, key) {
        count += 1;
        const value: unknown = Reflect.get(target, key);
        return value;
      },
    });
  const watched = {
    ...plan,
    stages: counted(plan.stages),
    placement: counted(plan.placement),
    edges: counted(plan.edges),
    devices: counted(plan.devices),
  };
  expect(evaluate(watched, defaultOptions).run?.report.devices.length).toBe(plan.devices.length);
  return count;
}

function chain(devices: number, schedule: string): PipelinePlan {
  const plan = recipePlan({ devices, microbatches: 4, schedule: policy(schedule) });
  return { ...plan, routes: plan.routes.filter(({ from, to }) => Math.abs(from - to) === 1) };
}

test.each(['1f1b', 'gpipe', 'zb_h1', 'eager_1f1b'])('an evaluation under %s is linear in the stages', (schedule) => {
  const few = reads(chain(40, schedule));
  const many = reads(chain(400, schedule));
  expect(many / few).toBeLessThan(12);
});
