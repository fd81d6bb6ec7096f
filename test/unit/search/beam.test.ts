import { describe, expect, it } from 'vitest';
import { beamSteps, type BeamOptions } from '../../../engine/search/beam.ts';
import { fitsAll } from '../../../engine/search/bytes.ts';
import { leastOf } from '../../../engine/search/least.ts';
import { layoutOf } from '../../../engine/search/layout.ts';
import type { OrderProblem } from '../../../engine/search/orderProblem.ts';
import { makespanOf, timingFor } from '../../../engine/search/timing.ts';
import * as fc from '../../support/property.ts';
import { leastMakespanFrom } from './bruteForce.ts';
import { instances } from './instances.ts';
import { smallProblem } from './problems.ts';

const usual: BeamOptions = { width: 64, under: Infinity, mean: 0.2, alike: 3 };

function beam(problem: OrderProblem, options: Partial<BeamOptions> = {}) {
  const layout = layoutOf(problem);
  const steps = beamSteps(layout, { ...usual, ...options });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const { found, visited } = step.value;
  if (found !== undefined) {
    expect(fitsAll(layout, found.words)).toBe(true);
    expect(makespanOf(layout, found.words, timingFor(layout))).toBe(found.makespan);
  }
  return { makespan: found?.makespan, visited };
}

/** Bytes that I leaves for W are no more than F took: an earlier I then never hurts. */
const withoutGrowth = (problem: OrderProblem): OrderProblem => ({
  ...problem,
  forWeight: problem.forWeight.map((bytes, stage) => Math.min(bytes, problem.activation[stage])),
});

describe('a beam', () => {
  it('that keeps all orders finds the shortest one', () => {
    fc.assert(
      fc.property(smallProblem.map(withoutGrowth), (problem) => {
        const { makespan } = beam(problem, { width: 3000, alike: 3000 });
        expect(makespan).toBe(leastMakespanFrom(problem, leastOf(problem), makespan));
      }),
      { numRuns: 120 },
    );
  });

  it('of any width finds an order if bytes are as short as they may be', () => {
    fc.assert(
      fc.property(smallProblem, fc.constantFrom(1, 2, 8), (problem, width) => {
        expect(beam(problem, { width }).makespan).toBeLessThan(Infinity);
      }),
      { numRuns: 120 },
    );
  });

  it('finds nothing that is not under the given ticks', () => {
    fc.assert(
      fc.property(smallProblem, fc.constantFrom(0.02, 0.2, 1), (problem, mean) => {
        const { makespan = Infinity } = beam(problem, { mean });
        expect(beam(problem, { mean, under: makespan }).makespan ?? -1).toBeLessThan(makespan);
      }),
    );
  });

  it.each([
    ['r07', 0],
    ['r17', 0.02],
    ['r21', 0.01],
    ['r22', 0.04],
    ['s9', 0.05],
  ])('of 64 orders is within a few percent of the shortest known of %s, whose bytes are short', (name, share) => {
    const { problem, best } = instances.find((instance) => instance.name === name) ?? { best: NaN };
    if (problem === undefined) throw new Error(name);
    const { makespan = Infinity } = beam(problem, { mean: 1 });
    expect(makespan / best - 1).toBeLessThanOrEqual(share);
  });
});
