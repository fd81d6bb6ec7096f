/** TicTac's orders of pulls on the graph of a file, whose layers need not be a chain. */
import { describe, expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';

/** Pulls of 2, 1 and 1 ms for a (1 ms), b (3 ms) and c (2 ms, after both); pushes take 4 ms. */
const file = (order: string, layers: string) => `model three {
  layer input { forward = 0ms  backward = 0ms }
  ${layers}
}
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline train {
  model = three  devices = pair  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 2
  sync = tictac(${order})  collective = ps(servers = 2)
}
`;
const a = 'layer a { forward = 1ms  backward = 0ms  weights = 20MB  after = input }';
const b = 'layer b { forward = 3ms  backward = 0ms  weights = 10MB  after = input }';
const c = 'layer c { forward = 2ms  backward = 0ms  weights = 10MB  after = a, b }';

function ran(order: string, layers: readonly string[]) {
  const { pipelines, findings } = analyse(file(order, layers.join('\n  ')));
  const [{ plan, run }] = pipelines;
  if (run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return { lane: plan.exchange?.lanes[0], iteration: run.report.iteration };
}

describe('two branches that join', () => {
  test('the lane knows which layer needs which, and which tensor belongs to each', () => {
    const { lane } = ran('tao', [a, b, c]);
    expect(lane?.graphs).toHaveLength(1);
    const [graph] = lane?.graphs ?? [];
    expect(graph.needs).toEqual([[], [0], [0], [1, 2]]);
    expect(graph.shares.map((share) => share * 6)).toEqual([0, 1, 3, 2]);
    expect(graph.tensors.map((tensors) => tensors.map((tensor) => lane?.tensors[tensor].layer))).toEqual([
      [],
      ['a'],
      ['b'],
      ['c'],
    ]);
  });
  test.each([
    ['tao', 4 + 7],
    ['tio', 4 + 8],
  ])('%s: an iteration of %d ms', (order, milliseconds) => {
    expect(ran(order, [a, b, c]).iteration * 1e3).toBeCloseTo(milliseconds, 9);
  });
  test.each([
    ['tao', 4 + 7],
    ['tio', 4 + 8],
  ])('%s: the same if the file lists a layer before those that it needs', (order, milliseconds) => {
    const { lane, iteration } = ran(order, [c, a, b, 'layer end { forward = 0ms  backward = 0ms  after = c }']);
    expect(lane?.graphs?.[0].needs.every((needs, layer) => needs.every((other) => other < layer))).toBe(true);
    expect(iteration * 1e3).toBeCloseTo(milliseconds, 9);
  });
});

test('a chain has no graph', () => {
  const chain = [a, b.replace('input', 'a'), c.replace('a, b', 'b')];
  expect(ran('tao', chain).lane?.graphs).toBeUndefined();
});
