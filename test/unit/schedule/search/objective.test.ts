/** Searches for the shortest span, compared with searches for the earliest end. */
import { describe, expect, it, test } from 'vitest';
import { foundSteps } from '../../../../engine/policies/searched/answers.ts';
import { layoutOf } from '../../../../engine/search/layout.ts';
import type { OrderProblem } from '../../../../engine/search/orderProblem.ts';
import { evenestSteps, seedOfProblem } from '../../../../engine/search/search.ts';
import { makespanOf, spanOf, timingFor } from '../../../../engine/search/timing.ts';
import { toEnd } from '../../../../engine/basics/steps.ts';
import * as fc from '../../../support/property.ts';
import { search } from '../../../support/search.ts';
import { shapeFor } from './shapes.ts';

/** What `search(objective = …)` finds. */
function found(problem: OrderProblem, objective: 'end' | 'span', effort: number) {
  const steps = foundSteps({ ...shapeFor(problem), args: { objective } }, problem, seedOfProblem(problem), effort);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Two chunks on each of three devices, in a V, with eight microbatches. `limit`: microbatches of a chunk. */
function twoChunks(times: readonly number[], limit: readonly number[]): OrderProblem {
  const each = (of: (stage: number) => number): Float64Array =>
    Float64Array.from({ length: 6 }, (_, stage) => of(stage));
  return {
    ...{ devices: 3, microbatches: 8, device: Int32Array.of(0, 1, 2, 2, 1, 0), step: new Float64Array(3) },
    ...{ forward: each((s) => times[s]), input: each((s) => times[6 + s]), weight: each((s) => times[12 + s]) },
    ...{ activation: each(() => 1), forWeight: each(() => 1), limit: Float64Array.from(limit) },
    transfer: new Float64Array(5).fill(7),
  };
}

describe('the longest span of a search for it', () => {
  it('is no longer than of a search for the end, and more effort never makes it longer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 40, max: 80 }), { minLength: 18, maxLength: 18 }),
        fc.array(fc.constantFrom(2, 4), { minLength: 3, maxLength: 3 }),
        (times, limit) => {
          const problem = twoChunks(times, limit);
          let before = Infinity;
          for (const effort of [0, 0.002]) {
            const [end, span] = [found(problem, 'end', effort), found(problem, 'span', effort)];
            expect(span.span).toBeLessThanOrEqual(end.span);
            expect(span.span).toBeLessThanOrEqual(before);
            before = span.span;
            // Its figures are those of its order, and its bounds hold for both.
            const timing = timingFor(layoutOf(problem));
            expect(makespanOf(layoutOf(problem), span.words, timing)).toBe(span.makespan);
            expect(spanOf(layoutOf(problem), timing)).toBe(span.span);
            expect(span.spanBound).toBeLessThanOrEqual(Math.min(span.span, end.span));
            expect(span.bound).toBeLessThanOrEqual(Math.min(span.makespan, end.makespan));
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  // A search for the span alone finds a longer one than the search for the end in each of these.
  test.each([
    [
      [44, 48, 56, 44, 65, 60, 56, 57, 51, 75, 48, 44, 70, 79, 58, 77, 61, 51],
      [4, 4, 4],
    ],
    [
      [68, 58, 70, 77, 52, 70, 58, 59, 54, 48, 73, 69, 61, 49, 58, 46, 79, 53],
      [2, 4, 2],
    ],
    [
      [76, 79, 59, 49, 55, 47, 40, 54, 50, 55, 46, 70, 76, 41, 77, 79, 45, 45],
      [2, 2, 2],
    ],
  ])('is no longer for times %j under %j', (times, limit) => {
    const problem = twoChunks(times, limit);
    expect(found(problem, 'span', 0.005).span).toBeLessThanOrEqual(found(problem, 'end', 0.005).span);
  });

  it('is looked for beyond an end that is proven: the last device steps while the others are done', () => {
    const problem: OrderProblem = {
      ...{ devices: 3, microbatches: 5, device: Int32Array.of(0, 1, 2), transfer: Float64Array.of(7, 7) },
      ...{
        forward: Float64Array.of(59, 53, 68),
        input: Float64Array.of(47, 76, 70),
        weight: Float64Array.of(42, 74, 43),
      },
      ...{ activation: Float64Array.of(1, 1, 1), forWeight: Float64Array.of(1, 1, 1), limit: Float64Array.of(3, 3, 3) },
      step: Float64Array.of(0, 0, 60),
    };
    const end = search(problem, { seeds: [], objective: 'end', effort: 0.01 });
    expect(end.makespan).toBe(end.bound);
    expect(toEnd(evenestSteps(problem, { seeds: [], effort: 0.01 }))?.span).toBeLessThan(end.span);
  });
});
