import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { dimensions, layer, near, ranks, run } from './run.ts';

type Mode = 'none' | 'selective' | 'full' | 'stage';
const modes = fc.constantFrom<Mode>('none', 'selective', 'full', 'stage');

/** One stage of one layer on a device of one FLOP a second that moves bytes at once: its times are FLOPs. */
function stageOf(
  one: string,
  {
    s = 64,
    b = 1,
    t = 1,
    sp = false,
    c = 1,
  }: Partial<Readonly<{ s: number; b: number; t: number; sp: boolean; c: number }>>,
  recompute: Mode = 'none',
) {
  const { plan, report } = run({
    model: { sequence: s, micro_batch: b },
    layers: [one],
    devices: t * c,
    pipeline: {
      ...{ microbatches: 1, stages: 'balance(1)', schedule: '1f1b', tensor: t, context: c, recompute },
      ...(sp ? { sequence_parallel: true } : {}),
    },
  });
  return { plan: plan.stages[0], report: report.stages[0] };
}

describe('times of a stage: F, input gradient, weight gradient', () => {
  test('of a layer: linear + core, linear + 2·core, linear; recomputation stands before the input gradient alone', () => {
    fc.assert(
      fc.property(dimensions, ranks, fc.boolean(), modes, ({ h, a, kv, hd, f }, at, flash, recompute) => {
        const args = { hidden: h, heads: a, kv_heads: kv, ffn: f, flash };
        const tokens = (at.s * at.b) / at.c / at.t;
        const linear = tokens * 2 * (h * (2 * a + 2 * kv) * hd + 2 * h * f);
        const core = tokens * 2 * at.s * a * hd;
        const again = { none: 0, selective: flash ? 0 : core, full: linear + core, stage: linear + core }[recompute];
        const { report } = stageOf(layer('block', 'transformer', args), at, recompute);
        expect(report.forward).toSatisfy((value: number) => near(value, linear + core));
        expect(report.backward_input).toSatisfy((value: number) => near(value, linear + 2 * core + again));
        expect(report.backward_weight).toSatisfy((value: number) => near(value, linear));
        expect(report.backward_weight).toBeLessThan(report.forward);
      }),
      { numRuns: 30 },
    );
  });

  test('full recomputation adds a third of the FLOPs of F and B', () => {
    fc.assert(
      fc.property(dimensions, ({ h, a }) => {
        const block = layer('block', 'transformer', { hidden: h, heads: a });
        const [none, full] = (['none', 'full'] as const).map((mode) => {
          const { report } = stageOf(block, {}, mode);
          return report.forward + report.backward_input + report.backward_weight;
        });
        expect(full / none).toBeCloseTo(4 / 3, 12);
      }),
      { numRuns: 20 },
    );
  });

  test('head: B = W = 2hV each; full recomputation leaves it alone', () => {
    fc.assert(
      fc.property(dimensions, ranks, fc.integer({ min: 1, max: 999 }), modes, ({ h }, at, rows, recompute) => {
        const V = 4 * rows;
        const closed = ((at.s * at.b) / at.c) * 2 * h * (V / at.t);
        const { report } = stageOf(layer('head', 'lm_head', { vocab: V, hidden: h }), at, recompute);
        expect(report.forward).toBe(closed);
        expect(report.backward_input).toBe(recompute === 'stage' ? 2 * closed : closed);
        expect(report.backward_weight).toBe(closed);
      }),
      { numRuns: 20 },
    );
  });

  test('embedding: no input gradient; F and W move s·b·h elements in and out', () => {
    fc.assert(
      fc.property(dimensions, fc.constantFrom('bf16', 'fp32'), ({ h }, precision) => {
        const { report } = run({
          model: { sequence: 64, micro_batch: 2, precision },
          layers: [layer('embed', 'embedding', { vocab: 1000, hidden: h })],
          device: 'memory = 1TiB  compute = 1FLOPS  bandwidth = 1B/s',
          pipeline: { microbatches: 1, stages: 'balance(1)', schedule: '1f1b' },
        });
        const moved = 2 * 64 * 2 * h * (precision === 'bf16' ? 2 : 4);
        expect(report.stages[0]).toMatchObject({ forward: moved, backward_input: 0, backward_weight: moved });
      }),
      { numRuns: 20 },
    );
  });
});

describe('what a split backward keeps (arXiv:2401.10241, table 1)', () => {
  test('M_B = sbh(34 + 5as/h) from F to I, M_W = 32sbh from I to W', () => {
    fc.assert(
      fc.property(dimensions, ranks, ({ h, a }, { s, b }) => {
        const { plan } = stageOf(layer('block[3]', 'transformer', { hidden: h, heads: a }), { s, b });
        expect(plan.activation).toSatisfy((value: number) => near(value, 3 * s * b * h * (34 + (5 * a * s) / h)));
        expect(plan.activationForWeight).toBe(3 * 32 * s * b * h);
      }),
      { numRuns: 20 },
    );
  });

  test('linear layers keep their inputs and the gradients of their outputs: qkv h + 3h, proj h + h, fc1 h + 4h, fc2 4h + h', () => {
    fc.assert(
      fc.property(dimensions, ranks, ({ h, a, kv, hd, f }, at) => {
        const args = { hidden: h, heads: a, kv_heads: kv, ffn: f };
        const { plan } = stageOf(layer('block', 'transformer', args), at);
        const tokens = (at.s * at.b) / at.c;
        // What is as wide as h is split by sequence parallelism only: inputs of qkv and fc1, gradients of proj's and fc2's outputs.
        const wide = (2 * 4 * h) / (at.sp ? at.t : 1);
        const split = (2 * (a * hd + (a + 2 * kv) * hd + 2 * f)) / at.t;
        expect(plan.activationForWeight).toSatisfy((value: number) => near(value, tokens * (wide + split)));
      }),
      { numRuns: 20 },
    );
  });

  test.each([1, 2, 5])('%i microbatches whose W all wait hold M_W each: the peak of rows F I … W', (m) => {
    const [h, a, s] = [64, 4, 16];
    const { report } = run({
      imports: `schedule late { row(0) = ${Array.from({ length: m }, (_, j) => `F[${j}], I[${j}]`).join(', ')}, ${Array.from({ length: m }, (_, j) => `W[${j}]`).join(', ')} }`,
      model: { sequence: s },
      layers: [layer('block', 'transformer', { hidden: h, heads: a })],
      pipeline: { microbatches: m, stages: 'balance(1)', schedule: 'late' },
    });
    const [sbh, parameters] = [s * h, 12 * h ** 2 + 13 * h];
    const kept = sbh * (34 + (5 * a * s) / h) + (m - 1) * 32 * sbh;
    const scores = 2 * a * s ** 2;
    expect(report.devices[0].peak).toBe(2 * 2 * parameters + kept + scores);
  });
});
