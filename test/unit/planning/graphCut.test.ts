import { expect, test } from 'vitest';
import { dagOf } from '../../../engine/planning/cut/dag/graph.ts';
import { graphCut } from '../../../engine/planning/cut/graphCut.ts';
import { directSearches, type Searches } from '../../../engine/basics/searches.ts';
import { analyse } from '../../support/analyse.ts';

const problem = (first: number) => ({
  dag: dagOf(4, (node) => (node < 2 ? [] : [node - 2])),
  times: [Float64Array.of(first, 2, 3, 4)],
  kinds: Int32Array.of(0, 0),
  outputs: Float64Array.of(1, 1, 1, 1),
});

test('a graph that was cut before is not cut again; one with other times is', () => {
  const searches = directSearches();
  const cut = searches.answer(graphCut, problem(1));
  expect(searches.answer(graphCut, structuredClone(problem(1)))).toBe(cut);
  expect(cut?.above).toBe(0);
  const other = searches.answer(graphCut, problem(5));
  expect(other).not.toBe(cut);
  expect(other?.least).toBe(7);
});

test('a small graph is cut on the spot, a large one in a thread', () => {
  const chain = (count: number, stages: number) => ({
    dag: dagOf(count, (node) => (node === 0 ? [] : [node - 1])),
    times: [new Float64Array(count)],
    kinds: new Int32Array(stages),
    outputs: new Float64Array(count),
  });
  expect(graphCut.size(chain(24, 4))).toBeLessThan(500_000);
  expect(graphCut.size(chain(4000, 64))).toBeGreaterThan(2_000_000);
});

const branches = (stages: string) => `model m {
  layer a { forward = 4ms  backward = 8ms }
  layer b { forward = 3ms  backward = 6ms  after = a }
  layer c { forward = 1ms  backward = 2ms  after = a }
  layer d { forward = 2ms  backward = 4ms  after = b, c }
}
device d { memory = 1TiB }
cluster k { gpu[2] = d  link = 100GB/s }
pipeline train { model = m  devices = k  microbatches = 4  stages = ${stages}  schedule = 1f1b }
`;
/** Answers all but cuts of graphs. */
const noCuts: Searches = {
  answer: (search, asked) => (search.name === graphCut.name ? undefined : directSearches().answer(search, asked)),
};
const checked = (stages: string, searches?: Searches) => analyse(branches(stages), { searches });

test('while a graph is being cut, its pipeline is pending and nothing is reported of it', () => {
  const { pending, pipelines, findings } = checked('balance(2)', noCuts);
  expect(pending).toEqual(['train']);
  expect(pipelines).toEqual([]);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(checked('balance(2)').pending).toEqual([]);
});

test('while the best cut is being found, the plan of another is there, and whether it is worse is to come', () => {
  const worse = ({ findings }: ReturnType<typeof analyse>) => findings.some(({ code }) => code === 'stage/imbalance');
  const analysis = checked('split(3, 1)', noCuts);
  expect(analysis.pending).toEqual(['train']);
  expect(analysis.pipelines.map(({ run }) => run === undefined)).toEqual([false]);
  expect(worse(analysis)).toBe(false);
  expect(worse(checked('split(3, 1)'))).toBe(true);
});
