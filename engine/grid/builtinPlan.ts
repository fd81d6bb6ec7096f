/** Built-in schedules on layers that all take the same, as `unitPlan` has them for schedules of files. */
import type { ScheduleNumbers } from '../definitions/schedule.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Policy, PolicyArguments, Shape, ShapeFault } from '../policies/policy.ts';
import { shapeOf } from '../policies/shape.ts';
import { steadyIterations } from '../planning/steadyIterations.ts';
import { planOf } from './unitPlan.ts';

/** What a policy sees of such layers. */
export function builtinShape(policy: Policy, args: PolicyArguments, numbers: ScheduleNumbers): Shape {
  const placement = Array.from({ length: numbers.stages }, (_, stage) => stage % numbers.devices);
  return shapeOf(planOf({ kind: 'policy', name: policy.name, args }, numbers, { placement }));
}

/** The plan, or the first reason why the policy takes no such shape. */
export function builtinPlan(
  policy: Policy,
  args: PolicyArguments,
  { devices, microbatches }: Pick<ScheduleNumbers, 'devices' | 'microbatches'>,
): { readonly plan: PipelinePlan } | { readonly fault: ShapeFault } {
  if (policy.loading !== undefined)
    return {
      fault: { message: 'it loads a model, so it needs a pipeline', fix: { input: 'schedule', values: [] } },
    };
  const stages = policy.chunks(args) * devices;
  const parts = policy.parts?.(args) ?? 1;
  const pieces = microbatches * parts;
  const synchronous = (policy.weights?.(args) ?? 'flush') === 'flush';
  const iterations = synchronous ? 1 : steadyIterations(Math.max(stages, devices), pieces);
  const shape = builtinShape(policy, args, { stages, devices, microbatches: pieces, iterations });
  const [fault] = policy.check(shape);
  if (fault !== undefined) return { fault };
  const placed = { placement: Array.from(policy.placement(shape)), copies: policy.copies?.(shape), parts };
  return {
    plan: planOf({ kind: 'policy', name: policy.name, args }, { stages, devices, microbatches, iterations }, placed),
  };
}
