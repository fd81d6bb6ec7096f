import { expect, test } from 'vitest';
import { dagOf } from '../../../engine/planning/cut/dag/graph.ts';
import { graphCut } from '../../../engine/planning/cut/graphCut.ts';

const problem = (first: number) => ({
  dag: dagOf(4, (node) => (node < 2 ? [] : [node - 2])),
  times: [Float64Array.of(first, 2, 3, 4)],
  kinds: Int32Array.of(0, 0),
  outputs: Float64Array.of(1, 1, 1, 1),
});

test('a graph that was cut before is not cut again; one with other times is', () => {
  const cut = graphCut(problem(1));
  expect(graphCut(structuredClone(problem(1)))).toBe(cut);
  expect(cut.above).toBe(0);
  const other = graphCut(problem(5));
  expect(other).not.toBe(cut);
  expect(other.least).toBe(7);
});
