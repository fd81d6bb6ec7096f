import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import type { LayerSetting } from '../../../../engine/costs/types.ts';
import { cost } from '../settings.ts';
import { type Arguments, type Case, cases, near } from './run.ts';

const settingOf = ({ s, b, t, sp, c }: Case): Partial<LayerSetting> => ({
  ...{ sequence: s, microBatch: b, tensor: t, sequenceParallel: sp, context: c },
});
/** Tokens of one rank, and the share of one tensor rank of what only sequence parallelism splits. */
const tokens = ({ s, b, c }: Case): number => (s * b) / c;
const whole = ({ t, sp }: Case): number => (sp ? t : 1);

/** FLOPs of one rank, layers with weights and core. */
const flops = (shape: string, args: Arguments, one: Case): readonly [number, number] => {
  const { linearFlops, coreFlops } = cost(shape, args, settingOf(one));
  return [linearFlops, coreFlops];
};
const gqa = ({ h, a, kv, f }: Case): Arguments => ({ hidden: h, heads: a, kv_heads: kv, ffn: f });
const moe: Arguments = { experts: 12, experts_per_token: 3, expert_ffn: 8, shared_experts: 2 };
/** 3·h·f matrices of a gated MLP, 2·h·f of another; attention h·(2a + 2kv)·hd. */
const attention = ({ h, a, kv, hd }: Case): number => h * (2 * a + 2 * kv) * hd;
const mla = { kv_lora_rank: 24, q_lora_rank: 40, qk_nope_head_dim: 12, qk_rope_head_dim: 4, v_head_dim: 20 };

/** Row: name, what the closed form says of [linear, core] of one rank and token, and the layer. */
const rows: readonly (readonly [string, (one: Case) => readonly [number, number], string, (one: Case) => Arguments])[] =
  [
    [
      'linear layers 2 × weights, core 4·s·nh·hd in full, all divided by t',
      (one) => [(2 * (attention(one) + 2 * one.h * one.f)) / one.t, (4 * one.s * one.a * one.hd) / one.t],
      'transformer',
      (one) => ({ ...gqa(one), causal: false }),
    ],
    [
      'a causal core is half: 2·s·nh·hd; biases and norms count nothing',
      (one) => [(2 * (attention(one) + 2 * one.h * one.f)) / one.t, (2 * one.s * one.a * one.hd) / one.t],
      'transformer',
      (one) => ({ ...gqa(one), bias: one.f % 8 === 0, norm: 'rmsnorm', qk_norm: true }),
    ],
    [
      'SwiGLU: 2·3hf',
      (one) => [(2 * (attention(one) + 3 * one.h * one.f)) / one.t, (2 * one.s * one.a * one.hd) / one.t],
      'transformer',
      (one) => ({ ...gqa(one), gated: true }),
    ],
    [
      'flash, dropout and how a SwiGLU is kept change no FLOPs',
      (one) => [(2 * (attention(one) + 3 * one.h * one.f)) / one.t, (2 * one.s * one.a * one.hd) / one.t],
      'transformer',
      (one) => ({ ...gqa(one), gated: true, flash: true, dropout: false, swiglu: 'eager' }),
    ],
    [
      'experts: router 2hE + (k + shared)·6·h·fe; the router is whole on every tensor rank without sequence parallelism',
      (one) => [
        (2 * attention(one)) / one.t + (2 * one.h * 12) / whole(one) + ((3 + 2) * 6 * one.h * 8) / one.t,
        (2 * one.s * one.a * one.hd) / one.t,
      ],
      'transformer',
      (one) => ({ ...gqa(one), gated: true, ...moe }),
    ],
    [
      'latent attention: core 2·s·nh·((dn + dr) + dv), half of it causal; its compression is whole like a router',
      ({ h, a, f, s, t, ...one }) => [
        (2 * h * (40 + 24 + 4)) / whole({ h, a, f, s, t, ...one }) +
          (2 * (40 * a * (12 + 4) + 24 * a * (12 + 20) + a * 20 * h + 3 * h * f)) / t,
        (s * a * (12 + 4 + 20)) / t,
      ],
      'transformer',
      ({ h, a, f }) => ({ hidden: h, heads: a, ffn: f, gated: true, bias: false, ...mla }),
    ],
    [
      'head: 2hV; rows are whole numbers on a rank',
      ({ h, t }) => [2 * h * Math.ceil(1001 / t), 0],
      'lm_head',
      ({ h }) => ({ vocab: 1001, hidden: h }),
    ],
    ['embedding: none', () => [0, 0], 'embedding', ({ h }) => ({ vocab: 1001, hidden: h, positions: 64 })],
    [
      'multi-token prediction: its layer + 2·2h·h + 2hV',
      (one) => [
        (2 * (attention(one) + 3 * one.h * one.f) + 4 * one.h ** 2) / one.t + 2 * one.h * Math.ceil(1001 / one.t),
        (2 * one.s * one.a * one.hd) / one.t,
      ],
      'mtp',
      (one) => ({ vocab: 1001, ...gqa(one), gated: true }),
    ],
  ];

describe('forward FLOPs of one rank for s·b/c tokens', () => {
  test.each(rows)('%s', (_name, closed, shape, args) => {
    fc.assert(
      fc.property(cases, (one) => {
        const [linear, core] = flops(shape, args(one), one);
        const [expectedLinear, expectedCore] = closed(one);
        expect(linear).toSatisfy((found: number) => near(found, tokens(one) * expectedLinear));
        expect(core).toSatisfy((found: number) => near(found, tokens(one) * expectedCore));
      }),
    );
  });

  test('experts over e ranks: each has E/e of the experts and the tokens of e ranks, so the FLOPs of a rank stay', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(1, 2, 3, 4, 6, 12), fc.boolean(), (one, expert, whole) => {
        const args = { ...gqa(one), gated: true, ...moe };
        const at = { ...settingOf(one), expertTensor: whole ? 1 : one.t };
        // Tokens of all e ranks × k, spread over e ranks.
        const each = (expert * tokens(one) * 3 * 6 * one.h * 8) / expert / one.t;
        const others = { ...args, experts_per_token: 1 };
        const found = cost('transformer', args, { ...at, expert }).linearFlops;
        const two = found - cost('transformer', others, { ...at, expert }).linearFlops;
        expect(two).toSatisfy((difference: number) => near(difference, (2 / 3) * each));
      }),
    );
  });

  test('fewer key and value heads than tensor ranks: a rank computes one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 4),
        fc.constantFrom(1, 2, 4),
        fc.integer({ min: 1, max: 9 }),
        (kv, over, hd) => {
          const [t, h] = [kv * over, 16 * hd];
          const args = { hidden: h, heads: 16, kv_heads: kv, ffn: 16 };
          const { linearFlops } = cost('transformer', args, { tensor: t, sequence: 8 });
          expect(linearFlops).toBe(8 * 2 * (h * (2 * (16 / t) + 2 * 1) * hd + (2 * h * 16) / t));
        },
      ),
    );
  });
});

describe('closed forms of the papers, which count the whole core', () => {
  // Narayanan et al., arXiv:2104.04473, table 1: heads, hidden, layers; V = 51200, s = 2048.
  const models = [
    [24, 2304, 24],
    [32, 3072, 30],
    [32, 4096, 36],
    [48, 6144, 40],
    [64, 8192, 48],
    [80, 10240, 60],
    [96, 12288, 80],
    [128, 16384, 96],
    [128, 20480, 105],
    [160, 25600, 128],
  ] as const;
  const [V, s] = [51200, 2048];
  test.each(models)(
    '%i heads, h = %i, l = %i: 96Bslh²(1 + s/(6h) + V/(16lh)) with full recomputation (arXiv:2104.04473, eq. 3)',
    (a, h, l) => {
      const over = { microBatch: 4, recompute: 'full' } as const;
      const block = cost('transformer', { hidden: h, heads: a, causal: false }, over);
      const head = cost('lm_head', { vocab: V, hidden: h }, over);
      const forward = block.linearFlops + block.coreFlops;
      const all = l * (3 * forward + block.recomputeFlops) + 3 * head.linearFlops + head.recomputeFlops;
      expect(all / (96 * 4 * s * l * h ** 2 * (1 + s / (6 * h) + V / (16 * l * h)))).toBeCloseTo(1, 12);
    },
  );

  test.each(models)(
    '%i heads, h = %i, l = %i: selective recomputation adds one forward of the core to 72BLsh²(1 + s/(6h) + V/(12hL))',
    (a, h, l) => {
      const over = { microBatch: 4, recompute: 'selective' } as const;
      const block = cost('transformer', { hidden: h, heads: a, causal: false }, over);
      const head = cost('lm_head', { vocab: V, hidden: h }, over);
      const all = l * (3 * (block.linearFlops + block.coreFlops) + block.recomputeFlops) + 3 * head.linearFlops;
      // Of s/(6h), which is three forwards of the core (one, and twice that in its backward), a third more. Appendix A of
      // arXiv:2205.05198 writes s/(3h) for the hardware's FLOPs, as if the core ran six times.
      const term = (s / (6 * h)) * (4 / 3);
      expect(all / (72 * 4 * l * s * h ** 2 * (1 + term + V / (12 * h * l)))).toBeCloseTo(1, 12);
      expect(block.recomputeFlops).toBe(4 * 4 * s * s * h);
    },
  );
});
