import type { Search } from '../../../basics/searches.ts';
import { alpaSize, alpaSteps, type AlpaAnswer } from './alpa.ts';
import type { AlpaProblem } from './alpaProblem.ts';
import { dappleSize, dappleSteps } from './dapple.ts';
import type { DappleProblem } from './dappleProblem.ts';
import { hetpipeSize, hetpipeSteps, type HetpipeAnswer } from './hetpipe.ts';
import type { HetpipeProblem } from './hetpipeProblem.ts';
import type { Planned } from './layers.ts';
import { pipedreamWork, pipedreamSteps } from './pipedream.ts';
import type { PipedreamProblem } from './pipedreamProblem.ts';

/** What a planner is asked: plain data that survives structured cloning. */
export type PlanProblem = DappleProblem | PipedreamProblem;

/** The search of `plan(…)`. It pauses about every 5 ms, counted in work and not by the clock, so that the answer is the same everywhere. */
export const planSearch: Search<PlanProblem, Planned> = {
  name: 'plan',
  size: (problem) => (problem.planner === 'dapple' ? dappleSize(problem) : pipedreamWork(problem)),
  steps: (problem) => (problem.planner === 'dapple' ? dappleSteps(problem) : pipedreamSteps(problem)),
};

/** The same for `plan(alpa)`, which may find that no plan is possible. */
export const alpaSearch: Search<AlpaProblem, AlpaAnswer> = { name: 'plan alpa', size: alpaSize, steps: alpaSteps };

/** The same for `plan(hetpipe)`. */
export const hetpipeSearch: Search<HetpipeProblem, HetpipeAnswer> = {
  name: 'plan hetpipe',
  size: hetpipeSize,
  steps: hetpipeSteps,
};
