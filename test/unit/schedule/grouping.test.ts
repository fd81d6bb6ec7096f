import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { type LoadCosts, finishOf, groupSizes } from '../../../engine/policies/loading/grouping.ts';

interface Layers {
  readonly bytes: readonly number[];
  readonly seconds: readonly number[];
}

/** The recursion as it is written in the paper, over lists of layers. */
function finish({ bytes, seconds }: Layers, groups: readonly (readonly number[])[], costs: LoadCosts): number {
  const total = (values: readonly number[], of: readonly number[]) => of.reduce((sum, at) => sum + values[at], 0);
  let end = 0;
  for (const [index, group] of groups.entries()) {
    const arrived = groups
      .slice(0, index + 1)
      .reduce((sum, each) => sum + costs.call + total(bytes, each) / costs.bandwidth, 0);
    end = Math.max(end, arrived) + costs.sync + total(seconds, group);
  }
  return end;
}

/** All 2^(n − 1) ways to cut n layers into groups. */
function* everyGrouping(count: number): Generator<readonly (readonly number[])[]> {
  for (let cuts = 0; cuts < 2 ** (count - 1); cuts += 1) {
    const groups: number[][] = [[0]];
    for (let layer = 1; layer < count; layer += 1) {
      if (((cuts >> (layer - 1)) & 1) === 1) groups.push([]);
      groups[groups.length - 1].push(layer);
    }
    yield groups;
  }
}

const listed = (sizes: readonly number[]): readonly (readonly number[])[] => {
  let next = 0;
  return sizes.map((size) => Array.from({ length: size }, () => next++));
};

const value = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ min: 0, max: 9, noNaN: true }));
const layersOf = (most: number) =>
  fc
    .array(fc.tuple(value, value), { minLength: 1, maxLength: most })
    .map((pairs): Layers => ({ bytes: pairs.map(([one]) => one), seconds: pairs.map(([, one]) => one) }));
const costs = fc.record({
  bandwidth: fc.double({ min: 0.2, max: 5, noNaN: true }),
  call: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3, noNaN: true })),
  sync: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3, noNaN: true })),
});

describe('groups of layers that are loaded while others run', () => {
  it('finish as the recursion says', () => {
    fc.assert(
      fc.property(layersOf(9), costs, fc.nat(), (layers, cost, seed) => {
        const all = [...everyGrouping(layers.bytes.length)];
        const groups = all[seed % all.length];
        const sizes = groups.map((group) => group.length);
        expect(finishOf(layers, sizes, cost)).toBeCloseTo(finish(layers, groups, cost), 9);
      }),
    );
  });

  it('are best where no other grouping ends earlier', () => {
    fc.assert(
      fc.property(layersOf(12), costs, (layers, cost) => {
        const sizes = groupSizes('best', layers, cost);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(layers.bytes.length);
        expect(Math.min(...sizes)).toBeGreaterThan(0);
        let least = Infinity;
        for (const groups of everyGrouping(layers.bytes.length)) least = Math.min(least, finish(layers, groups, cost));
        expect(finish(layers, listed(sizes), cost)).toBeLessThanOrEqual(least * (1 + 1e-12));
      }),
      { numRuns: 150 },
    );
  });

  it('are as few as can be where several groupings end first', () => {
    const whole = fc.integer({ min: 0, max: 4 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(whole, whole), { minLength: 1, maxLength: 9 }),
        whole,
        whole,
        (pairs, call, sync) => {
          const layers = { bytes: pairs.map(([one]) => one), seconds: pairs.map(([, one]) => one) };
          const cost = { bandwidth: 1, call, sync };
          const all = [...everyGrouping(pairs.length)].map((groups) => ({
            count: groups.length,
            end: finish(layers, groups, cost),
          }));
          const least = Math.min(...all.map((one) => one.end));
          const fewest = Math.min(...all.filter((candidate) => candidate.end === least).map((one) => one.count));
          expect(groupSizes('best', layers, cost)).toHaveLength(fewest);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are no worse than any other that a thousand layers can be cut into at random', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value), { minLength: 1251, maxLength: 1251 }),
        costs,
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 3, maxLength: 60 }),
        (pairs, cost, widths) => {
          const layers = { bytes: pairs.map(([one]) => one), seconds: pairs.map(([, one]) => one) };
          const best = finishOf(layers, groupSizes('best', layers, cost), cost);
          const random: number[] = [];
          for (let left = 1251, at = 0; left > 0; at += 1) {
            random.push(Math.min(left, widths[at % widths.length]));
            left -= random[at];
          }
          for (const sizes of [random, groupSizes('one', layers, cost), groupSizes('per_layer', layers, cost)])
            expect(best).toBeLessThanOrEqual(finishOf(layers, sizes, cost) * (1 + 1e-12));
        },
      ),
      { numRuns: 10 },
    );
  });

  it('are single layers where calls and synchronisations cost nothing, and one group where they cost too much', () => {
    const layers = { bytes: [1, 1, 1, 1], seconds: [1, 1, 1, 1] };
    expect(groupSizes('best', layers, { bandwidth: 1, call: 0, sync: 0 })).toEqual([1, 1, 1, 1]);
    expect(groupSizes('best', layers, { bandwidth: 1, call: 10, sync: 0 })).toEqual([4]);
    expect(groupSizes('best', layers, { bandwidth: 1, call: 0, sync: 10 })).toEqual([4]);
    expect(groupSizes('one', layers, { bandwidth: 1, call: 0, sync: 0 })).toEqual([4]);
  });
});
