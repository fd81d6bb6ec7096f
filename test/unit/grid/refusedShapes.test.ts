/** Shapes that a schedule refuses: a grid wants to know why, and only a pipeline wants other values. */
import { expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { createReporter } from '../../../engine/findings/reporter.ts';
import { unitPlan } from '../../../engine/grid/unitPlan.ts';
import { scheduleEvaluator } from '../../../engine/read/scheduleEvaluator.ts';
import { declaredIn } from '../sequences/sameOrder.ts';

const even = `schedule even {
  require mod(microbatches, 7) == 0
  row(d) = F[0..<microbatches], B[0..<microbatches]
}`;

test('nearest values are looked for when they are asked for, and not for a shape of a grid', () => {
  const { value: definition } = scheduleEvaluator.bind(declaredIn(even, 'even'), {});
  if (definition === undefined) throw new Error('the schedule has errors');
  const shape = { devices: 2, microbatches: 10 };
  const problem = 'it requires mod(microbatches, 7) == 0, but here microbatches = 10';
  const numbers = { stages: 2, ...shape, iterations: 1 };
  const place = { uri: 'file:///schedule.pipe', start: 26, end: 51 };
  expect(unitPlan(definition, shape, createReporter('', 1), defaultOptions.limits)).toEqual({
    refused: problem,
    unmet: { place, problem, numbers },
  });
  expect(scheduleEvaluator.nearest(definition, numbers)).toEqual({ input: 'microbatches', values: [7, 14] });
});
