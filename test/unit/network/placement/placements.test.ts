import * as fc from '../../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { placements } from '../../../../engine/network/placement/placements.ts';
import { compareCosts, placementCost, type PlacementProblem } from '../../../../engine/network/placement/problem.ts';
import { allPlacements, rowOf } from './placementReference.ts';

/** Few different figures make equal placements; many make none. */
const seconds = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: 1e-6, max: 1, noNaN: true }));

const problems = fc
  .record({ places: fc.integer({ min: 1, max: 6 }), symmetric: fc.boolean(), cycle: fc.boolean(), skip: fc.boolean() })
  .chain(({ places, symmetric, cycle, skip }) =>
    fc
      .record({
        ranks: fc.integer({ min: 1, max: places }),
        tables: fc.array(
          fc.array(fc.oneof({ weight: 9, arbitrary: seconds }, { weight: 1, arbitrary: fc.constant(Infinity) }), {
            minLength: places * places,
            maxLength: places * places,
          }),
          { minLength: 2, maxLength: 2 },
        ),
        sizes: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: places + 2, maxLength: places + 2 }),
        pinned: fc.option(fc.nat()),
      })
      .map(({ ranks, tables, sizes, pinned }): PlacementProblem => {
        const square = symmetric
          ? tables.map((table) =>
              table.map((_, hop) => table[Math.max(hop, (hop % places) * places + Math.trunc(hop / places))]),
            )
          : tables;
        const row = rowOf([], places, ranks);
        const pairs = row.pairs.map((pair, at) => ({ ...pair, worst: sizes[at], sum: sizes[at] }));
        if (cycle && ranks > 2) pairs.push({ from: ranks - 1, to: 0, worst: sizes[places], sum: sizes[places] });
        if (skip && ranks > 2) pairs.push({ from: 0, to: 2, worst: sizes[places + 1], sum: sizes[places + 1] });
        const allowed = row.allowed.map((set, rank) =>
          pinned === null ? set : rank === pinned % ranks ? [rank] : set.filter((place) => place !== pinned % ranks),
        );
        return { ...row, tables: square, pairs, allowed };
      }),
  );

describe('placements', () => {
  it('finds the best eight of all placements', () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const all = allPlacements(problem);
        const { best, exact } = placements(problem);
        const reachable = best.filter(({ worst }) => worst < Infinity);
        expect(exact).toBe(true);
        expect(new Set(best.map(({ places }) => places.join())).size).toBe(best.length);
        expect(reachable.length).toBe(Math.min(8, all.length));
        for (const [index, found] of reachable.entries()) expect(compareCosts(found, all[index])).toBe(0);
        for (const { places } of reachable)
          expect(places.every((place, rank) => problem.allowed[rank].includes(place))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('finds the best of eight places as brute force does', () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 64, maxLength: 64 }), (table) => {
        const problem = rowOf(table, 8, 8);
        const [best] = allPlacements(problem);
        expect(compareCosts(placements(problem).best[0], best)).toBe(0);
      }),
      { numRuns: 4 },
    );
  });

  it('keeps the order by number where no other is better', () => {
    const problem = rowOf(
      Array.from({ length: 64 }, () => 1),
      8,
      8,
    );
    expect(placements(problem).best[0].places).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(
      placements(
        rowOf(
          Array.from({ length: 16 }, () => 1),
          4,
          3,
        ),
      ).best[0].places,
    ).toEqual([0, 1, 2]);
  });

  it('prefers a faster slowest hop to a smaller sum', () => {
    // 0 – 1 – 2 has hops of 1 and 5, 0 – 2 – 1 hops of 4 and 4.
    const table = [0, 1, 4, 1, 0, 5, 4, 5, 0];
    const [best] = placements(
      rowOf(table, 3, 3, {
        pairs: [
          { from: 0, to: 1, worst: 0, sum: 0 },
          { from: 1, to: 2, worst: 0, sum: 0 },
        ],
      }),
    ).best;
    expect(best).toEqual({ places: [1, 0, 2], worst: 4, sum: 5 });
  });

  it('goes without a hop that has no route', () => {
    const none = Infinity;
    const table = [0, none, 1, none, 0, 1, 1, 1, 0];
    expect(placements(rowOf(table, 3, 3)).best[0].places).toEqual([0, 2, 1]);
    const cut = [0, none, none, none, 0, 1, none, 1, 0];
    expect(placements(rowOf(cut, 3, 3)).best).toEqual([{ places: [0, 1, 2], worst: none, sum: none }]);
  });
});

describe('more places than are searched in all orders', () => {
  const size = 6;
  /** Nodes in the row 0, 2, 1, 3 have hops of 20, others of 100. Inside a node, 0, 2, 4, 1, 3, 5 is a row of hops of 1, others take 5. */
  const nodeRow = [0, 2, 1, 3];
  const inner = [0, 2, 4, 1, 3, 5];
  const near = (row: readonly number[], a: number, b: number) => Math.abs(row.indexOf(a) - row.indexOf(b)) === 1;
  const table = Array.from({ length: 24 * 24 }, (_, hop) => {
    const [from, to] = [Math.trunc(hop / 24), hop % 24];
    const [a, b] = [Math.trunc(from / size), Math.trunc(to / size)];
    if (a === b) return near(inner, from % size, to % size) ? 1 : 5;
    return near(nodeRow, a, b) ? 20 : 100;
  });
  const nodes = Array.from({ length: 24 }, (_, place) => Math.trunc(place / size));

  it('places nodes, then the ranks inside them', () => {
    const { best, exact } = placements(rowOf(table, 24, 24, { nodes }));
    expect(exact).toBe(false);
    // Three hops between nodes, five inside each of the four.
    expect(best[0]).toMatchObject({ worst: 20, sum: 3 * 20 + 4 * 5 });
    expect(best[0].places).toEqual(nodeRow.flatMap((node) => inner.map((place) => node * size + place)));
  });

  it('enters and leaves nodes where their links are', () => {
    // A ring of hops of 1 in each node; only place 2 of a node is linked to place 1 of the next.
    const gates = Array.from({ length: 24 * 24 }, (_, hop) => {
      const [from, to] = [Math.trunc(hop / 24), hop % 24];
      const [a, b] = [Math.trunc(from / size), Math.trunc(to / size)];
      if (a === b) return [1, 5].includes(Math.abs((from % size) - (to % size))) ? 1 : 50;
      const linked =
        b === a + 1 ? from % size === 2 && to % size === 1 : a === b + 1 && from % size === 1 && to % size === 2;
      return linked ? 20 : 90;
    });
    const { best } = placements(rowOf(gates, 24, 24, { nodes }));
    expect(best[0]).toMatchObject({ worst: 20, sum: 3 * 20 + 4 * 5 });
  });

  it('leaves out nodes that are too small for a run', () => {
    // By number, 6 ranks in node 0 and 6 in node 2; node 1 has the fast hops to node 0, but only 3 places; node 3 has them too.
    const sizes = [0, 6, 9, 15, 21];
    const at = (place: number) => sizes.findLastIndex((first) => first <= place);
    const hops = Array.from({ length: 21 * 21 }, (_, hop) => {
      const [a, b] = [at(Math.trunc(hop / 21)), at(hop % 21)];
      if (a === b) return 1;
      const [low, high] = a < b ? [a, b] : [b, a];
      return low === 0 && high === 1 ? 2 : low === 0 && high === 3 ? 3 : 30;
    });
    const byNumber = Array.from({ length: 12 }, (_, rank) => (rank < 6 ? rank : rank + 3));
    const ofPlace = Array.from({ length: 21 }, (_, place) => at(place));
    const { best } = placements(rowOf(hops, 21, 12, { nodes: ofPlace, byNumber }));
    expect(best[0]).toMatchObject({ worst: 3, sum: 10 + 3 });
  });

  it('moves runs of ranks only to nodes that have room for them', () => {
    const row = rowOf(table, 24, 20, { nodes });
    const small = row.allowed.map((set, rank) => (rank < 6 ? set : set.filter((place) => place >= 6)));
    const { best } = placements({ ...row, allowed: small });
    for (const { places } of best) {
      expect(new Set(places).size).toBe(20);
      expect(places.every((place, rank) => small[rank].includes(place))).toBe(true);
    }
    expect(best[0].worst).toBeLessThan(100);
  });

  it('exchanges ranks where nodes do not help', () => {
    // No nodes: a row of 20 places, in which ranks 3 and 15 are on each other's place.
    const flat = Array.from({ length: 400 }, (_, hop) => Math.abs(Math.trunc(hop / 20) - (hop % 20)));
    const straight = Array.from({ length: 20 }, (_, rank) => rank);
    const byNumber = straight.map((rank) => (rank === 3 ? 15 : rank === 15 ? 3 : rank));
    const { best } = placements(rowOf(flat, 20, 20, { nodes: straight.map(() => 0), byNumber }));
    expect(best[0]).toEqual({ places: straight, worst: 1, sum: 19 });
  });

  it('gives the same placements each time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 324, maxLength: 324 }), (random) => {
        const problem = rowOf(random, 18, 18);
        const { best } = placements(problem);
        expect(placements(problem).best).toEqual(best);
        // By number is never better than the first.
        expect(compareCosts(best[0], placementCost(problem, problem.byNumber))).toBeLessThanOrEqual(0);
        for (let at = 1; at < best.length; at += 1) expect(compareCosts(best[at - 1], best[at])).toBeLessThanOrEqual(0);
      }),
      { numRuns: 10 },
    );
  });
});
