/** Shapes that a schedule refuses: a grid wants to know why, and only a pipeline wants other values. */
import { expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { ScheduleDefinition } from '../../../engine/definitions/schedule.ts';
import { createReporter } from '../../../engine/findings/reporter.ts';
import { unitPlan } from '../../../engine/grid/unitPlan.ts';
import { declaredIn } from '../sequences/sameOrder.ts';

const even = `schedule even {
  require mod(microbatches, 7) == 0
  row(d) = F[0..<microbatches], B[0..<microbatches]
}`;

test('nearest values are looked for when they are asked for, and not for a shape of a grid', () => {
  const report = createReporter('', 1);
  const definition = declaredIn(even, 'even').bind({}, report);
  if (definition === undefined) throw new Error('the schedule has errors');
  let searches = 0;
  const counted: ScheduleDefinition = {
    ...definition,
    unmet(numbers, reporter) {
      const found = definition.unmet(numbers, reporter);
      if (found === undefined) return undefined;
      const nearest = (): ReturnType<typeof found.nearest> => {
        searches += 1;
        return found.nearest();
      };
      return { ...found, nearest };
    },
  };
  const refused = unitPlan(counted, { devices: 2, microbatches: 10 }, report, defaultOptions.limits);
  expect(refused).toMatchObject({ refused: 'it requires mod(microbatches, 7) == 0, but here microbatches = 10' });
  expect(searches).toBe(0);
  const unmet = counted.unmet({ stages: 2, devices: 2, microbatches: 10, iterations: 1 }, report);
  expect(unmet?.nearest()).toEqual({ input: 'microbatches', values: [7, 14] });
  expect(searches).toBe(1);
});
