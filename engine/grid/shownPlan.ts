/** Unit plans as they are shown: with a limit of memory that can be drawn. */
import { copyShare } from '../order/copyTurns.ts';
import type { PipelinePlan } from '../values/plan.ts';

/** Numbers can be sent, and a limit that only shows how much all microbatches would hold: infinite memory cannot be drawn. */
export function shownPlan(plan: PipelinePlan): PipelinePlan {
  // A copy runs its share of the microbatches, and a part holds its share of each.
  const held = plan.devices.map((_, device) =>
    plan.stages.reduce(
      (sum, { activation, copy }, index) =>
        plan.placement[index] === device && copy?.spare !== true
          ? sum + activation * (copy === undefined ? 1 : copyShare(copy))
          : sum,
      0,
    ),
  );
  const most = Math.max(1, ...held) * plan.microbatches * plan.iterations;
  return { ...plan, devices: plan.devices.map((device, index) => ({ ...device, name: `dev ${index}`, memory: most })) };
}
