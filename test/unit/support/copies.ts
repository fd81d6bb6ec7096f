import { copyEdges, copyNames, copyPlan } from '../../../engine/planning/place/copies.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';

/** The plan of a cut with the copies of stages that its policy makes, on the devices where it wants them; routes between all pairs. */
export function withCopies(plan: PipelinePlan): PipelinePlan {
  const { schedule } = plan;
  const policy = schedule.kind === 'policy' ? findPolicy(schedule.name) : undefined;
  if (policy === undefined) return plan;
  const shape = shapeOf(plan);
  const copies = policy.copies?.(shape);
  const placement = [...policy.placement(shape)];
  if (copies === undefined) return { ...plan, placement };
  const names = copyNames(
    plan.stages.map(({ name }) => name),
    copies,
  );
  return {
    ...plan,
    placement,
    stages: copies.map((copy, index) => ({ ...copyPlan(plan.stages[copy.stage], copy, 1, 1), name: names[index] })),
    edges: copyEdges(plan.edges, copies),
  };
}
