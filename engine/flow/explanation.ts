import { evaluationSize } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { findPolicy } from '../policies/registry.ts';
import { shapeOf } from '../policies/shape.ts';
import type { Search } from '../basics/searches.ts';

/** What a built-in policy does with the numbers of a pipeline, line by line; none where it cannot take them. */
export const explanation: Search<PipelinePlan, readonly string[]> = {
  name: 'explanation',
  // Policies that search for their order explain what they found.
  size: (plan) => evaluationSize(plan),
  *steps(plan) {
    const policy = plan.schedule.kind === 'policy' ? findPolicy(plan.schedule.name) : undefined;
    if (policy === undefined) return [];
    const shape = shapeOf(plan);
    yield;
    return policy.check(shape).length === 0 ? policy.explain(shape) : [];
  },
};
