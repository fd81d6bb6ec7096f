import type { DappleProblem } from './dappleProblem.ts';
import { dappleSize, dappleSteps } from './dapple.ts';
import type { Planned } from './layers.ts';
import { type PipedreamProblem, pipedreamSize, pipedreamSteps } from './pipedream.ts';

/** What a planner is asked: plain data that survives structured cloning. */
export type PlanProblem = DappleProblem | PipedreamProblem;

/** Stops about every 5 ms, counted in work and not by the clock, so that the answer is the same everywhere. */
function planSteps(problem: PlanProblem): Generator<void, Planned> {
  return problem.planner === 'dapple' ? dappleSteps(problem) : pipedreamSteps(problem);
}

/** The search of `plan(…)`. `size`: about how many transitions it looks at, some 20,000 a millisecond. */
export const planSearch = {
  name: 'plan',
  steps: planSteps,
  size: (problem: PlanProblem): number => (problem.planner === 'dapple' ? dappleSize(problem) : pipedreamSize(problem)),
} as const;
