import * as fc from '../../support/property.ts';
import { describe, expect, it, test } from 'vitest';
import { byKernel } from '../../../engine/costs/kernels.ts';
import { kernelTime, shareAt } from '../../../engine/costs/kernelTime.ts';
import { findShape } from '../../../engine/costs/shapes.ts';
import { timeOf } from '../../../engine/costs/time.ts';
import type { Kernel, LayerSetting } from '../../../engine/costs/types.ts';
import { anyShape } from './arbitrary.ts';
import { cost, device, setting } from './settings.ts';

const anySetting: fc.Arbitrary<LayerSetting> = fc
  .record({
    sequence: fc.constantFrom(4, 12, 512),
    microBatch: fc.constantFrom(1, 3),
    precision: fc.constantFrom('bf16', 'fp32', 'fp8'),
    tensor: fc.constantFrom(1, 2, 4, 8),
    sequenceParallel: fc.boolean(),
    context: fc.constantFrom(1, 2, 4),
    expert: fc.constantFrom(1, 2, 8),
    wholeExperts: fc.boolean(),
    recompute: fc.constantFrom('none', 'selective', 'full', 'stage'),
  })
  .map(({ wholeExperts, ...over }) => setting(wholeExperts ? { ...over, expertTensor: 1 } : over));

const sum = (kernels: readonly Kernel[], figure: (kernel: Kernel) => number): number =>
  kernels.reduce((total, kernel) => total + kernel.count * figure(kernel), 0);
const seconds = (kernels: readonly Kernel[], on: Parameters<typeof kernelTime>[1]): number =>
  sum(kernels, (kernel) => kernelTime(kernel, on));
const partOf = (kernels: readonly Kernel[], part: Kernel['part']) => kernels.filter((kernel) => kernel.part === part);

const table = [
  { least: 0, share: 0.1 },
  { least: 1e9, share: 0.6 },
  { least: 16e9, share: 0.9 },
];
const memory = [
  { least: 0, share: 0.3 },
  { least: 1e6, share: 0.6 },
];
const sized = device({ compute: 1e12, bandwidth: 1e12, efficiencyBySize: table, memoryEfficiency: memory });

test('the FLOPs of the kernels of every shape are those of the layer, part by part', () => {
  let passed = 0;
  fc.assert(
    fc.property(anyShape, anySetting, ({ shape, args }, at) => {
      if (findShape(shape)?.check?.(args, at) !== undefined) return;
      passed += 1;
      const made = cost(shape, args, at);
      const kernels = made.kernels();
      for (const { flops, bytes, count } of kernels) {
        for (const figure of [flops, bytes, count]) expect(figure >= 0 && Number.isFinite(figure)).toBe(true);
        expect(Number.isInteger(count) && flops + bytes > 0).toBe(true);
      }
      const flopsOf = (part: Kernel['part']) => sum(partOf(kernels, part), (kernel) => kernel.flops);
      expect(flopsOf('linear') / (made.linearFlops || 1)).toBeCloseTo(made.linearFlops > 0 ? 1 : 0, 9);
      expect(flopsOf('core') / (made.coreFlops || 1)).toBeCloseTo(made.coreFlops > 0 ? 1 : 0, 9);
      expect(flopsOf('elementwise')).toBe(0);
    }),
    { numRuns: 3000 },
  );
  expect(passed).toBeGreaterThan(500);
});

test('times are the sums of the kernels, each at the share of its own size', () => {
  fc.assert(
    fc.property(
      anyShape,
      anySetting,
      fc.constantFrom(0, 1e-5),
      fc.constantFrom(1, 1e-4, 1e6),
      ({ shape, args }, at, launch, speed) => {
        if (findShape(shape)?.check?.(args, at) !== undefined) return;
        const on = { ...sized, launch, compute: speed * 1e12 };
        const made = { ...cost(shape, args, at), collectives: [] };
        const layer = timeOf(made, at, on);
        const all = made.kernels();
        const [linear, core, moving] = (['linear', 'core', 'elementwise'] as const).map((part) =>
          seconds(partOf(all, part), on),
        );
        const close = (found: number, wanted: number) => expect(found).toBeCloseTo(wanted, 9);
        close(layer.forward, linear + core + moving);
        const lookUp = made.linearFlops + made.coreFlops === 0 && made.weightless !== true;
        close(layer.backwardInput, lookUp ? 0 : linear + 2 * (core + moving));
        close(layer.backwardWeight, lookUp ? layer.forward : linear);
        if (at.recompute === 'stage') close(layer.recompute, layer.forward);
        if (at.recompute === 'selective') close(layer.recompute, made.recomputeFlops > 0 ? core : 0);
        if (at.recompute === 'full')
          close(
            layer.recompute,
            made.recomputeFlops > 0
              ? seconds(
                  all.filter((kernel) => kernel.kept !== true),
                  on,
                )
              : 0,
          );
      },
    ),
    { numRuns: 1000 },
  );
});

describe('one product', () => {
  // 1024 × 1024 weights: 2 · tokens · 2^20 FLOPs, 2 · (2 · 1024 · tokens + 2^20) bytes.
  const times = (tokens: number, on = sized) => {
    const layer = timeOf(cost('linear', { inputs: 1024, outputs: 1024, bias: false, tokens }), setting(), on);
    return [layer.forward, layer.backwardInput, layer.backwardWeight];
  };
  it('takes the share of the greatest size that it reaches', () => {
    const flops = (tokens: number) => 2 * tokens * 2 ** 20;
    for (const [tokens, share] of [
      [476, 0.1],
      [477, 0.6],
      [7629, 0.6],
      [7630, 0.9],
    ] as const) {
      const each = flops(tokens) / (1e12 * share);
      expect(times(tokens)).toEqual([each, each, each]);
    }
    expect(flops(476) < 1e9 && flops(477) > 1e9 && flops(7629) < 16e9 && flops(7630) > 16e9).toBe(true);
  });
  it('is never faster than its bytes at their share', () => {
    const bytes = 2 * (2 * 1024 * 8 + 2 ** 20);
    expect(times(8, { ...sized, compute: 1e18 })[0]).toBe(bytes / (1e12 * 0.6));
    expect(times(8, { ...sized, compute: 1e18, memoryEfficiency: [] })[0]).toBe(bytes / 1e12);
  });
  it('waits for its launch', () => expect(times(477, { ...sized, launch: 1 })[2]).toBeCloseTo(1 + times(477)[2], 12));
});

test('shares hold from their size on', () => {
  expect([0, 999e6, 1e9, 16e9, 1e30].map((size) => shareAt(table, size))).toEqual([0.1, 0.1, 0.6, 0.9, 0.9]);
  expect(shareAt([], 5)).toBe(1);
  expect(
    [{}, { memoryEfficiency: [memory[0]] }, { memoryEfficiency: memory }, { efficiencyBySize: table }].map((one) =>
      byKernel(device(one)),
    ),
  ).toEqual([false, false, true, true]);
});

describe('a transformer layer', () => {
  const [s, b, h, a, t] = [128, 2, 64, 8, 2];
  const gpt = { hidden: h, heads: a, causal: false };
  const at = { sequence: s, microBatch: b, tensor: t };
  const figures = (args: Parameters<typeof cost>[1], over: Partial<LayerSetting> = {}) =>
    cost('transformer', args, { ...at, ...over })
      .kernels()
      .map(({ part, flops, bytes, count }) => [part, count, flops, bytes]);

  it('of GPT on two tensor ranks', () => {
    const n = s * b;
    const scores = (a * s * s * b) / t;
    const local = (n * h) / t;
    expect(figures(gpt)).toEqual([
      ['elementwise', 1, 0, 4 * n * h],
      ['linear', 1, (6 * n * h * h) / t, 2 * (n * h + (3 * h * h) / t + 3 * local)],
      ['core', 1, (2 * s * n * h) / t, 2 * (2 * local + scores)],
      ['core', 1, 0, 4 * scores],
      ['core', 1, 0, 5 * scores],
      ['core', 1, (2 * s * n * h) / t, 2 * (2 * local + scores)],
      ['linear', 1, (2 * n * h * h) / t, 2 * (local + (h * h) / t + n * h)],
      ['elementwise', 1, 0, 7 * n * h],
      ['elementwise', 1, 0, 4 * n * h],
      ['linear', 1, (8 * n * h * h) / t, 2 * (n * h + (4 * h * h) / t + 4 * local)],
      ['elementwise', 1, 0, 2 * 2 * 4 * local],
      ['linear', 1, (8 * n * h * h) / t, 2 * (4 * local + (4 * h * h) / t + n * h)],
      ['elementwise', 1, 0, 7 * n * h],
    ]);
  });

  it('with sequence parallelism: norms, dropout and residuals on a part of the tokens, products on all', () => {
    const moving = (over: object) =>
      figures({ ...gpt, flash: true }, over).map(([part, , flops, bytes]) => [part, flops, bytes]);
    const [plain, split] = [moving({}), moving({ sequenceParallel: true })];
    for (const [index, [part, flops, bytes]] of plain.entries()) {
      // Behind the norm, products and activation (index 7 of 9) are the same.
      const whole = part !== 'elementwise' || index === 7;
      expect(split[index]).toEqual([part, flops, Number(bytes) / (whole ? 1 : t)]);
    }
    expect(plain).toHaveLength(10);
  });

  it('FlashAttention is one kernel, context ranks make one of each block of keys', () => {
    const local = (s * b * h) / t;
    const core = (over: object) => figures({ ...gpt, flash: true }, over).filter(([part]) => part === 'core');
    const sums = (4 * s * b * a) / t;
    expect(core({})).toEqual([['core', 1, 4 * s * local, 8 * local + sums]]);
    expect(core({ context: 4 })).toEqual([['core', 4, (4 * s * local) / 16, (8 * local + sums) / 4]]);
    const eager = figures(gpt, { context: 4 }).filter(([part]) => part === 'core');
    expect(eager.map(([, count]) => count)).toEqual([4, 4, 4, 4]);
    // Each rank has a quarter of the queries, and meets all keys in four blocks.
    expect(eager[1][3]).toBe((4 * a * s * s * b) / t / 16);
  });

  it('experts: two products for each expert of the rank, with its share of the copied tokens', () => {
    const [n, E, k, f, e] = [s * b, 16, 4, 32, 4];
    const args = { ...gpt, gated: true, flash: true, experts: E, experts_per_token: k, expert_ffn: f };
    const found = figures({ ...args, bias: false }, { tensor: 1, expert: e }).slice(5);
    const each = (n * k) / (E / e);
    expect(found.map(([part, count, flops]) => [part, count, flops])).toEqual([
      ['elementwise', 1, 0],
      ['linear', 1, 2 * n * h * E],
      ['elementwise', 1, 0],
      ['elementwise', 1, 0],
      ['linear', E / e, 4 * each * h * f],
      ['elementwise', 1, 0],
      ['linear', E / e, 2 * each * f * h],
      ['elementwise', 1, 0],
      ['elementwise', 1, 0],
    ]);
    // Gate and up of all copies are read, their product is written.
    expect(found[5][3]).toBe(2 * 3 * n * k * f);
    const shared = { ...args, bias: false, shared_experts: 2 };
    expect(figures(shared, { tensor: 1, expert: e })).toHaveLength(found.length + 5 + 4);
    // With biases, the bias of each copy is written. It is read with the copy, and their sum is written. The sums are joined again.
    const biased = figures(args, { tensor: 1, expert: e }).slice(5);
    expect(biased).toHaveLength(found.length + 3);
    expect(biased.slice(7, 10).map(([, , , bytes]) => bytes)).toEqual([1, 3, 2].map((each) => each * 2 * n * k * h));
  });

  it('a rank never does more than its share faster where larger products do better', () => {
    const on = { ...sized, compute: 1e14 };
    for (const hidden of [64, 512, 4096]) {
      const time = (tensor: number) => {
        const over = { tensor, sequence: 2048 };
        const made = { ...cost('transformer', { hidden, heads: 16, flash: true }, over), collectives: [] };
        return timeOf(made, setting(over), on).forward;
      };
      for (const tensor of [2, 4, 8]) expect(tensor * time(tensor)).toBeGreaterThanOrEqual(time(1));
    }
  });
});

describe('a device without sizes', () => {
  const on = device({ compute: 1e12, efficiency: 0.5, bandwidth: 1e9 });
  const gpt = cost('transformer', { hidden: 512, heads: 8 });
  const head = cost('lm_head', { vocab: 1000, hidden: 64 });
  it.each([
    ['compute-bound', gpt],
    ['memory-bound', head],
  ])('costs a layer as one roofline; memory efficiency slows its memory: %s', (_name, made) => {
    const flops = made.linearFlops + made.coreFlops;
    // Scores are written, and read again.
    const bytes = made.traffic + (made.scores ?? 0);
    const of = (share: number) => timeOf(made, setting(), { ...on, memoryEfficiency: [{ least: 0, share }] }).forward;
    for (const share of [1, 0.5, 0.01])
      expect(of(share)).toBeCloseTo(Math.max(flops / 5e11, bytes / (1e9 * share)), 12);
    expect(of(1)).toBe(timeOf(made, setting(), on).forward);
  });

  it('adds the launches of the kernels', () => {
    const kernels = sum(gpt.kernels(), () => 1);
    const linear = sum(partOf(gpt.kernels(), 'linear'), () => 1);
    // Two norms, four products, four kernels of the core, two residuals, an activation.
    expect([kernels, linear]).toEqual([13, 4]);
    const [without, launched] = [on, { ...on, launch: 1 }].map((deviceSpeed) => timeOf(gpt, setting(), deviceSpeed));
    expect(launched.forward - without.forward).toBeCloseTo(13, 9);
    expect(launched.backwardInput - without.backwardInput).toBeCloseTo(4 + 2 * 9, 9);
    expect(launched.backwardWeight - without.backwardWeight).toBeCloseTo(4, 9);
    for (const [recompute, more] of [
      ['none', 0],
      ['selective', 4],
      ['full', 13],
      ['stage', 13],
    ] as const) {
      const made = cost('transformer', { hidden: 512, heads: 8 }, { recompute });
      const [one, two] = [on, { ...on, launch: 1 }].map((each) => timeOf(made, setting({ recompute }), each).recompute);
      expect(two - one).toBeCloseTo(more, 9);
    }
  });
});
