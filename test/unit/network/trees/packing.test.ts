import { describe, expect, test } from 'vitest';
import { packTrees } from '../../../../engine/network/trees/pack.ts';
import { packPorts } from '../../../../engine/network/trees/ports.ts';
import { mergeAlike, type Packing, type TreeProblem } from '../../../../engine/network/trees/problem.ts';
import { radiusOf } from '../../../../engine/network/trees/spanning.ts';
import * as fc from '../../../support/property.ts';
import { exactMaximum } from './exactProgram.ts';
import { linksOf, loadOf, partitions, portsOf, spanningTrees } from './graphs.ts';

/** What `packTrees` found, after a check that it is a packing and that its bound meets it. */
function packed(problem: TreeProblem): Packing {
  const packing = packTrees(problem);
  if (packing === undefined) throw new Error('not joined');
  for (const { edges, rate } of packing.trees) {
    expect(rate).toBeGreaterThan(0);
    const part = Array.from({ length: problem.ranks }, (_, rank) => rank);
    for (const edge of edges) {
      const [kept, gone] = [part[problem.edges[edge].from], part[problem.edges[edge].to]];
      expect(kept).not.toBe(gone);
      for (const [rank, name] of part.entries()) if (name === gone) part[rank] = kept;
    }
    expect(edges.length).toBe(problem.ranks - 1);
  }
  for (const [resource, load] of loadOf(problem, packing.trees).entries())
    expect(load).toBeLessThanOrEqual(problem.capacity[resource] * (1 + 1e-12));
  expect(packing.trees.reduce((sum, { rate }) => sum + rate, 0)).toBeCloseTo(packing.rate, 9);
  expect(Math.abs(packing.bound / packing.rate - 1)).toBeLessThan(1e-9);
  return packing;
}

/** Tutte and Nash-Williams: the least of what crosses between the parts of a partition, by the number of parts less one. */
function leastPartition(problem: TreeProblem): number {
  let least = Infinity;
  for (const part of partitions(problem.ranks)) {
    const parts = Math.max(...part) + 1;
    if (parts === 1) continue;
    let crossing = 0;
    for (const { from, to, uses } of problem.edges)
      if (part[from] !== part[to]) crossing += problem.capacity[uses[0].resource];
    least = Math.min(least, crossing / (parts - 1));
  }
  return least;
}

const oneBit = (value: number): boolean => (value & (value - 1)) === 0;
/** NVLinks of a DGX-1 with V100, GB/s. */
const dgx1: Readonly<Record<string, number>> = {
  ...{ '0-3': 40, '0-4': 40, '0-1': 20, '0-2': 20, '1-2': 40, '1-5': 40, '1-3': 20, '2-3': 40, '2-6': 20, '3-7': 20 },
  ...{ '4-7': 40, '4-5': 20, '4-6': 20, '5-6': 40, '5-7': 20, '6-7': 40 },
};

describe('trees over links', () => {
  test.each<[string, TreeProblem, number, number]>([
    ['a triangle of 10, 10 and 1', linksOf(3, (from, to) => (from + to === 1 ? 1 : 10)), 10.5, 1],
    ['four ranks, all joined by 10', linksOf(4, () => 10), 20, 1],
    ['a cube of 10', linksOf(8, (from, to) => (oneBit(from ^ to) ? 10 : 0)), 120 / 7, 4],
    ['the NVLinks of a DGX-1', linksOf(8, (from, to) => dgx1[`${from}-${to}`] ?? 0), 480 / 7, 4],
    ['sixteen ranks, all joined by 10', linksOf(16, () => 10), 80, 1],
    ['a chain', linksOf(5, (from, to) => (to === from + 1 ? 3 + from : 0)), 3, 2],
    ['two ranks', linksOf(2, () => 7), 7, 1],
  ])('%s', (_, problem, rate, deepest) => {
    const found = packed(problem);
    expect(found.rate).toBeCloseTo(rate, 9);
    expect(found.depth).toBeLessThanOrEqual(deepest);
  });

  test('as many as the least partition lets through (all partitions, up to 7 ranks)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 7 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 21, maxLength: 21 }),
        (ranks, rates) => {
          const problem = linksOf(ranks, (from, to) => rates[(to * (to - 1)) / 2 + from]);
          const least = leastPartition(problem);
          if (least === 0) expect(packTrees(problem)).toBeUndefined();
          else expect(packed(problem).rate).toBeCloseTo(least, 9);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('random links of 12 ranks: the bound meets the packing, and no partition of single ranks is passed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 5, noNaN: true }), { minLength: 66, maxLength: 66 }),
        (rates) => {
          const problem = linksOf(12, (from, to) => rates[(to * (to - 1)) / 2 + from]);
          const { rate, limits } = packed(problem);
          expect(rate).toBeLessThanOrEqual((problem.capacity.reduce((sum, each) => sum + each, 0) / 11) * (1 + 1e-12));
          // Links without a price may be slower, and nothing is lost until they have one.
          expect(limits.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('a step limit leaves a packing and a bound that is not under the optimum', () => {
    const problem = linksOf(9, (from, to) => 1 + ((from * 7 + to * 11) % 13));
    const whole = packed(problem);
    const short = packTrees(problem, 2);
    expect(short?.rate).toBeLessThan(whole.rate);
    expect(short?.bound).toBeGreaterThanOrEqual(whole.rate * (1 - 1e-12));
    expect(packTrees(linksOf(1, () => 1))).toBeUndefined();
  });
});

test('16 ranks of unlike links take few steps: counted, because a step takes time in proportion to squared resources', () => {
  let state = 7;
  const next = (): number => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (let round = 0; round < 3; round += 1) {
    const problem = linksOf(16, () => 1 + Math.floor(next() * 100));
    const packing = packTrees(problem, 1000);
    expect((packing?.bound ?? Infinity) / (packing?.rate ?? 0)).toBeLessThan(1 + 1e-9);
  }
});

describe('trees over any resources', () => {
  test('all trees of up to 5 ranks, in fractions: edges take several resources, in any amounts', () => {
    const use = fc.record({ resource: fc.integer({ min: 0, max: 5 }), amount: fc.integer({ min: 1, max: 2 }) });
    const edge = fc.record({
      a: fc.nat(4),
      b: fc.nat(4),
      uses: fc.uniqueArray(use, { minLength: 1, maxLength: 3, selector: (each) => each.resource }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5 }),
        fc.array(edge, { minLength: 4, maxLength: 9 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 6, maxLength: 6 }),
        (ranks, edges, capacity) => {
          const problem = {
            ranks,
            capacity,
            edges: edges.flatMap(({ a, b, uses }) =>
              a % ranks === b % ranks ? [] : [{ from: a % ranks, to: b % ranks, uses }],
            ),
          };
          const trees = spanningTrees(problem);
          if (trees.length === 0) {
            expect(packTrees(problem)).toBeUndefined();
            return;
          }
          const columns = trees.map((tree) => loadOf(problem, [{ edges: tree, rate: 1 }]));
          expect(packed(problem).rate).toBeCloseTo(exactMaximum(columns, capacity), 9);
        },
      ),
      { numRuns: 80 },
    );
  });

  test('one tight direction limits an edge as both would', () => {
    const both = {
      ranks: 2,
      capacity: [8, 5, 99],
      edges: [
        {
          from: 0,
          to: 1,
          uses: [
            { resource: 0, amount: 1 },
            { resource: 1, amount: 2 },
          ],
        },
      ],
    };
    expect(mergeAlike(both)).toEqual({
      problem: { ranks: 2, capacity: [2.5], edges: [{ from: 0, to: 1, uses: [{ resource: 0, amount: 1 }] }] },
      first: [1],
    });
    expect(packed(both).rate).toBe(2.5);
    expect(packed(both).limits).toEqual([1]);
  });
});

describe('trees over ports', () => {
  test.each([
    ['7 of 10 and one of 1', [10, 10, 10, 10, 10, 10, 10, 1], [], 1],
    ['8 of 10', [10, 10, 10, 10, 10, 10, 10, 10], [], 40 / 7],
    ['8 of 10 with 4 servers', [10, 10, 10, 10, 10, 10, 10, 10], [10, 10, 10, 10], 55 / 7],
    ['2 of 3 and 5', [3, 5], [], 3],
    ['one', [3], [], Infinity],
  ])('%s', (_, ports, servers, rate) => {
    expect(packPorts(ports, servers).rate).toBeCloseTo(rate, 12);
  });

  test('are what packing finds, and stars are enough', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 8 }), (ports) => {
        expect(packed(portsOf(ports)).rate).toBeCloseTo(packPorts(ports).rate, 9);
      }),
      { numRuns: 60 },
    );
  });

  test('equal ports and k ≤ n servers: the theorem of BytePS', () => {
    for (let ranks = 2; ranks <= 12; ranks += 1)
      for (let servers = 0; servers <= ranks; servers += 1) {
        const { rate } = packPorts(
          Array.from({ length: ranks }, () => 10),
          Array.from({ length: servers }, () => 10),
        );
        expect(rate).toBeCloseTo((10 * (ranks ** 2 + servers * ranks - 2 * servers)) / (2 * ranks * (ranks - 1)), 9);
      }
  });

  test('servers are in trees or not: all such trees, in fractions', () => {
    const port = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(
        fc.array(port, { minLength: 2, maxLength: 4 }),
        fc.array(port, { maxLength: 2 }),
        (ports, servers) => {
          const all = [...ports, ...servers];
          // With each subset of the servers, trees that span it and the ranks.
          const columns = Array.from({ length: 2 ** servers.length }).flatMap((_, subset) => {
            const members = [...all.keys()].filter(
              (at) => at < ports.length || ((subset >> (at - ports.length)) & 1) === 1,
            );
            const problem = portsOf(members.map((at) => all[at]));
            return spanningTrees(problem).map((tree) => {
              const load = loadOf(problem, [{ edges: tree, rate: 1 }]);
              return all.map((__, at) => load[members.indexOf(at)] ?? 0);
            });
          });
          expect(packPorts(ports, servers).rate).toBeCloseTo(exactMaximum(columns, all), 9);
        },
      ),
      { numRuns: 30 },
    );
  });
});

test('the middle of a tree is half of its longest route away', () => {
  const chain = linksOf(6, (from, to) => (to === from + 1 ? 1 : 0));
  expect(radiusOf(chain, [0, 1, 2, 3, 4])).toBe(3);
  expect(
    radiusOf(
      linksOf(2, () => 1),
      [0],
    ),
  ).toBe(1);
});
