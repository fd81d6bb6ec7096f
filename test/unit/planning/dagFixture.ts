/** Random graphs of layers, and cuts of them by trying all. */
import * as fc from '../../support/property.ts';
import { balance } from '../../../engine/planning/cut/balance.ts';
import type { DagCut } from '../../../engine/planning/cut/dag/cutDag.ts';
import { cutDag } from '../../../engine/planning/cut/dag/cutDag.ts';
import { dagOf } from '../../../engine/planning/cut/dag/graph.ts';

export interface Graph {
  /** Nodes that each node needs, all of lower numbers. */
  readonly needs: readonly (readonly number[])[];
  readonly times: readonly number[];
  readonly outputs: readonly number[];
}

/** Graphs of up to `most` nodes, from nearly none to nearly all needs. */
export const graphs = (most: number, time: fc.Arbitrary<number>): fc.Arbitrary<Graph> =>
  fc.integer({ min: 1, max: most }).chain((count) =>
    fc.record({
      times: fc.array(time, { minLength: count, maxLength: count }),
      outputs: fc.array(fc.nat(9), { minLength: count, maxLength: count }),
      needs: fc
        .record({
          rows: fc.array(fc.array(fc.nat(99), { minLength: count, maxLength: count }), {
            minLength: count,
            maxLength: count,
          }),
          share: fc.constantFrom(8, 20, 40, 70),
        })
        .map(({ rows, share }) =>
          rows.map((row, node) => row.flatMap((value, at) => (at < node && value < share ? [at] : []))),
        ),
    }),
  );

/** Cut of a graph whose stages are on devices of one kind. */
export function cutAlike({ needs, times, outputs }: Graph, parts: number): DagCut {
  const row = Float64Array.from(times);
  return cutDag({
    dag: dagOf(needs.length, (node) => needs[node]),
    times: [row],
    kinds: new Int32Array(parts),
    outputs: Float64Array.from(outputs),
    inOrder: (order) =>
      balance(
        order.reduce((all, node, at) => all.fill(row[node], at, at + 1), new Float64Array(order.length)),
        parts,
      ),
  });
}

/** Sets of nodes, as bits, that hold with each node all that it needs. */
export function closedSets({ needs }: Pick<Graph, 'needs'>): number[] {
  const masks = needs.map((row) => row.reduce((mask, value) => mask | (1 << value), 0));
  const sets: number[] = [];
  for (let set = 0; set < 1 << needs.length; set += 1)
    if (masks.every((mask, node) => ((set >> node) & 1) === 0 || (set & mask) === mask)) sets.push(set);
  return sets;
}

/** Least possible slowest stage over all cuts into non-empty stages; `time(stage, node)`. */
export function slowestOfAll(graph: Graph, parts: number, time: (stage: number, node: number) => number): number {
  const sets = closedSets(graph);
  let best = new Map([[0, 0]]);
  for (let stage = 0; stage < parts; stage += 1) {
    const next = new Map<number, number>();
    for (const [from, slowest] of best) {
      for (const to of sets) {
        if (to === from || (to & from) !== from) continue;
        let sum = 0;
        for (let node = 0; node < graph.needs.length; node += 1)
          if (((to & ~from) >> node) & 1) sum += time(stage, node);
        const value = Math.max(slowest, sum);
        if (value < (next.get(to) ?? Infinity)) next.set(to, value);
      }
    }
    best = next;
  }
  return best.get((1 << graph.needs.length) - 1) ?? Infinity;
}

/** Stages of a cut as lists of nodes. */
export const stagesIn = ({ order, starts }: Pick<DagCut, 'order' | 'starts'>): number[][] =>
  Array.from(starts, (from, stage) => [...order.subarray(from, starts[stage + 1] ?? order.length)]);

/** Bytes between stages: each tensor once to each other stage that needs it. */
export function bytesBetween({ needs, outputs }: Graph, stages: readonly (readonly number[])[]): number {
  const stageOf = new Map(stages.flatMap((nodes, stage) => nodes.map((node) => [node, stage] as const)));
  const sent = new Set<string>();
  for (const [node, row] of needs.entries())
    for (const value of row) if (stageOf.get(value) !== stageOf.get(node)) sent.add(`${value} ${stageOf.get(node)}`);
  return [...sent].reduce((sum, name) => sum + outputs[Number(name.split(' ')[0])], 0);
}
