import type { GuardPlan, PipelinePlan } from '../../engine/values/plan.ts';
import { stageNumber } from '../../engine/costs/stages.ts';

/** Conditions of a rule that operations of a kind and a stage have to pass, in the order of the text. `stage`: of the plan. */
export const guardsOf = (plan: PipelinePlan, kind: string, stage: number): readonly GuardPlan[] =>
  plan.schedule.kind === 'greedy'
    ? (plan.schedule.rule?.guards.filter(
        (guard) => guard.operation === kind && guard.stage === stageNumber(plan, stage),
      ) ?? [])
    : [];

/** The one that is checked last. */
export const guardOf = (plan: PipelinePlan, kind: string, stage: number): GuardPlan | undefined =>
  guardsOf(plan, kind, stage).at(-1);
