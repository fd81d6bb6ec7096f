import { describe, expect, test } from 'vitest';
import {
  type PullGraph,
  runAsReady,
  timingAware,
  timingIndependent,
} from '../../../engine/simulate/exchange/tictac.ts';
import { efficiencyOf } from '../../support/tictac.ts';
import * as fc from '../../support/property.ts';

/** Seconds until all operations are over, if pulls come one after the other by their places. */
function makespan(graph: PullGraph, places: ArrayLike<number>): number {
  const arrival = new Float64Array(graph.pull.length);
  let now = 0;
  const order = Array.from(graph.pull, (_, pull) => pull).sort((a, b) => places[a] - places[b]);
  for (const pull of order) arrival[pull] = now += graph.pull[pull];
  return Math.max(...runAsReady(graph, arrival));
}

const permutations = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]));

/** Pulls of 2, 1 and 1 s for a (1 s), b (3 s) and c (2 s), which needs both. */
const graph: PullGraph = {
  compute: Float64Array.of(1, 3, 2),
  pull: Float64Array.of(2, 1, 1),
  needs: [[], [], [0, 1]],
};

describe('three pulls', () => {
  test('timing-aware: b, a, c', () => {
    expect([...timingAware(graph)]).toEqual([1, 0, 2]);
    expect(makespan(graph, timingAware(graph))).toBe(7);
  });
  test('timing-independent: all are needed by c, so by layer', () => {
    expect([...timingIndependent(graph)]).toEqual([0, 1, 2]);
    expect(makespan(graph, timingIndependent(graph))).toBe(8);
  });
  test('the worst order takes 9, and none is under 7', () => {
    const all = permutations([0, 1, 2]).map((places) => makespan(graph, places));
    expect([Math.min(...all), Math.max(...all)]).toEqual([7, 9]);
  });
  test('efficiency and speedup', () => {
    expect(efficiencyOf(graph, 7)).toEqual({ upper: 10, lower: 6, efficiency: 0.75, speedup: 2 / 3 });
  });
});

const graphs = (most: number) =>
  fc
    .array(
      fc.record({
        compute: fc.integer({ min: 0, max: 6 }),
        pull: fc.integer({ min: 1, max: 6 }),
        needs: fc.array(fc.nat(), { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: most },
    )
    .map((operations): PullGraph => ({
      compute: Float64Array.from(operations, ({ compute }) => compute),
      pull: Float64Array.from(operations, ({ pull }) => pull),
      needs: operations.map(({ needs }, at) => (at === 0 ? [] : [...new Set(needs.map((need) => need % at))])),
    }));

const aGraph = graphs(6);

test('no order is under the lower bound or over the upper one', () => {
  fc.assert(
    fc.property(aGraph, fc.nat(), (each, seed) => {
      const { upper, lower } = efficiencyOf(each, 0);
      const places = permutations(Array.from(each.pull, (_, at) => at));
      for (const order of [timingAware(each), timingIndependent(each), places[seed % places.length]]) {
        expect([...order].toSorted((a, b) => a - b)).toEqual(Array.from(each.pull, (_, at) => at));
        expect(makespan(each, order)).toBeGreaterThanOrEqual(lower);
        expect(makespan(each, order)).toBeLessThanOrEqual(upper);
      }
    }),
  );
});

test('two pulls without a common operation: the order that ends sooner goes first', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }), ([a, b, c, d]) => {
      const two: PullGraph = { compute: Float64Array.of(a, b), pull: Float64Array.of(c, d), needs: [[], []] };
      expect(makespan(two, timingAware(two))).toBe(Math.min(makespan(two, [0, 1]), makespan(two, [1, 0])));
    }),
  );
});

/** As the paper states it, from sets, anew for each pull. */
function byThePaper({ compute, pull, needs }: PullGraph): number[] {
  const sets = needs.map((): Set<number> => new Set());
  needs.forEach((needed, operation) => {
    sets[operation] = new Set([operation, ...needed.flatMap((each) => [...sets[each]])]);
  });
  const order: number[] = [];
  while (order.length < pull.length) {
    const left = Array.from(pull, (_, at) => at).filter((at) => !order.includes(at));
    const outstanding = sets.map((set) => [...set].filter((each) => !order.includes(each)));
    const figures = left.map((at) => {
      const alone = outstanding.flatMap((set, operation) =>
        set.length === 1 && set[0] === at ? [compute[operation]] : [],
      );
      const others = outstanding.flatMap((set) =>
        set.length > 1 && set.includes(at) ? [set.reduce((sum, each) => sum + pull[each], 0)] : [],
      );
      return { at, p: alone.reduce((sum, each) => sum + each, 0), m: pull[at], more: Math.min(...others) };
    });
    let [best] = figures;
    for (const each of figures.slice(1)) {
      const [mine, theirs] = [Math.min(best.p, each.m), Math.min(each.p, best.m)];
      if (mine < theirs || (mine === theirs && each.more < best.more)) best = each;
    }
    order.push(best.at);
  }
  return order;
}

test('timing-aware order as the paper states it', () => {
  fc.assert(
    fc.property(aGraph, (each) => {
      const places = timingAware(each);
      expect(byThePaper(each).map((pull) => places[pull])).toEqual(byThePaper(each).map((_, at) => at));
    }),
    { numRuns: 500 },
  );
});

test('timing-independent: a pull that only its operation needs is last', () => {
  const three = { compute: Float64Array.of(1, 1, 1), pull: Float64Array.of(1, 1, 1), needs: [[], [], [0]] };
  expect([...timingIndependent(three)]).toEqual([0, 2, 1]);
});

test('rounding changes no order', () => {
  fc.assert(
    fc.property(graphs(14), fc.constantFrom(1e-3, 1e-6 / 3), (each, unit) => {
      const scaled = {
        ...each,
        compute: each.compute.map((seconds) => seconds * unit),
        pull: each.pull.map((seconds) => seconds * unit),
      };
      expect([...timingAware(scaled)]).toEqual([...timingAware(each)]);
    }),
    { numRuns: 500 },
  );
});
