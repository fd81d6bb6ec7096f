import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { disjointCircles } from '../../../engine/schedule/circles.ts';

/** For each node those that it waits for: one at least. */
const graphs = fc
  .integer({ min: 1, max: 9 })
  .chain((size) =>
    fc.array(fc.array(fc.nat(size - 1), { minLength: 1, maxLength: 3 }), { minLength: size, maxLength: size }),
  );

const waitGraph = (waits: readonly (readonly number[])[]) => ({
  size: waits.length,
  nodes: [...waits.keys()],
  each: (node: number, visit: (target: number) => void) => waits[node].forEach(visit),
});

/** Length of the shortest circle among some nodes, by trying every path; Infinity for none. */
function shortest(waits: readonly (readonly number[])[], left: ReadonlySet<number>): number {
  const from = (start: number, node: number, seen: ReadonlySet<number>): number =>
    Math.min(
      Infinity,
      ...waits[node]
        .filter((target) => left.has(target))
        .map((target) =>
          target === start ? seen.size : seen.has(target) ? Infinity : from(start, target, new Set([...seen, target])),
        ),
    );
  return Math.min(Infinity, ...[...left].map((node) => from(node, node, new Set([node]))));
}

describe('circles of a graph', () => {
  it('are circles without a common node, each the shortest of what the ones before leave, until none is left', () => {
    let severalCircles = 0;
    fc.assert(
      fc.property(graphs, (waits) => {
        const left = new Set(waits.keys());
        const circles = disjointCircles(waitGraph(waits), 20);
        if (circles.length > 1) severalCircles += 1;
        for (const circle of circles) {
          expect(circle.length).toBe(shortest(waits, left));
          for (const [index, node] of circle.entries()) {
            expect(waits[node]).toContain(circle[(index + 1) % circle.length]);
            expect(left.delete(node)).toBe(true);
          }
        }
        expect(shortest(waits, left)).toBe(Infinity);
      }),
      { numRuns: 500 },
    );
    expect(severalCircles).toBeGreaterThan(50);
  });

  it('are no more than asked for', () => {
    const waits = Array.from({ length: 10 }, (_, node) => [node ^ 1]);
    expect(disjointCircles(waitGraph(waits), 20)).toHaveLength(5);
    expect(disjointCircles(waitGraph(waits), 3)).toHaveLength(3);
  });

  it('take looks in proportion to the waits for each circle', () => {
    const pairs = 20_000;
    let looks = 0;
    // Pairs that wait for each other, each with a chain of five that waits for it.
    const waits = Array.from({ length: 7 * pairs }, (_, node) => {
      const place = node % 7;
      return place === 0 ? [node + 1] : place === 1 ? [node - 1] : [node - 1];
    });
    const graph = waitGraph(waits);
    const counted = {
      ...graph,
      each: (node: number, visit: (target: number) => void) => {
        looks += 1;
        graph.each(node, visit);
      },
    };
    expect(disjointCircles(counted, 5)).toHaveLength(5);
    expect(looks).toBeLessThan(7 * waits.length * 5);
  });
});
