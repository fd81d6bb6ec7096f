import { describe, expect, it, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';
import { textOf } from '../../docs/pages.ts';
import { systemReport } from './system.ts';

const n = 2048;
const bandwidth = 2039e9;
const share = (gflop: number) => (gflop >= 128 ? 0.95 : gflop >= 16 ? 0.9 : gflop >= 1 ? 0.6 : 0.1);
const memoryShare = (mb: number) => (mb >= 100 ? 0.9 : mb >= 10 ? 0.75 : mb >= 1 ? 0.6 : 0.3);
const time = (flops: number, bytes: number) =>
  Math.max(flops / (312e12 * share(flops / 1e9)), bytes / (bandwidth * memoryShare(bytes / 1e6))) + 4e-6;

/** A GPT layer of width h with FlashAttention, one sample of 2048 tokens, 16 bits: seconds of F, I and W, kernel by kernel. */
function layer(h: number, heads: number): readonly [number, number, number] {
  const product = (inner: number, columns: number) =>
    time(2 * n * inner * columns, 2 * (n * inner + inner * columns + n * columns));
  const linear = product(h, 3 * h) + product(h, h) + product(h, 4 * h) + product(4 * h, h);
  // Queries, keys, values and what they give, and a log-sum-exp; half of 4 · n · h FLOPs a token.
  const core = time(2 * n * n * h, 8 * n * h + 4 * n * heads);
  // Two norms; two times bias, dropout and residual with a mask of bytes; GELU of 4h.
  const others = 2 * time(0, 4 * n * h) + 2 * time(0, 7 * n * h) + time(0, 16 * n * h);
  return [linear + core + others, linear + 2 * (core + others), linear];
}

const stageOf = (pipeline: string) => {
  const plan = analyseExample('systems/efficiency_by_size.pipe').pipelines.find(
    (evaluation) => evaluation.plan.name === pipeline,
  )?.plan;
  if (plan === undefined) throw new Error(pipeline);
  const [{ forward, backwardInput, backwardWeight }] = plan.stages;
  return [forward, backwardInput, backwardWeight] as const;
};

describe.each([
  ['wide_sized', 4096, 32, 1],
  ['narrow_sized', 1024, 8, 16],
] as const)('%s', (pipeline, hidden, heads, layers) => {
  const wanted = layer(hidden, heads).map((value) => layers * value);
  const [forward, input, weight] = stageOf(pipeline);
  it('has the stages of the hand computation', () => {
    for (const [index, found] of [forward, input, weight].entries()) expect(found).toBeCloseTo(wanted[index], 9);
  });

  it.each([4, 8, 16])('%i microbatches end when 1F1B with transfers of c does, p = 4', (m) => {
    const c = (2 * n * hidden) / 235e9;
    const iteration = (m + 3) * (wanted[0] + wanted[1] + wanted[2]) + ((2 * 3 * m) / 4 + 2 * 2) * c;
    expect(systemReport('efficiency_by_size', pipeline, { microbatches: m }).iteration).toBeCloseTo(iteration, 9);
  });
});

test('one share of the peak sees FLOPs only', () => {
  for (const [pipeline, hidden, layers] of [
    ['wide_flat', 4096, 1],
    ['narrow_flat', 1024, 16],
  ] as const) {
    const [linear, core] = [24 * n * hidden ** 2, 2 * n * n * hidden];
    const [forward, input, weight] = stageOf(pipeline);
    const run = (flops: number) => (layers * flops) / (312e12 * 0.55);
    expect(forward).toBeCloseTo(run(linear + core), 9);
    expect(input).toBeCloseTo(run(linear + 2 * core), 9);
    expect(weight).toBeCloseTo(run(linear), 9);
  }
});

test('the narrow model loses by its small products and its element-wise work', () => {
  const slower = (kind: string) => stageOf(`narrow_${kind}`)[0] / stageOf(`wide_${kind}`)[0];
  // Its attention core alone: (24h² + 2sh) for each layer, 16 layers of 1024 for one of 4096.
  expect(slower('flat')).toBeCloseTo((16 * (24 * 1024 + 2 * n)) / (4 * (24 * 4096 + 2 * n)), 9);
  expect(slower('sized')).toBeGreaterThan(1.5 * slower('flat'));
});

test('the page has these figures', () => {
  const rows = textOf('docs/schedules/efficiency_by_size.md').matchAll(
    /^\| (\d+) layers, hidden (\d+) \| (\d+) to (\d+) GFLOP \| (.+); (\d+) ms \| (.+); (\d+) ms \|$/gm,
  );
  let found = 0;
  for (const [, layers, hidden, least, most, bySize, sizedTime, byOne, flatTime] of rows) {
    found += 1;
    const h = Number(hidden);
    const stage = layer(h, h / 128).map((value) => ((Number(layers) / 4) * value * 1e3).toFixed(2));
    expect(bySize).toBe(stage.join(', '));
    expect([least, most]).toEqual([2, 8].map((width) => ((width * n * h ** 2) / 1e9).toFixed(0)));
    const name = h === 4096 ? 'wide' : 'narrow';
    expect(byOne).toBe(
      stageOf(`${name}_flat`)
        .map((value) => (value * 1e3).toFixed(2))
        .join(', '),
    );
    for (const [kind, time] of [
      ['sized', sizedTime],
      ['flat', flatTime],
    ] as const)
      expect((systemReport('efficiency_by_size', `${name}_${kind}`).iteration * 1e3).toFixed(0)).toBe(time);
  }
  expect(found).toBe(2);
});
