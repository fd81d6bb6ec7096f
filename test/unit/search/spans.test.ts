import { describe, expect, it } from 'vitest';
import { boundSteps } from '../../../engine/search/bound.ts';
import { layoutOf } from '../../../engine/search/layout.ts';
import type { OrderProblem } from '../../../engine/search/orderProblem.ts';
import { search } from '../../support/search.ts';
import { firstStarts, spanProblem } from '../../../engine/search/spans.ts';
import { makespanOf, spanOf, timingFor } from '../../../engine/search/timing.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import * as fc from '../../support/property.ts';
import { leastSpan } from './bruteForceSpan.ts';
import { smallProblem } from './problems.ts';

/** What the busiest device has to do. */
const workOf = ({ devices, microbatches, device, forward, input, weight }: OrderProblem): number => {
  const work = new Float64Array(devices);
  device.forEach((on, stage) => {
    work[on] += microbatches * (forward[stage] + input[stage] + weight[stage]);
  });
  return Math.max(...work);
};

const found = (problem: OrderProblem, effort: number) => search(problem, { seeds: [], objective: 'span', effort });

describe('the longest span of a device', () => {
  it('is the end of a pipeline whose steps make up for late starts', () => {
    fc.assert(
      fc.property(smallProblem, fc.integer(), (problem, seed) => {
        const { words } = search(problem, { seeds: [], objective: 'end', effort: 0.001, seed });
        const { problem: shifted, above } = spanProblem(problem);
        const layout = layoutOf(problem);
        const timing = timingFor(layout);
        makespanOf(layout, words, timing);
        const span = spanOf(layout, timing);
        const starts = Array.from(layout.offsets.subarray(0, problem.devices), (at) => timing.start[at]);
        expect([...firstStarts(problem)]).toEqual(starts);
        expect(makespanOf(layoutOf(shifted), words, timing) - above).toBe(span);
      }),
      { numRuns: 300 },
    );
  });

  it('is never under its bound, and the search finds the shortest of all nearly always', () => {
    let [checked, exact, shortest] = [0, 0, 0];
    fc.assert(
      fc.property(smallProblem, (problem) => {
        const { problem: shifted, above } = spanProblem(problem);
        const bound = toEnd(boundSteps(shifted, 1000, Infinity)).bound - above;
        const least = leastSpan(problem, workOf(problem), bound);
        expect(bound).toBeLessThanOrEqual(least);
        const order = found(problem, 0.05);
        expect(order.span).toBeGreaterThanOrEqual(least);
        expect(order.spanBound).toBeLessThanOrEqual(least);
        expect(order.bound).toBeLessThanOrEqual(order.makespan);
        // No end is before the longest span.
        expect(order.bound).toBeGreaterThanOrEqual(order.spanBound);
        checked += 1;
        if (bound === least) exact += 1;
        if (order.span === least) shortest += 1;
      }),
      { numRuns: 80 },
    );
    expect(exact / checked).toBeGreaterThan(0.9);
    expect(shortest / checked).toBeGreaterThan(0.9);
  });

  it('is never longer for more effort, and no end is longer of equal spans', () => {
    fc.assert(
      fc.property(smallProblem, (problem) => {
        const orders = [0, 0.01, 0.05].map((effort) => found(problem, effort));
        for (let at = 1; at < orders.length; at += 1) {
          expect(orders[at].span).toBeLessThanOrEqual(orders[at - 1].span);
          if (orders[at].span === orders[at - 1].span)
            expect(orders[at].makespan).toBeLessThanOrEqual(orders[at - 1].makespan);
        }
      }),
      { numRuns: 100 },
    );
  });
});
