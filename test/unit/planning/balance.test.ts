import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { balance, bestSlowest, slowestOf } from '../../../engine/planning/cut/balance.ts';

const sizes = (costs: readonly number[], starts: Iterable<number>): number[] => {
  const from = [...starts];
  return from.map((start, part) => costs.slice(start, from[part + 1] ?? costs.length).reduce((sum, x) => sum + x, 0));
};

/** Every cut into non-empty parts. */
function* cuts(count: number, parts: number, first = 0): Generator<number[]> {
  if (parts === 1) yield [first];
  else
    for (let next = first + 1; next <= count - parts + 1; next += 1)
      for (const rest of cuts(count, parts - 1, next)) yield [first, ...rest];
}

const squares = (parts: readonly number[]) => parts.reduce((sum, x) => sum + x * x, 0);

describe('balance', () => {
  it('finds the least slowest part and among those the least sum of squares, as brute force does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 11 }),
        fc.integer({ min: 1, max: 6 }),
        (costs, wanted) => {
          const parts = Math.min(wanted, costs.length);
          const all = [...cuts(costs.length, parts)].map((starts) => sizes(costs, starts));
          const least = Math.min(...all.map((each) => Math.max(...each)));
          const even = Math.min(...all.filter((each) => Math.max(...each) === least).map(squares));
          const found = balance(Float64Array.from(costs), wanted);
          const ours = sizes(costs, found);
          expect(found.length).toBe(parts);
          expect(found[0]).toBe(0);
          for (let part = 1; part < parts; part += 1) expect(found[part]).toBeGreaterThan(found[part - 1]);
          expect(Math.max(...ours)).toBe(least);
          expect(squares(ours)).toBe(even);
          expect(bestSlowest(Float64Array.from(costs), wanted)).toBe(least);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is as good for any costs, to rounding', () => {
    const costs = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 5 }), (costs, wanted) => {
        const parts = Math.min(wanted, costs.length);
        const least = Math.min(...[...cuts(costs.length, parts)].map((starts) => Math.max(...sizes(costs, starts))));
        expect(bestSlowest(Float64Array.from(costs), wanted)).toBeLessThanOrEqual(
          least * (1 + 1e-12) + Number.MIN_VALUE * 16,
        );
      }),
    );
  });

  it('cuts equal layers evenly whatever they cost, the smaller stages first', () => {
    for (const each of [1, 0.004, 1 / 3, 1e-7]) {
      expect([...balance(new Float64Array(8).fill(each), 4)]).toEqual([0, 2, 4, 6]);
      expect([...balance(new Float64Array(10).fill(each), 4)]).toEqual([0, 2, 4, 7]);
    }
  });

  it('takes anything', () => {
    expect([...balance(new Float64Array(0), 3)]).toEqual([]);
    expect([...balance(Float64Array.of(1, 2), 0)]).toEqual([]);
    expect([...balance(Float64Array.of(1, 2), Number.NaN)]).toEqual([]);
    expect([...balance(Float64Array.of(1, 2), 5)]).toEqual([0, 1]);
    for (const odd of [Number.NaN, Infinity, -1, 5e-324, 1e308]) {
      const found = [...balance(Float64Array.of(odd, 1, odd, 1e308, odd), 3)];
      expect(found.length).toBe(3);
      expect(new Set(found).size).toBe(3);
    }
    expect([...balance(new Float64Array(5), 3)].length).toBe(3);
  });

  it('cuts 20,000 layers in 64 parts within a layer of the mean', () => {
    let seed = 7;
    const costs = Float64Array.from({ length: 20_000 }, () => {
      seed = (seed * 48271) % 2147483647;
      return 1 + (seed % 1000) / 1000;
    });
    const starts = balance(costs, 64);
    const mean = costs.reduce((sum, x) => sum + x, 0) / 64;
    expect(slowestOf(costs, starts)).toBeGreaterThanOrEqual(mean);
    expect(slowestOf(costs, starts)).toBeLessThan(mean + 2);
  });

  it('keeps the slowest part exact where the tie-break is left out', () => {
    const costs = new Float64Array(4000).fill(1);
    const starts = balance(costs, 1500);
    expect(starts.length).toBe(1500);
    expect(slowestOf(costs, starts)).toBe(3);
    for (let part = 1; part < starts.length; part += 1) expect(starts[part]).toBeGreaterThan(starts[part - 1]);
  });
});
