import { expect, test } from 'vitest';
import { answerOf } from '../../../../engine/planning/cut/planners/answerOf.ts';
import type { PlanProblem } from '../../../../engine/planning/cut/planners/planSearch.ts';
import { plannerLayers } from './plans.ts';

const problem = (planner: 'dapple' | 'pipedream', forward = 1): PlanProblem => ({
  planner,
  layers: plannerLayers([
    { forward, backward: 2, gradients: 1, output: 1 },
    { forward: 1, backward: 2, gradients: 1, output: 1 },
  ]),
  microbatches: 4,
  machines: 2,
  data: 1,
  link: { bandwidth: 8, latency: 0, alone: true },
  replicates: true,
  bandwidth: 8,
  objective: 'paper',
});

test('an equal problem gets the same answer, any other one another', () => {
  const first = answerOf(problem('dapple'));
  expect(answerOf(structuredClone(problem('dapple')))).toBe(first);
  expect(answerOf(problem('dapple', 5))).not.toBe(first);
  expect(answerOf(problem('pipedream'))).not.toBe(first);
});

test('the answers that were used last are kept', () => {
  const first = answerOf(problem('dapple', 100));
  const other = answerOf(problem('dapple', 101));
  for (let one = 0; one < 31; one += 1) {
    answerOf(problem('dapple', 200 + one));
    expect(answerOf(problem('dapple', 100))).toBe(first);
  }
  expect(answerOf(problem('dapple', 101))).not.toBe(other);
});

test('problems and answers are plain data', () => {
  const answer = answerOf(problem('dapple'));
  expect(structuredClone(answer)).toEqual(answer);
});
