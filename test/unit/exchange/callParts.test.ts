import { expect, test } from 'vitest';
import { callOverhead, callSeconds } from '../../../engine/basics/callCost.ts';
import type { CallCost } from '../../../engine/values/exchangePlan.ts';
import { leastSeconds } from '../../../engine/simulate/exchange/callParts.ts';
import * as fc from '../../support/property.ts';

const linear = fc.record({
  kind: fc.constant('linear' as const),
  fixed: fc.nat(5),
  perByte: fc.integer({ min: 1, max: 4 }),
});
const least = fc.array(linear, { minLength: 1, maxLength: 3 }).map((of): CallCost => ({ kind: 'least', of }));
const steps = fc
  .tuple(linear, linear, fc.integer({ min: 1, max: 6 }))
  .map(([first, second, at]): CallCost => ({ kind: 'steps', from: [0, at], of: [first, second] }));
const table = fc
  .tuple(fc.nat(3), fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }))
  .map(([fixed, seconds]): CallCost => ({
    kind: 'table',
    fixed,
    bytes: seconds.map((_, at) => 1 + 2 * at),
    seconds: seconds.toSorted((a, b) => a - b),
  }));

/** The least seconds of all cuts of so many bytes into whole numbers. */
function leastOfCuts(cost: CallCost, bytes: number): number {
  const least = [0];
  for (let size = 1; size <= bytes; size += 1)
    least[size] = Math.min(
      ...Array.from({ length: size }, (_, at) => callSeconds(cost, at + 1) + least[size - at - 1]),
    );
  return least[bytes];
}

test('no cut takes less, and if cuts never pay, none is the least', () => {
  fc.assert(
    fc.property(fc.oneof(linear, least, steps, table), fc.integer({ min: 1, max: 10 }), (cost, bytes) => {
      const bound = leastSeconds(cost, bytes);
      expect(bound).toBeLessThanOrEqual(leastOfCuts(cost, bytes) + 1e-9);
      if (cost.kind === 'linear' || cost.kind === 'least') expect(bound).toBe(callSeconds(cost, bytes));
    }),
    { numRuns: 500 },
  );
});

test('the overhead is of the part of the cost that applies', () => {
  const [small, large] = [
    { kind: 'linear', fixed: 1, perByte: 2 },
    { kind: 'linear', fixed: 5, perByte: 1 },
  ] as const;
  const either: CallCost = { kind: 'least', of: [small, large] };
  expect([callOverhead(either, 3), callOverhead(either, 5)]).toEqual([1, 5]);
  const stepped: CallCost = { kind: 'steps', from: [0, 3], of: [small, large] };
  expect([callOverhead(stepped, 2), callOverhead(stepped, 3)]).toEqual([1, 5]);
  expect(callOverhead({ kind: 'table', fixed: 7, bytes: [1], seconds: [2] }, 3)).toBe(7);
});
