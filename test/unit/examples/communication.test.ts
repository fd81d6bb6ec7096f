/** Figures of the examples of communication, from closed forms: pages in docs/communication. */
import { describe, expect, test } from 'vitest';
import {
  timingAware,
  timingIndependent,
  type PullGraph,
  runAsReady,
} from '../../../engine/simulate/exchange/tictac.ts';
import { efficiencyOf } from '../../support/tictac.ts';
import { analyseExample } from '../../support/analyse.ts';

const found = (example: string, pipeline: string) => {
  const evaluation = analyseExample(`systems/${example}.pipe`).pipelines.find(({ plan }) => plan.name === pipeline);
  if (evaluation?.run === undefined) throw new Error(`${example}.pipe has no pipeline ${pipeline} that runs`);
  return { plan: evaluation.plan, run: evaluation.run };
};
const seconds = (example: string, pipeline: string): number => found(example, pipeline).run.report.iteration;
/** Calls of a lane in an iteration. */
const callsOf = (example: string, pipeline: string): number => {
  const sent = found(example, pipeline).run.timeline.exchange?.lanes[0].sent;
  return sent === undefined ? NaN : sent.count.subarray(0, sent.length).reduce((sum, count) => sum + count, 0);
};

test('P3 takes the bound, and the pull of one slice of 50,000 parameters', () => {
  for (const [pipeline, size, bandwidth] of [
    ['by_hand', 2, 10e9],
    ['resnet_p3', 4, 0.5e9],
    ['vgg_p3', 4, 1.875e9],
  ] as const) {
    const { run } = found('p3', pipeline);
    expect(run.report.iteration - (run.timeline.exchange?.bound ?? NaN)).toBeCloseTo((50_000 * size) / bandwidth, 9);
  }
  expect(seconds('p3', 'resnet_layers') / seconds('p3', 'resnet_p3')).toBeCloseTo(1.31, 2);
  expect(seconds('p3', 'vgg_layers') / seconds('p3', 'vgg_p3')).toBeCloseTo(1.94, 2);
});

test('ByteScheduler: 107 % over layer by layer, 194 % over all at the end, and nothing to gain at 100 Gb/s', () => {
  const best = seconds('bytescheduler', 'vgg_best');
  expect(seconds('bytescheduler', 'vgg_layers') / best).toBeCloseTo(2.07, 2);
  expect(seconds('bytescheduler', 'vgg_end') / best).toBeCloseTo(2.94, 2);
  const fast = seconds('bytescheduler', 'vgg_fast_layers');
  expect(seconds('bytescheduler', 'vgg_fast_pieces')).toBeCloseTo(fast, 12);
  expect(seconds('bytescheduler', 'vgg_fast_end') / fast).toBeCloseTo(1.53, 2);
  // Tensors in pieces of 4 MB: whole ones, and a rest.
  const tensors = found('bytescheduler', 'ring_pieces').plan.exchange?.lanes[0].tensors ?? [];
  expect(callsOf('bytescheduler', 'ring_pieces')).toBe(
    tensors.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 4e6), 0),
  );
});

describe('a lane that is never idle takes the first ready time, a latency for each call, and all bytes', () => {
  const { run } = found('ddp_horovod', 'layers');
  const first = run.timeline.exchange?.lanes[0].buckets.ready[0] ?? NaN;
  const bytes = 102_228_128;
  test.each([
    ['layers', 107],
    ['ddp', 5],
    ['best_buckets', 3],
  ])('%s: %d calls', (pipeline, calls) => {
    expect(callsOf('ddp_horovod', pipeline)).toBe(calls);
    const all = found('ddp_horovod', pipeline).plan.exchange?.lanes[0].tensors.reduce(
      (sum, tensor) => sum + tensor.bytes,
      0,
    );
    expect(all).toBe(bytes);
    expect(seconds('ddp_horovod', pipeline)).toBeCloseTo(first + calls * 14 * 20e-6 + (1.75 * bytes) / 1.25e9, 12);
  });
});

test('Poseidon: fc6 goes as factors of 13,074,432 numbers', () => {
  const [lane] = found('poseidon', 'hybrid').plan.exchange?.lanes ?? [];
  const tensor = lane.tensors.find(({ layer }) => layer === 'fc6');
  const [workers, images] = [8, 32];
  const factors = 2 * images * (workers - 1) * (25088 + 4096);
  expect(factors).toBe(13_074_432);
  expect(factors).toBeLessThan((2 * 25088 * 4096 * (2 * workers - 2)) / workers);
  expect(tensor === undefined ? '' : lane.calls[tensor.call].name).not.toBe(lane.calls[lane.tensors[0].call].name);
});

const S = 100e6;
test.each<[string, string, number]>([
  ['byteps', 'all_reduce', (14 * S) / 80e9],
  ['byteps', 'four_more', (S * 2 * 8 * 7) / (10e9 * (64 + 32 - 8))],
  ['byteps', 'eight_more', S / 10e9],
  ['blueconnect', 'ring', 62 * 20e-6 + ((62 / 32) * S) / 1.25e9],
  ['blueconnect', 'levels', 14 * 5e-6 + (1.75 * S) / 100e9 + 6 * 20e-6 + (1.5 * (S / 8)) / 1.25e9],
  ['plink', 'ring', 14 * 20e-6 + (1.75 * S) / 1e9],
  ['plink', 'grouped', 6 * 5e-6 + (1.5 * S) / 100e9 + 2 * 20e-6 + S / 4 / 1e9],
  ['trees', 'slow_ring', (1.75 * S) / 1e9],
  ['trees', 'slow_trees', S / 1e9],
  ['trees', 'triangle_trees', S / 10.5e9],
])('%s, %s: the closed form', (example, pipeline, expected) => {
  expect(seconds(example, pipeline)).toBeCloseTo(expected, 12);
});

test('trees of a DGX-1 carry 480/7 GB/s', () => {
  const fixed = seconds('trees', 'dgx_trees') - S / (480e9 / 7);
  // Latencies up and down a tree: whole hops.
  expect(fixed / 6.8e-6).toBeCloseTo(Math.round(fixed / 6.8e-6), 6);
});

describe('TicTac on ResNet-50', () => {
  const { plan, run } = found('tictac', 'resnet_tao');
  const [lane] = plan.exchange?.lanes ?? [];
  const [layers] = lane.graphs ?? [];
  const forward = run.timeline.timing.duration[0];
  const graph: PullGraph = {
    compute: Float64Array.from(layers.shares, (share) => share * forward),
    pull: Float64Array.from(layers.tensors, (tensors) =>
      tensors.reduce((sum, tensor) => sum + lane.tensors[tensor].bytes / 1.25e9, 0),
    ),
    needs: layers.needs,
  };
  const makespan = (order: readonly number[]): number => {
    const arrival = new Float64Array(graph.pull.length);
    let now = 0;
    for (const pull of order) if (graph.pull[pull] > 0) arrival[pull] = now += graph.pull[pull];
    return Math.max(...runAsReady(graph, arrival));
  };
  const byPlace = (places: Int32Array) => Array.from(places.keys()).sort((a, b) => places[a] - places[b]);

  test('both orders are at most 0.4 % above the lower bound; random ones take 45 % more on average, and the worst all of U', () => {
    const { lower } = efficiencyOf(graph, 0);
    const [tao, tio] = [timingAware(graph), timingIndependent(graph)].map((places) => makespan(byPlace(places)));
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const orders = Array.from({ length: 200 }, () => {
      const order = Array.from(graph.pull.keys(), (pull) => ({ pull, by: random() })).sort((a, b) => a.by - b.by);
      return makespan(order.map(({ pull }) => pull));
    });
    const mean = orders.reduce((sum, order) => sum + order, 0) / orders.length;
    expect(tao / lower).toBeLessThan(1.004);
    expect(tio).toBeCloseTo(tao, 12);
    expect(efficiencyOf(graph, tao).efficiency).toBeCloseTo(0.998, 3);
    expect(efficiencyOf(graph, tao).speedup).toBeCloseTo(0.558, 3);
    expect(mean / tao).toBeCloseTo(1.45, 2);
    expect(Math.max(...orders)).toBeCloseTo(efficiencyOf(graph, tao).upper, 9);
  });
});
