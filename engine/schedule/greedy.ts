/**
 * Orders from a rule: a list scheduler in time. Of the operations that are ready, a free device runs the first by the rule's
 * preference; it idles only if none is ready. Ready: all it needs has ended and arrived (latency and bytes over bandwidth of each
 * transfer; transfers do not queue for each other).
 *
 * Preference: kinds in the rule's order (kinds that it leaves out come last, backwards before forwards). Within one kind, the
 * lowest microbatch. Within one microbatch, the deepest stage. F of a stage waits while the stage has `in_flight` microbatches
 * whose forward has started and whose backward (B, or I if it is split) has not ended. If the rule's weights are not flushed, the
 * iterations run back to back, and a stage is updated after the last backward of each. A rule with conditions, limits in bytes or
 * recomputation is scheduled by `rule.ts`.
 */
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, type SchedulePlan, paths } from '../values/plan.ts';
import { stageNumber } from '../costs/stages.ts';
import { planCopies } from './copies.ts';
import { dependenciesOf } from '../order/dependencies.ts';
import { listSchedule } from '../order/listSchedule.ts';
import { type Program, weightRule } from '../values/program.ts';
import { byRule } from './rule.ts';
import { ticksOf } from './ticks.ts';
import { withUpdates } from './updates.ts';

type GreedyPlan = Extract<SchedulePlan, { readonly kind: 'greedy' }>;

/** A program, or `value/range` where a stage may have no microbatch in flight and so can never start. O(n log S) for n operations. */
export function greedy(
  plan: PipelinePlan,
  rule: GreedyPlan,
): { readonly program: Program } | { readonly faults: readonly PlanFinding[] } {
  const limits = Float64Array.from(plan.stages, (_, stage) => rule.inFlight[stageNumber(plan, stage)] ?? Infinity);
  const never = limits.findIndex((limit) => !(limit >= 1));
  if (never >= 0) {
    const stage = stageNumber(plan, never);
    const what = `in_flight(${stage}) of schedule "${rule.name}"`;
    const value = { what, value: String(rule.inFlight[stage]), allowed: 'at least 1, or the stage never starts' };
    return { faults: [planFinding('value/range', paths.key(plan.name, 'schedule'), value)] };
  }
  const weights = weightRule(rule.weights);
  if (rule.rule !== undefined) {
    const made = byRule(plan, rule, rule.rule, limits);
    return 'faults' in made || weights === 'flush'
      ? made
      : { program: withUpdates(made.program, weights, plan.microbatches) };
  }
  const dependencies = dependenciesOf(plan.edges, plan.stages.length);
  const { placement } = plan;
  const microbatches = plan.microbatches * plan.iterations;
  const ticks = ticksOf({ ...plan, microbatches }, dependencies, rule.split);
  const program = listSchedule(
    { devices: plan.devices.length, placement, microbatches, limits, dependencies, ticks, copies: planCopies(plan) },
    rule,
  );
  return { program: weights === 'flush' ? program : withUpdates(program, weights, plan.microbatches) };
}
