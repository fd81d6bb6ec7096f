import { answersWithin, listKey } from '../answers.ts';
import type { Answer } from './answer.ts';
import type { SearchProblem } from './problem.ts';

/** Orders that were found, by problem. */
export const foundAnswers = answersWithin<Answer>(2 ** 26, ({ words }) => words.length);

/** All that an answer depends on: equal problems have equal keys. */
export function keyOf(problem: SearchProblem): string {
  const { devices, microbatches, duration, transfer, step, activation, forWeight, limits, unit, objective } = problem;
  const lists = [...duration, transfer, step, activation, forWeight, limits, unit];
  return [objective, devices, microbatches, ...lists.map(listKey)].join(';');
}
