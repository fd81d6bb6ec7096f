import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { balancedStarts } from '../../../engine/planning/cut/balancedStarts.ts';
import { lessCrossing } from '../../../engine/planning/cut/dag/crossing.ts';
import { cutDag, stagesOf } from '../../../engine/planning/cut/dag/cutDag.ts';
import { evenOut } from '../../../engine/planning/cut/dag/evenOut.ts';
import {
  dagOf,
  hasOneOrder,
  turned,
  weightsAfter,
  weightsBefore,
  withoutNodes,
} from '../../../engine/planning/cut/dag/graph.ts';
import { idealsOf } from '../../../engine/planning/cut/dag/ideals.ts';
import { leastPossible } from '../../../engine/planning/cut/dag/leastPossible.ts';
import { goodOrders } from '../../../engine/planning/cut/dag/orders.ts';
import { wholeWeights } from '../../../engine/planning/cut/dag/wholeWeights.ts';
import { bytesBetween, closedSets, cutAlike, graphs, slowestOfAll, stagesIn } from './dagFixture.ts';

const whole = fc.integer({ min: 0, max: 12 });
const parts = fc.integer({ min: 1, max: 5 });

/** All nodes once, none empty, needs in the own or earlier stages. */
function expectCut(needs: readonly (readonly number[])[], stages: readonly (readonly number[])[], count: number): void {
  expect(stages).toHaveLength(count);
  for (const nodes of stages) expect(nodes.length).toBeGreaterThan(0);
  expect(stages.flat().toSorted((a, b) => a - b)).toEqual([...needs.keys()]);
  const position = new Map(stages.flat().map((node, at) => [node, at]));
  for (const [node, row] of needs.entries())
    for (const value of row) expect(position.get(value)).toBeLessThan(position.get(node) ?? -1);
}

describe('the fastest cut of a graph', () => {
  test('is the best of all cuts in which stages need earlier ones only', () => {
    fc.assert(
      fc.property(graphs(12, whole), parts, (graph, wanted) => {
        const count = Math.min(wanted, graph.needs.length);
        const cut = cutAlike(graph, count);
        const stages = stagesIn(cut);
        expectCut(graph.needs, stages, count);
        const slowest = Math.max(...stages.map((nodes) => nodes.reduce((sum, node) => sum + graph.times[node], 0)));
        expect(slowest).toBe(slowestOfAll(graph, count, (_, node) => graph.times[node]));
        expect(cut.above).toBe(0);
        expect(cut.least).toBeCloseTo(slowest, 9);
      }),
      { numRuns: 120 },
    );
  });

  test('is so for times that are no multiples of anything', () => {
    const time = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(graphs(9, time), parts, (graph, wanted) => {
        const count = Math.min(wanted, graph.needs.length);
        const cut = cutAlike(graph, count);
        const slowest = Math.max(
          ...stagesIn(cut).map((nodes) => nodes.reduce((sum, node) => sum + graph.times[node], 0)),
        );
        // Times are compared in steps of 1e-10 of the longest.
        expect(slowest).toBeCloseTo(
          slowestOfAll(graph, count, (_, node) => graph.times[node]),
          9,
        );
        expect(cut.above).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('on unlike devices is between what it says to be possible and the best of the written order', () => {
    fc.assert(
      fc.property(
        graphs(9, fc.integer({ min: 1, max: 12 })),
        fc.array(fc.record({ slow: fc.integer({ min: 1, max: 3 }), fixed: fc.integer({ min: 0, max: 4 }) }), {
          minLength: 1,
          maxLength: 4,
        }),
        (graph, devices) => {
          const rows = devices.slice(0, graph.needs.length);
          const time = (stage: number, node: number) => graph.times[node] * rows[stage].slow + rows[stage].fixed;
          const times = rows.map((_, stage) => Float64Array.from(graph.needs, (_row, node) => time(stage, node)));
          const inOrder = (order: Int32Array) =>
            balancedStarts(order, [...rows.keys()], (node, stage) => time(stage, node));
          const dag = dagOf(graph.needs.length, (node) => graph.needs[node]);
          const kinds = Int32Array.from(rows.keys());
          const cut = cutDag({ dag, times, kinds, outputs: Float64Array.from(graph.outputs), inOrder });
          const stages = stagesIn(cut);
          expectCut(graph.needs, stages, rows.length);
          const slowestIn = (nodes: readonly (readonly number[])[]) =>
            Math.max(...nodes.map((each, stage) => each.reduce((sum, node) => sum + time(stage, node), 0)));
          const slowest = slowestIn(stages);
          const best = slowestOfAll(graph, rows.length, time);
          const order = Int32Array.from(graph.needs.keys());
          expect(slowest).toBeLessThanOrEqual(slowestIn(stagesIn({ order, starts: inOrder(order) })) * (1 + 1e-9));
          expect(slowest).toBeGreaterThanOrEqual(best * (1 - 1e-9));
          expect(cut.least).toBeLessThanOrEqual(best * (1 + 1e-9));
          expect(slowest).toBeCloseTo(cut.least * (1 + cut.above), 8);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('of two branches takes both apart where runs of layers one after the other could not', () => {
    // Branches of 5 + 1 and 2 + 6: one and then the other gives 8 at best, the first layers of both 7.
    const graph = {
      needs: [[], [0], [1], [0], [3], [2, 4]],
      times: [0, 5, 1, 2, 6, 0],
      outputs: [1, 1, 1, 1, 1, 1],
    };
    expect(
      Math.max(...stagesIn(cutAlike(graph, 2)).map((stage) => stage.reduce((sum, node) => sum + graph.times[node], 0))),
    ).toBe(7);
  });

  test('of equally fast cuts sends less', () => {
    // Either branch can be the first stage; one ends in a small tensor.
    const graph = { needs: [[], [0], [], [2], [1, 3]], times: [3, 3, 3, 3, 0], outputs: [50, 40, 30, 2, 0] };
    const stages = stagesIn(cutAlike(graph, 2));
    expect(stages).toEqual([
      [2, 3],
      [0, 1, 4],
    ]);
    expect(bytesBetween(graph, stages)).toBe(2);
  });

  test('many independent layers: what is found is within what it says, and near a cut that is known to be the best', () => {
    const random = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 10, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(random, { minLength: 2, maxLength: 6 }), (groups) => {
        // One layer more in each group, so that all groups take as long: none can be faster.
        const sums = groups.map((group) => group.reduce((sum, value) => sum + value, 0));
        const most = Math.max(...sums) + 1;
        const times = groups.flatMap((group, index) => [...group, most - sums[index]]);
        const graph = {
          needs: times.map(() => []),
          times: times.map((time) => time / 1000),
          outputs: times.map(() => 1),
        };
        const cut = cutAlike(graph, groups.length);
        const slowest = Math.max(...stagesIn(cut).map((nodes) => nodes.reduce((sum, node) => sum + times[node], 0)));
        expect(slowest).toBeGreaterThanOrEqual(most);
        expect(cut.least * 1000).toBeLessThanOrEqual(most * (1 + 1e-9));
        expect(cut.least * 1000 * (1 + cut.above)).toBeCloseTo(slowest, 6);
        expect(slowest).toBeLessThanOrEqual(most * 1.02);
      }),
      { numRuns: 30 },
    );
  });

  test('takes anything', () => {
    for (const odd of [0, Number.NaN, Infinity, -1, 1e308, 5e-324]) {
      const graph = { needs: [[], [], [0], [1], [2, 3]], times: [odd, odd, 1, odd, odd], outputs: [1, 1, 1, 1, 1] };
      for (let count = 1; count <= 5; count += 1) expectCut(graph.needs, stagesIn(cutAlike(graph, count)), count);
    }
  });
});

describe('its parts', () => {
  test('sets are all sets with what they need', () => {
    fc.assert(
      fc.property(graphs(10, whole), (graph) => {
        const ideals = idealsOf(dagOf(graph.needs.length, (node) => graph.needs[node]));
        const sets = closedSets(graph);
        expect(ideals?.count).toBe(sets.length);
        if (ideals === undefined) return;
        // Walking the additions from the empty set makes each of them, at its number.
        const made = new Array<number | undefined>(ideals.count).fill(undefined);
        made[0] = 0;
        for (let set = 0; set < ideals.count; set += 1)
          for (let at = ideals.from[set]; at < ideals.from[set + 1]; at += 1) {
            const sum = (made[set] ?? 0) | (1 << ideals.node[at]);
            expect(made[ideals.to[at]] ?? sum).toBe(sum);
            made[ideals.to[at]] = sum;
          }
        expect(made.toSorted((a, b) => (a ?? -1) - (b ?? -1))).toEqual(sets);
        expect(made.at(-1)).toBe((1 << graph.needs.length) - 1);
      }),
      { numRuns: 80 },
    );
  });

  test('too many sets are given up', () => {
    expect(idealsOf(dagOf(40, () => []))).toBeUndefined();
    // Eight chains of four: 5⁸ sets.
    expect(idealsOf(dagOf(32, (node) => (node < 8 ? [] : [node - 8])))).toBeUndefined();
    expect(idealsOf(dagOf(14, () => []))?.count).toBe(2 ** 14);
    // Three chains of twenty; then two hundred diamonds in a row, five sets each: how long a graph is does not matter.
    expect(idealsOf(dagOf(60, (node) => (node < 3 ? [] : [node - 3])))?.count).toBe(21 ** 3);
    const diamond = (node: number) => [[node - 1], [node - 1], [node - 2], [node - 2, node - 1]][node % 4];
    expect(idealsOf(dagOf(800, (node) => (node === 0 ? [] : diamond(node))))?.count).toBe(1 + 5 * 200);
  });

  test('no cut is below the bound', () => {
    fc.assert(
      fc.property(graphs(10, whole), parts, fc.array(fc.integer({ min: 1, max: 4 })), (graph, wanted, slow) => {
        const count = Math.min(wanted, graph.needs.length);
        const dag = dagOf(graph.needs.length, (node) => graph.needs[node]);
        const alike = Float64Array.from(graph.times);
        const best = slowestOfAll(graph, count, (_, node) => graph.times[node]);
        expect(leastPossible(dag, new Array<Float64Array>(count).fill(alike))).toBeLessThanOrEqual(best);
        const speed = (stage: number) => slow[stage] ?? 1;
        const time = (stage: number, node: number) => graph.times[node] * speed(stage) + ((7 * node + 5 * stage) % 4);
        const rows = Array.from({ length: count }, (_, stage) => alike.map((_one, node) => time(stage, node)));
        const unlike = slowestOfAll(graph, count, time);
        expect(leastPossible(dag, rows)).toBeLessThanOrEqual(unlike);
      }),
      { numRuns: 200 },
    );
  });

  test('the bound sees layers that must wait for one another, and those that must share', () => {
    const alike = (count: number, weights: number[]) => new Array<Float64Array>(count).fill(Float64Array.from(weights));
    const chain = (count: number) => dagOf(count, (node) => (node === 0 ? [] : [node - 1]));
    expect(leastPossible(chain(3), alike(2, [5, 5, 5]))).toBe(10);
    expect(
      leastPossible(
        dagOf(3, () => []),
        alike(2, [5, 5, 5]),
      ),
    ).toBe(10);
    // All of 0, 1, 2 come before 3, all of 4, 5, 6 behind: 3 shares a stage with the rest of a side.
    const waist = dagOf(7, (node) => (node < 3 ? [] : node === 3 ? [0, 1, 2] : [3]));
    expect(leastPossible(waist, alike(2, [3, 3, 3, 8, 3, 3, 3]))).toBe(17);
  });

  test('orders put needs first', () => {
    fc.assert(
      fc.property(graphs(14, whole), ({ needs, times }) => {
        const dag = dagOf(needs.length, (node) => needs[node]);
        for (const order of goodOrders(dag, Float64Array.from(times), 20)) expectCut(needs, [[...order]], 1);
      }),
    );
  });

  test('sums before and behind, graphs turned round, nodes left out', () => {
    fc.assert(
      fc.property(
        graphs(10, whole),
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        ({ needs, times }, kept) => {
          const count = needs.length;
          const dag = dagOf(count, (node) => needs[node]);
          // Whether one needs the other, directly or not.
          const reach = needs.map(() => new Set<number>());
          for (const [node, row] of needs.entries())
            for (const value of row) for (const each of [value, ...reach[value]]) reach[node].add(each);
          const weights = Float64Array.from(times);
          const sum = (nodes: Iterable<number>) => [...nodes].reduce((total, node) => total + times[node], 0);
          expect([...weightsBefore(dag, weights)]).toEqual(times.map((time, node) => time + sum(reach[node])));
          const behind = (node: number) => [...needs.keys()].filter((index) => reach[index].has(node));
          expect([...weightsAfter(dag, weights)]).toEqual(times.map((time, node) => time + sum(behind(node))));
          expect(turned(turned(dag))).toEqual(dag);
          const marks = Uint8Array.from({ length: count }, (_, node) => Number(kept[node]));
          const { dag: left, nodes } = withoutNodes(dag, marks);
          expect([...nodes]).toEqual([...needs.keys()].filter((node) => kept[node]));
          const leftReach = [...nodes].map(() => new Set<number>());
          for (let node = 0; node < left.count; node += 1)
            for (const index of left.needs.nodes.subarray(left.needs.from[node], left.needs.from[node + 1]))
              for (const each of [index, ...leftReach[index]]) leftReach[node].add(each);
          for (const [index, node] of nodes.entries())
            expect([...leftReach[index]].map((at) => nodes[at]).toSorted((a, b) => a - b)).toEqual(
              [...reach[node]].filter((at) => kept[at]).toSorted((a, b) => a - b),
            );
          expect(hasOneOrder(dag)).toBe(needs.every((row, node) => node === 0 || row.includes(node - 1)));
        },
      ),
    );
  });

  test('moving layers keeps a cut a cut, no slower and, where it is asked for, with no more bytes', () => {
    fc.assert(
      fc.property(graphs(14, whole), parts, (graph, wanted) => {
        const { needs, times } = graph;
        const count = Math.min(wanted, needs.length);
        const dag = dagOf(needs.length, (node) => needs[node]);
        const weights = Float64Array.from(times);
        const order = Int32Array.from(needs.keys());
        const given = stagesOf(
          order,
          Int32Array.from({ length: count }, (_, stage) => stage),
        );
        const lists = (stageOf: Int32Array) =>
          Array.from({ length: count }, (_, stage) => [...needs.keys()].filter((node) => stageOf[node] === stage));
        const loads = (stageOf: Int32Array) =>
          lists(stageOf).map((nodes) => nodes.reduce((sum, node) => sum + times[node], 0));
        const even = evenOut(dag, weights, given, count, 1, { left: 100_000 });
        expectCut(needs, lists(even), count);
        expect(Math.max(...loads(even))).toBeLessThanOrEqual(Math.max(...loads(given)));
        const limit = Math.max(...loads(even));
        const rows = new Array<Float64Array>(count).fill(weights);
        const outputs = Float64Array.from(graph.outputs);
        const less = lessCrossing({ dag, weights: rows, outputs, limit, budget: { left: 100_000 } }, even);
        expectCut(needs, lists(less), count);
        expect(Math.max(...loads(less))).toBeLessThanOrEqual(limit);
        expect(bytesBetween(graph, lists(less))).toBeLessThanOrEqual(bytesBetween(graph, lists(even)));
      }),
      { numRuns: 200 },
    );
  });

  test('times get a common unit where they have one, and are rounded alike where not', () => {
    const milliseconds = [0.073, 6.949, 5.247, 0, 0.196];
    const { rows, unit } = wholeWeights([Float64Array.from(milliseconds, (value) => value / 1000)]);
    expect([...rows[0]]).toEqual([73, 6949, 5247, 0, 196]);
    expect(unit).toBeCloseTo(1e-6, 15);
    // Devices 1.5 and 3 times as slow.
    const slower = wholeWeights([1, 1.5, 3].map((slow) => Float64Array.of(0.004 * slow, 0.006 * slow)));
    expect(slower.rows.map((row) => [...row])).toEqual([
      [4, 6],
      [6, 9],
      [12, 18],
    ]);
    const odd = wholeWeights([Float64Array.of(Math.PI, Math.E, Math.SQRT2)]);
    const sum = odd.rows[0].reduce((total, value) => total + value, 0);
    expect(sum).toBeLessThanOrEqual(2 ** 50 + 3);
    expect((odd.rows[0][0] / sum) * (Math.PI + Math.E + Math.SQRT2)).toBeCloseTo(Math.PI, 12);
  });
});
