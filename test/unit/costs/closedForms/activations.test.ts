import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { type Arguments, type Case, cases, layer, near, run } from './run.ts';

/** Of one layer that is a stage by itself: bytes of a microbatch on one rank. */
function stageOf(one: Case, [shape, args]: readonly [string, Arguments], more: Arguments = {}) {
  const { precision = 'bf16', ...pipeline } = more;
  return run({
    model: { sequence: one.s, micro_batch: one.b, precision },
    layers: [layer('one', shape, args)],
    devices: one.t * one.c,
    pipeline: {
      ...{ microbatches: 1, stages: 'balance(1)', schedule: '1f1b', tensor: one.t, context: one.c },
      ...(one.sp ? { sequence_parallel: true } : {}),
      ...pipeline,
    },
  }).plan.stages[0];
}
const tokensOf = ({ s, b, c }: Case): number => (s * b) / c;
const wholeOf = ({ t, sp }: Case): number => (sp ? t : 1);

describe('GPT layers of 4h: coefficients of sbh (arXiv:2205.05198, table 2)', () => {
  const rows: readonly (readonly [string, (one: Case) => boolean, Arguments, (one: Case) => number])[] = [
    ['no parallelism: 34 + 5as/h', ({ t }) => t === 1, {}, ({ a, s, h }) => 34 + (5 * a * s) / h],
    ['TP: 10 + 24/t + 5as/(ht)', ({ sp }) => !sp, {}, ({ a, s, h, t }) => 10 + 24 / t + (5 * a * s) / (h * t)],
    ['TP + SP: 34/t + 5as/(ht)', ({ sp }) => sp, {}, ({ a, s, h, t }) => 34 / t + (5 * a * s) / (h * t)],
    ['TP + selective: 10 + 24/t', ({ sp }) => !sp, { recompute: 'selective' }, ({ t }) => 10 + 24 / t],
    ['TP + SP + selective: 34/t', ({ sp }) => sp, { recompute: 'selective' }, ({ t }) => 34 / t],
    ['full: 2, whole', ({ sp }) => !sp, { recompute: 'full' }, () => 2],
    ['full with SP: 2/t', ({ sp }) => sp, { recompute: 'full' }, ({ t }) => 2 / t],
  ];
  test.each(rows)('%s', (_name, holds, keys, closed) => {
    fc.assert(
      fc.property(cases.filter(holds), (one) => {
        const { h, a } = one;
        const { activation } = stageOf(one, ['transformer', { hidden: h, heads: a }], keys);
        expect(activation).toSatisfy((found: number) => near(found, tokensOf(one) * h * closed(one)));
      }),
      { numRuns: 20 },
    );
  });

  test('what recomputation does not keep it makes again, one layer at a time', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom('selective', 'full'), fc.integer({ min: 1, max: 4 }), (one, recompute, n) => {
        const { h, a, s, t } = one;
        const { activation, recomputed } = run({
          model: { sequence: s, micro_batch: one.b },
          layers: [layer(`block[${n}]`, 'transformer', { hidden: h, heads: a })],
          devices: t * one.c,
          pipeline: {
            ...{ microbatches: 1, stages: 'balance(1)', schedule: '1f1b', tensor: t, context: one.c, recompute },
            ...(one.sp ? { sequence_parallel: true } : {}),
          },
        }).plan.stages[0];
        const scores = (5 * a * s) / (h * t);
        const all = (one.sp ? 34 / t : 10 + 24 / t) + scores;
        const again = recompute === 'full' ? all - 2 / wholeOf(one) : scores;
        expect(recomputed).toSatisfy((found: number) => near(found, tokensOf(one) * h * again));
        expect(activation).toSatisfy((found: number) => near(found, n * tokensOf(one) * h * (all - again)));
      }),
      { numRuns: 20 },
    );
  });
});

describe('any layer, part by part, bytes of a token', () => {
  /** Element bytes, then what each part is for one token; `*` of the table is `/ t`, the rest splits under sequence parallelism. */
  const closed = (one: Case, args: Arguments, e: number): Readonly<Record<string, number>> => {
    const { h, a, kv, hd, f, s, t } = one;
    const dropout = args['dropout'] !== false;
    const ofMlp = args['gated'] === true ? { recompute: 2, fused: 3, eager: 4 }[String(args['swiglu'] ?? 'fused')] : 2;
    const parts = {
      'norm inputs': (2 * e * h) / wholeOf(one),
      'linear inputs': (2 * e * h) / wholeOf(one),
      'queries, keys, values': (e * (a + 2 * kv) * hd) / t,
      // Probabilities, a mask of bytes, and what dropout leaves of them: 5 in 16 bits.
      scores: args['flash'] === true ? 0 : ((dropout ? 2 * e + 1 : e) * a * s) / t,
      'log-sum-exp': args['flash'] === true ? (4 * a) / t : 0,
      'attention output': (e * a * hd) / t,
      'dropout masks': dropout ? (2 * h) / wholeOf(one) : 0,
      MLP: (e * (ofMlp ?? 0) * f) / t,
    };
    return Object.fromEntries(Object.entries(parts).filter(([, bytes]) => bytes > 0));
  };
  const kinds = fc
    .record({
      gated: fc.boolean(),
      swiglu: fc.constantFrom('recompute', 'fused', 'eager'),
      flash: fc.boolean(),
      dropout: fc.boolean(),
      bias: fc.boolean(),
      norm: fc.constantFrom('layernorm', 'rmsnorm'),
    })
    .map(({ swiglu, ...one }): Arguments => (one.gated ? { ...one, swiglu } : one));

  test('norm inputs, linear inputs, q k v, scores, attention output, masks, MLP', () => {
    fc.assert(
      fc.property(cases, kinds, fc.constantFrom('bf16', 'fp32'), (one, kind, precision) => {
        const { h, a, kv, f } = one;
        const args = { hidden: h, heads: a, kv_heads: kv, ffn: f, ...kind };
        const { activation, activationParts = {}, workspace } = stageOf(one, ['transformer', args], { precision });
        const expected = closed(one, kind, precision === 'bf16' ? 2 : 4);
        expect(Object.keys(activationParts).sort()).toEqual(Object.keys(expected).sort());
        for (const [part, bytes] of Object.entries(expected))
          expect(activationParts[part], part).toSatisfy((found: number) => near(found, tokensOf(one) * bytes));
        const sum = Object.values(expected).reduce((all, bytes) => all + bytes, 0);
        expect(activation).toSatisfy((found: number) => near(found, tokensOf(one) * sum));
        // Besides: a product that is made again or scores before the softmax, and two blocks of keys and values on their way.
        const element = precision === 'bf16' ? 2 : 4;
        const product = kind['swiglu'] === 'recompute' ? (element * f) / one.t : 0;
        const blocks = one.c > 1 ? 2 * ((2 * element * kv * one.hd) / one.t) : 0;
        const raw = kind['flash'] === true ? 0 : (element * one.a * one.s) / one.t / one.c;
        expect(workspace).toSatisfy((found: number) => near(found, tokensOf(one) * (Math.max(product, raw) + blocks)));
      }),
      { numRuns: 80 },
    );
  });

  test('experts: k copies of a token times the capacity, and what each makes of it; shared experts; probabilities', () => {
    fc.assert(
      fc.property(
        cases,
        fc.record({
          E: fc.integer({ min: 3, max: 16 }),
          k: fc.integer({ min: 1, max: 3 }),
          shared: fc.integer({ min: 0, max: 2 }),
          capacity: fc.constantFrom(1, 1.25, 2),
          fe: fc.integer({ min: 1, max: 9 }).map((x) => 4 * x),
        }),
        fc.boolean(),
        (one, { E, k, shared, capacity, fe }, split) => {
          const { h, a, kv, t } = one;
          const args = {
            ...{ hidden: h, heads: a, kv_heads: kv, gated: true, flash: true, dropout: false },
            ...{ experts: E, experts_per_token: k, shared_experts: shared, capacity, expert_ffn: fe },
          };
          // Tensor ranks that do not split experts need parts of the tokens of their own.
          const expertTensor = split || !one.sp ? t : 1;
          const { activationParts = {} } = stageOf(one, ['transformer', args], { expert_tensor: expertTensor });
          // Tensor ranks that split experts gather all copies; those that hold whole ones have the copies of their own part.
          const copies = expertTensor === t ? k * capacity : (k * capacity) / t;
          const of = (part: string) => activationParts[part] / tokensOf(one);
          expect(of('inputs of experts')).toBeCloseTo(2 * copies * h, 6);
          expect(of('experts')).toBeCloseTo((2 * 3 * copies * fe) / expertTensor + (2 * 3 * shared * fe) / t, 6);
          expect(of('routing')).toBeCloseTo((4 * E) / wholeOf(one), 6);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('beside the layers', () => {
  test('embedding: a mask of sbh/t, and 8 bytes a token', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), (one, dropout) => {
        const { activation } = stageOf(one, ['embedding', { vocab: 500, hidden: one.h, dropout }]);
        expect(activation).toBe(tokensOf(one) * (8 + (dropout ? one.h / wholeOf(one) : 0)));
      }),
      { numRuns: 20 },
    );
  });

  test('head: 4sbh/t of norm and projection; logits of 4sbV/t in fp32 and 2sbV/t in bf16 while it runs', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 500 }), fc.constantFrom('bf16', 'fp32'), (one, rows, precision) => {
        const V = 4 * rows;
        const args = { vocab: V, hidden: one.h };
        const { activation, workspace } = stageOf(one, ['lm_head', args], { precision, recompute: 'full' });
        const e = precision === 'bf16' ? 2 : 4;
        expect(activation).toBe((tokensOf(one) * 2 * e * one.h) / wholeOf(one));
        expect(workspace).toBe((tokensOf(one) * V * (precision === 'bf16' ? 4 + 2 : 4)) / one.t);
      }),
      { numRuns: 20 },
    );
  });

  test('what is sent on is freed: an output is only held as the input of the next stage', () => {
    const at = { model: { sequence: 16 }, devices: 2 };
    const block = (n: number) => layer(`block[${n}]`, 'transformer', { hidden: 32, heads: 4 });
    const pipeline = { microbatches: 2, schedule: 'gpipe' };
    const two = run({ ...at, layers: [block(2)], pipeline: { ...pipeline, stages: 'balance(2)' } }).report;
    const one = run({ ...at, layers: [block(2)], pipeline: { ...pipeline, stages: 'balance(1)' } }).report;
    const sum = two.devices.reduce((all, { memory }) => all + memory.activations, 0);
    expect(sum).toBe(one.devices[0].memory.activations);
  });
});
