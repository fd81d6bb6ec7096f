/** Who runs a plan. */
import type { PipelinePlan } from '../values/plan.ts';
import type { OrderPlan } from './engine.ts';
import { commonEngines, engines as allEngines, findEngine, orderRefusals } from './registry.ts';

/** Titles of common engines that run all of a plan; undefined of a plan that no file describes. */
export function runnersOf(plan: OrderPlan & Pick<PipelinePlan, 'engines'>): readonly string[] | undefined {
  const { engines } = plan;
  if (engines === undefined) return undefined;
  return allEngines
    .filter(({ name }) => engines.able.includes(name))
    .filter((engine) => orderRefusals(engine, plan).length === 0)
    .map(({ title }) => title);
}

/** Whether the engine that a file names runs the order; true where it names none. */
export function runsOrder(plan: OrderPlan & Pick<PipelinePlan, 'engines'>): boolean {
  const chosen = findEngine(plan.engines?.chosen ?? '');
  return chosen === undefined || orderRefusals(chosen, plan).length === 0;
}

/** `Megatron · PyTorch`, `any engine`, or `paper only`. */
export const runnerWords = (runners: readonly string[]): string =>
  runners.length === 0
    ? 'paper only'
    : commonEngines.every(({ title }) => runners.includes(title))
      ? 'any engine'
      : runners.join(' · ');
