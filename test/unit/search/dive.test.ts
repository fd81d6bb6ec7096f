import { describe, expect, it } from 'vitest';
import { toEnd } from '../../../engine/basics/steps.ts';
import { fitsAll } from '../../../engine/search/bytes.ts';
import { diveSteps } from '../../../engine/search/dive.ts';
import { layoutOf, type Words } from '../../../engine/search/layout.ts';
import { leastOf } from '../../../engine/search/least.ts';
import type { OpenTick } from '../../../engine/search/openTick.ts';
import type { OrderProblem } from '../../../engine/search/orderProblem.ts';
import { pairAt } from '../../../engine/search/precedence.ts';
import { type Random, randomOf } from '../../../engine/search/random.ts';
import { refutationOf } from '../../../engine/search/refutation.ts';
import { makespanOf, timingFor } from '../../../engine/search/timing.ts';
import * as fc from '../../support/property.ts';
import { leastMakespanFrom } from './bruteForce.ts';
import { instances } from './instances.ts';
import { shortMemory, smallProblem } from './problems.ts';

/** Priorities that ascend for each code, otherwise at random. */
function anyGuide({ codes, microbatches: m }: OpenTick, random: Random): Float64Array {
  const guide = new Float64Array(codes.count * m);
  for (let code = 0; code < codes.count; code += 1) {
    let at = random.whole(20);
    for (let j = 0; j < m; j += 1) guide[code * m + j] = at += 1 + random.whole(20);
  }
  return guide;
}

function dive(tick: OpenTick, random: Random): boolean {
  const bias = Float64Array.from(tick.codes.groups, () => 1 + random.share());
  return toEnd(diveSteps(tick, anyGuide(tick, random), bias));
}

/** The order of a tick for which all pairs are decided: as many operations are before one as the pairs say. */
function wordsOf(problem: OrderProblem, { codes, precedence, microbatches: m }: OpenTick): Words {
  const layout = layoutOf(problem);
  const words: Words = new Uint8Array(layout.offsets[problem.devices]).fill(255);
  const stages = problem.device.length;
  const inLayout = (code: number): number => {
    const stage = codes.weight.indexOf(code);
    return stage < 0 ? code : 2 * stages + stage;
  };
  codes.groups.forEach((group, device) => {
    for (const code of group)
      for (let j = 0; j < m; j += 1) {
        let place = layout.offsets[device] + j;
        for (const other of group)
          if (other !== code) place += precedence.before[pairAt(precedence, codes, m, other, code) + j];
        expect(words[place]).toBe(255);
        words[place] = layout.indexOf[inLayout(code)];
      }
  });
  return words;
}

/** Operations that take no time can each be before another at one instant: then pairs that are decided are no order. */
const timed = (problem: OrderProblem): OrderProblem => ({
  ...problem,
  forward: problem.forward.map((ticks) => Math.max(1, ticks)),
  input: problem.input.map((ticks) => Math.max(1, ticks)),
});

describe('a dive', () => {
  it.each([
    ['small problems', smallProblem.map(timed), 300],
    ['little memory', shortMemory(2, 4).map(timed), 150],
  ] as const)('of %s that decides all pairs has an order that fits and ends by its tick', (_, problems, numRuns) => {
    let [dives, decided] = [0, 0];
    fc.assert(
      fc.property(problems, fc.integer({ min: 0, max: 3 }), fc.nat(), (problem, later, seed) => {
        const shortest = leastMakespanFrom(problem, leastOf(problem));
        const refutation = refutationOf(problem);
        const early = leastOf(problem) - 1;
        if (early >= 0) expect(toEnd(refutation.openSteps(early))).toBeUndefined();
        const tick = toEnd(refutation.openSteps(shortest + later));
        if (tick === undefined) throw new Error(`no order ends by ${shortest + later}`);
        dives += 1;
        if (dive(tick, randomOf(seed))) {
          decided += 1;
          const layout = layoutOf(problem);
          const words = wordsOf(problem, tick);
          expect(makespanOf(layout, words, timingFor(layout))).toBeLessThanOrEqual(shortest + later);
          // The rules count no more bytes for W than for F.
          if (problem.forWeight.every((bytes, stage) => bytes <= problem.activation[stage]))
            expect(fitsAll(layout, words)).toBe(true);
        }
        // What it assumed says nothing of any order.
        for (const ticks of [shortest + later, shortest]) expect(refutation.refute(ticks)).toBe(false);
        expect(toEnd(refutation.openSteps(shortest))).toBeDefined();
      }),
      { numRuns },
    );
    expect(decided / dives).toBeGreaterThan(0.9);
  });

  it.each(['r08', 'r12'])('of %s decides all pairs whatever it follows, because it leaves what is refuted', (name) => {
    const instance = instances.find((each) => each.name === name);
    if (instance === undefined) throw new Error(`no instance ${name}`);
    let decided = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const tick = toEnd(refutationOf(instance.problem).openSteps(instance.best));
      if (tick !== undefined && dive(tick, randomOf(seed))) decided += 1;
    }
    // If the pair that is refuted stays as it is, 5 and 15 are.
    expect(decided).toBeGreaterThan(17);
  });
});
