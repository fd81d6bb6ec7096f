import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { toEnd } from '../../../engine/basics/steps.ts';
import { fitCut } from '../../../engine/planning/cut/fitCut.ts';

/** Every cut into non-empty parts. */
function* cuts(count: number, parts: number, first = 0): Generator<number[]> {
  if (parts === 1) yield [first];
  else
    for (let next = first + 1; next <= count - parts + 1; next += 1)
      for (const rest of cuts(count, parts - 1, next)) yield [first, ...rest];
}

describe('fitCut', () => {
  it('finds the least load, then the least slowest time, then the most even times, as all cuts show', () => {
    const small = fc.integer({ min: 0, max: 9 });
    const layers = fc.array(fc.record({ static: small, held: small, time: small }), { minLength: 1, maxLength: 10 });
    const stages = fc.array(
      fc.record({ flight: fc.integer({ min: 1, max: 5 }), slow: fc.integer({ min: 1, max: 3 }) }),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    fc.assert(
      fc.property(layers, stages, fc.integer({ min: 0, max: 80 }), (costs, wanted, bound) => {
        const parts = wanted.slice(0, costs.length);
        const sum = (from: number, to: number, of: (layer: (typeof costs)[number]) => number) =>
          costs.slice(from, to).reduce((total, cost) => total + of(cost), 0);
        const load = (part: number, from: number, to: number) =>
          sum(from, to, (one) => one.static + one.held * parts[part].flight);
        const time = (part: number, from: number, to: number) => sum(from, to, (one) => one.time * parts[part].slow);
        const judge = (starts: readonly number[]) => {
          const ends = [...starts.slice(1), costs.length];
          const times = starts.map((from, part) => time(part, from, ends[part]));
          return [
            Math.max(bound, ...starts.map((from, part) => load(part, from, ends[part]))),
            Math.max(...times),
            times.reduce((total, each) => total + each * each, 0),
          ];
        };
        const all = [...cuts(costs.length, parts.length)].map(judge);
        const best = all.reduce((a, b) => {
          const differs = a.findIndex((value, index) => value !== b[index]);
          return differs < 0 || a[differs] < b[differs] ? a : b;
        });
        const found = [...toEnd(fitCut({ count: costs.length, parts: parts.length, load, time }, bound))];
        expect(found[0]).toBe(0);
        expect(found.length).toBe(parts.length);
        for (let part = 1; part < found.length; part += 1) expect(found[part]).toBeGreaterThan(found[part - 1]);
        expect(judge(found)).toEqual(best);
      }),
      { numRuns: 500 },
    );
  });
});
