import { describe, expect, test } from 'vitest';
import {
  budgetIn,
  budgetMode,
  inGroups,
  layerModesOf,
  modulesMode,
  someLayersIn,
  someLayersMode,
} from '../../../../engine/costs/recompute.ts';
import { measured, timeOf } from '../../../../engine/costs/time.ts';
import type { LayerSetting, RecomputeMode, ShapeCost } from '../../../../engine/costs/types.ts';
import { cost, device, setting, tensorRing } from '../settings.ts';

/** Sizes per token, in the letters of the pages of costs. */
const [h, a, k, d, f, s] = [64, 4, 2, 16, 256, 32];
const llama = {
  hidden: h,
  heads: a,
  kv_heads: k,
  head_dim: d,
  ffn: f,
  gated: true,
  bias: false,
  norm: 'rmsnorm',
  flash: true,
  dropout: false,
};
const layer = (args: object, recompute: RecomputeMode, over: Partial<LayerSetting> = {}): ShapeCost =>
  cost('transformer', { ...llama, ...args }, { sequence: s, recompute, ...over });

interface Expected {
  readonly frees: number;
  readonly flops: number;
}

/** What a module frees and repeats, by its name. Both per token; nothing else of the layer changes. */
const expectModule = (args: object, mode: RecomputeMode, { frees, flops }: Expected, over = {}): void => {
  const [all, some] = [layer(args, 'none', over), layer(args, mode, over)];
  expect(some.activation).toBe(all.activation - s * frees);
  expect(some.recomputed).toBe(s * frees);
  expect(some.recomputeFlops).toBe(s * flops);
  const left = Object.values(some.activationParts ?? {}).reduce((sum, bytes) => sum + bytes, 0);
  expect(left).toBe(some.activation);
  for (const figure of ['parameters', 'linearFlops', 'output', 'workspace', 'activationForWeight'] as const)
    expect(some[figure]).toBe(all[figure]);
};

/** Megatron-LM d98e8a6: what each entry of `--recompute-modules` checkpoints. */
describe('modules', () => {
  // transformer_layer.py, `_forward_mlp`: `checkpoint(self.mlp, …, pre_mlp_layernorm_output)`, where the norm is an `IdentityOp` and
  // `linear_fc1` a `TELayerNormColumnParallelLinear`: what it saves of its norm is inside.
  test('mlp: the result of the norm, gate, up and product go; three products run again', () => {
    expectModule({}, 'modules(mlp)', { frees: 6 * f + 2 * h, flops: 6 * h * f });
    expectModule({ gated: false }, 'modules(mlp)', { frees: 4 * f + 2 * h, flops: 4 * h * f });
    expectModule({}, 'modules(mlp)', { frees: (6 * f) / 2 + 2 * h, flops: (6 * h * f) / 2 }, { tensor: 2 });
    const split = { tensor: 2, sequenceParallel: true };
    expectModule({}, 'modules(mlp)', { frees: (6 * f + 2 * h) / 2, flops: (6 * h * f) / 2 }, split);
    // What an MLP reads without a norm before it is the layer's own.
    expectModule({ norm_place: 'after' }, 'modules(mlp)', { frees: 6 * f, flops: 6 * h * f });
    // The norm reads and writes 2·h.
    const traffic = (args: object) => layer(args, 'modules(mlp)').repeats?.traffic ?? NaN;
    expect(traffic({}) - traffic({ norm_place: 'after' })).toBe(s * 4 * h);
  });

  // transformer_layer.py: `recompute_input_layernorm` and `recompute_pre_mlp_layernorm`, each `if not isinstance(…, IdentityOp)`.
  // gpt_layer_specs.py: `pre_mlp_layernorm=backend.layer_norm(…) if num_experts else IdentityOp`, and `input_layernorm` of latent attention.
  describe('layernorm: the results of norms that are modules go, and only memory is moved', () => {
    const mixture = { experts: 8, experts_per_token: 2, expert_ffn: 128 };
    const latent = {
      ...{ kv_heads: undefined, head_dim: undefined, q_lora_rank: 24, kv_lora_rank: 20 },
      ...{ qk_nope_head_dim: 12, qk_rope_head_dim: 8, v_head_dim: 10 },
    };
    const split = { tensor: 2, sequenceParallel: true };
    test.each([
      ['a dense layer has none', {}, 0],
      ['before experts', mixture, 1],
      ['before latent attention', latent, 1],
      ['before both', { ...latent, ...mixture }, 2],
      ['none before either', { ...latent, ...mixture, norm_place: 'after' }, 0],
      ['none before what reads another tower', { cross: 16, cross_hidden: 32 }, 0],
      ['none before a mixer with a state', { mixer: 'mamba2', kv_heads: undefined, state: 16 }, 0],
    ] as const)('%s', (_, args, norms) => {
      expectModule(args, 'modules(layernorm)', { frees: norms * 2 * h, flops: 0 });
      expectModule(args, 'modules(layernorm)', { frees: norms * h, flops: 0 }, split);
      // Each norm reads and writes 2·h.
      expect(layer(args, 'modules(layernorm)').repeats?.traffic).toBe(norms === 0 ? undefined : norms * s * 4 * h);
    });
  });

  // attention.py, `_checkpointed_attention_forward`.
  test('core_attention: scores go, or the log-sum-exp of FlashAttention; the core runs again', () => {
    const flops = 2 * s * a * d;
    expectModule({ flash: false }, 'modules(core_attention)', { frees: 2 * a * s, flops });
    expectModule({ flash: false, dropout: true }, 'modules(core_attention)', { frees: 5 * a * s, flops });
    expectModule({}, 'modules(core_attention)', { frees: 4 * a, flops });
  });

  const [E, j, e, shared] = [8, 2, 128, 1];
  const experts = { experts: E, experts_per_token: j, expert_ffn: e, shared_experts: shared };

  // moe_layer.py: `checkpoint(custom_forward, …)` from the router to the sum.
  test('moe: routing, copies and all experts go; router and experts run again', () => {
    expectModule(experts, 'modules(moe)', {
      frees: 4 * E + 2 * h * j + (j + shared) * 6 * e,
      flops: 2 * h * E + (j + shared) * 6 * h * e,
    });
    // What is inside runs again once.
    expect(layer(experts, 'modules(moe, moe_act, shared_experts)')).toMatchObject({
      activation: layer(experts, 'modules(moe)').activation,
      recomputeFlops: layer(experts, 'modules(moe)').recomputeFlops,
    });
  });

  // experts.py: `CheckpointWithoutOutput` around the activation function.
  test('moe_act: the product of gate and up goes for each copy of a token', () => {
    expectModule(experts, 'modules(moe_act)', { frees: j * 2 * e, flops: 0 });
    // The activated gate, its product with up, and that with the probability.
    expectModule({ ...experts, swiglu: 'eager' }, 'modules(moe_act)', { frees: j * 6 * e, flops: 0 });
    expect(layer(experts, 'modules(moe_act)').repeats?.traffic).toBe(s * j * 6 * e);
  });

  // moe_layer.py, `shared_experts_compute`.
  test('shared_experts: what is inside them goes', () => {
    expectModule(experts, 'modules(shared_experts)', { frees: 6 * e, flops: 6 * h * e });
    // shared_experts.py: the gate, of one column, and its product with the result are in the same forward.
    const gated = { ...experts, shared_gate: true };
    expectModule(gated, 'modules(shared_experts)', { frees: 6 * e + 2 * (h + 1), flops: 6 * h * e + 2 * h });
  });

  // multi_latent_attention.py: `qkv_up_proj_and_rope_apply` reads the compressed vectors before their norms: `q_layernorm=IdentityOp`, and
  // `linear_q_up_proj` is a `TELayerNormColumnParallelLinear`.
  test('mla_up_proj: what norms of compressed vectors make, queries, keys and values go; two products run again', () => {
    const [q, c, n, r, v] = [24, 20, 12, 8, 10];
    const { kv_heads: _, head_dim: __, ...rest } = llama;
    const args = { q_lora_rank: q, kv_lora_rank: c, qk_nope_head_dim: n, qk_rope_head_dim: r, v_head_dim: v };
    const found = (mode: RecomputeMode) => cost('transformer', { ...rest, ...args }, { sequence: s, recompute: mode });
    const [all, some] = [found('none'), found('modules(mla_up_proj)')];
    expect(all.activation - some.activation).toBe(s * (2 * a * (2 * (n + r) + v) + 2 * (q + c)));
    expect(some.activationParts?.['compressed vectors']).toBe(s * 2 * (q + c));
    expect(some.recomputeFlops).toBe(s * 2 * (q * a * (n + r) + c * a * (n + v)));
  });

  test('several modules free and repeat what each does; those that a layer lacks do nothing', () => {
    const both = layer({}, modulesMode(['mlp', 'layernorm', 'mla_up_proj', 'moe']));
    expect(both.activation).toBe(layer({}, 'none').activation - s * (6 * f + 2 * h));
    expect(both.recomputeFlops).toBe(s * 6 * h * f);
    expect(layer({}, 'modules(moe_act)')).toMatchObject({ recomputed: 0, recomputeFlops: 0 });
    expect(modulesMode(['mlp', 'core_attention'])).toBe('modules(core_attention, mlp)');
  });

  test('the time is a forward of the modules, with their exchanges', () => {
    const over = { tensor: 2, sequenceParallel: true };
    const speed = device({ ...tensorRing(1) });
    const recomputed = timeOf(
      layer({}, 'modules(mlp)', over),
      setting({ sequence: s, ...over, recompute: 'modules(mlp)' }),
      speed,
    );
    // A gather and a scatter of 2·s·h bytes, of which a rank sends half each, at 1 B/s.
    expect(recomputed.recompute).toBe((s * 6 * h * f) / 2 + 2 * s * h);
    expect(recomputed.recomputedParts).toEqual({ MLP: (s * 6 * f) / 2, 'linear inputs': (s * 2 * h) / 2 });
  });

  test('without FlashAttention, core_attention is what `selective` does', () => {
    const under = (recompute: RecomputeMode) =>
      timeOf(
        layer({ flash: false }, recompute),
        setting({ sequence: s, recompute }),
        device({ compute: 1e4, bandwidth: 1 }),
      );
    const [selective, modules] = [under('selective'), under('modules(core_attention)')];
    expect(modules.recompute).toBe(selective.recompute);
    expect(modules.activation).toBe(selective.activation);
    expect(selective.recompute).toBeGreaterThan(0);
  });
});

/** torchtitan b5bcd76, distributed/activation_checkpoint.py: products are counted q, k, v, out, gate, up, down; even ones run again. */
describe('operations', () => {
  test('of a Llama layer q, v, gate and down stay, and the output of attention', () => {
    const found = layer({}, 'operations');
    expect(found.activation).toBe(s * (2 * h + 2 * a * d + 2 * k * d + 2 * a * d + 4 * a + 2 * f + 2 * h));
    expect(found.recomputeFlops).toBe(s * (2 * h * k * d + 2 * a * d * h + 2 * h * f));
  });

  test('of a GPT layer the first product of the MLP stays, and the second runs again', () => {
    const found = layer({ gated: false }, 'operations');
    expect(found.activation).toBe(s * (2 * h + 2 * a * d + 2 * k * d + 2 * a * d + 4 * a + 2 * f));
    expect(found.recomputeFlops).toBe(s * (2 * h * k * d + 2 * a * d * h + 2 * h * f));
  });

  test('with sequence parallelism outputs of products and of scatters stay, and gathers run again', () => {
    const t = 2;
    const found = layer({}, 'operations', { tensor: t, sequenceParallel: true });
    const split = (2 * h + 2 * a * d + 2 * k * d + 2 * a * d + 4 * a + 2 * f) / t;
    expect(found.activation).toBe(s * (split + 2 * h + (2 * 2 * h) / t));
    expect(found.repeats?.collectives.map(({ pattern }) => pattern)).toEqual(['all_gather', 'all_gather']);
  });

  test('of experts the exchanged copies stay, and grouped products run again', () => {
    const [E, j, e] = [8, 2, 128];
    const args = { experts: E, experts_per_token: j, expert_ffn: e };
    const found = layer(args, 'operations', { expert: 4 });
    expect(found.activation).toBe(s * (2 * h + 2 * a * d + 2 * k * d + 2 * a * d + 4 * a + 2 * (2 * h * j)));
    expect(found.recomputeFlops).toBe(s * (2 * h * k * d + 2 * a * d * h + 2 * h * E + j * 6 * h * e));
    expect(found.repeats?.collectives).toEqual([]);
  });

  test('of latent attention the compressing products stay, and the widening ones run again', () => {
    const [q, c, n, r, v] = [24, 20, 12, 8, 10];
    const { kv_heads: _, head_dim: __, ...rest } = llama;
    const args = { ...rest, q_lora_rank: q, kv_lora_rank: c, qk_nope_head_dim: n, qk_rope_head_dim: r, v_head_dim: v };
    const found = cost('transformer', args, { sequence: s, recompute: 'operations' });
    // Products: q down, q up, kv down, kv up, out, gate, up, down: odd ones stay.
    expect(found.activation).toBe(s * (2 * h + 2 * q + 2 * (c + r) + 2 * h + 2 * f + 2 * a * v + 4 * a));
    expect(found.recomputeFlops).toBe(s * 2 * (q * a * (n + r) + c * a * (n + v) + h * f + f * h));
  });

  test('while the backward runs, all that the layer needs is there', () => {
    const [all, some] = [layer({}, 'none'), layer({}, 'operations')];
    // In addition to what is needed, the output of the last product.
    expect(some.activation + some.recomputed).toBe(all.activation + s * 2 * h);
  });
});

/** PyTorch, torch/_functorch/partitioners.py, `choose_saved_values_set`: outputs of products and attention, by a knapsack of FLOPs. */
describe('a budget', () => {
  /** Bytes of a token without recomputation, and FLOPs of all that may stay. The result of the last product is read by nobody. */
  const all = layer({}, 'none').activation / s;
  const core = 2 * s * a * d;
  const flops = 2 * h * (a * d + 2 * k * d + a * d + 2 * f) + core;
  const expectBudget = (share: number, bytes: number, kept: number) => {
    const found = layer({}, budgetMode(share));
    expect(bytes).toBeLessThanOrEqual(share * (all - 2 * h));
    expect(found.activation).toBe(s * (2 * h + bytes));
    expect(found.recomputeFlops).toBeCloseTo(s * (flops - kept), 6);
  };

  test('of 50 % has gate and up, and what fits of the attention', () => {
    // 1160 bytes: 1024 of gate and up, 128 of queries, or of keys and values, or of the projection.
    expectBudget(0.5, 2 * 2 * f + 2 * a * d, 2 * 2 * h * f + 2 * h * a * d);
  });

  test('of 25 % has gate or up, and keys or values: the core gives fewer FLOPs for a byte', () => {
    // 580 bytes: 512 and 64.
    expectBudget(0.25, 2 * f + 2 * k * d, 2 * h * f + 2 * h * k * d);
  });

  test('with room for all of them makes again only what moves memory', () => {
    expectBudget(0.7, 2 * (a * d + 2 * k * d + h + 2 * f) + 2 * a * d + 4 * a, flops);
    expect(layer({}, budgetMode(0.7)).recomputeFlops).toBe(0);
  });

  test('of nothing is full recomputation, and of everything is none', () => {
    expect([budgetMode(0), budgetMode(1), budgetMode(0.5)]).toEqual(['full', 'none', 'budget(50%)']);
    expect(budgetIn('budget(12.5%)')).toBe(0.125);
    expect(budgetIn('full')).toBeUndefined();
  });

  test('is never worse with more room, nor better than any choice', () => {
    const shares = Array.from({ length: 19 }, (_, index) => (index + 1) / 20);
    const found = shares.map((share) => layer({ gated: false, heads: 8, kv_heads: 8, head_dim: 8 }, budgetMode(share)));
    for (const [index, { recomputeFlops }] of found.entries())
      if (index > 0) expect(recomputeFlops).toBeLessThanOrEqual(found[index - 1].recomputeFlops);
    // Queries, keys, values, projection, up and the core of a GPT layer: all choices.
    const width = 64;
    const items = [
      ...Array.from({ length: 4 }, () => [2 * width, 2 * h * width] as const),
      [2 * f, 2 * h * f] as const,
      [2 * width + 4 * 8, 2 * s * width] as const,
    ];
    const whole = items.reduce((sum, [, each]) => sum + each, 0);
    const { activation } = layer({ gated: false, heads: 8, kv_heads: 8, head_dim: 8 }, 'none');
    for (const [index, share] of shares.entries()) {
      const room = share * (activation / s - 2 * h);
      let best = 0;
      for (let choice = 0; choice < 2 ** items.length; choice += 1) {
        const chosen = items.filter((_, item) => (choice >> item) % 2 === 1);
        const bytes = chosen.reduce((sum, [each]) => sum + each, 0);
        if (bytes <= room)
          best = Math.max(
            best,
            chosen.reduce((sum, [, each]) => sum + each, 0),
          );
      }
      expect(found[index].recomputeFlops / s).toBeCloseTo(whole - best, 6);
    }
  });
});

/** Megatron-LM d98e8a6, core/recompute.py, `checkpointed_forward`. */
describe('some layers of a stage', () => {
  const modes = (mode: RecomputeMode, roles: string) =>
    layerModesOf(
      mode,
      Array.from(roles, (role) => (role === 't' ? 'block' : role === 'm' ? 'prediction' : 'other')),
    ).map((found) => (found === 'full' ? 'R' : found === 'none' ? '.' : found));

  test('block: the first layers of the stage; uniform: all; every: each k-th one', () => {
    expect(modes('full(layers = 2)', 'ettttL').join('')).toBe('.RR...');
    expect(modes('full(layers = 2)', 'tmL').join('')).toBe('R..');
    expect(modes('full(layers = 2, method = uniform)', 'etttmL').join('')).toBe('.RRRR.');
    expect(modes('full(every = 2)', 'ettttt').join('')).toBe('..R.R.');
    expect(modes('modules(mlp)', 'tt')).toEqual(['modules(mlp)', 'modules(mlp)']);
  });

  test('modes are written as they are read', () => {
    for (const mode of ['full(layers = 3)', 'full(layers = 3, method = uniform)', 'full(every = 2)'] as const) {
      const some = someLayersIn(mode);
      expect(some === undefined ? undefined : someLayersMode(some)).toBe(mode);
    }
    expect(someLayersIn('full')).toBeUndefined();
  });

  test('a group keeps the input of its first layer, and recomputes all of its layers at once', () => {
    const [input, kept] = [4, 100];
    const single = Array.from({ length: 6 }, () =>
      measured(
        { forward: 1, backward: 2, activation: kept, output: input, input, recomputeMode: 'full' },
        setting({ recompute: 'full' }),
        device(),
      ),
    );
    const roles = ['other', 'block', 'block', 'block', 'block', 'block'] as const;
    const found = inGroups(single, 'full(layers = 2, method = uniform)', roles);
    expect(found.map(({ activation }) => activation)).toEqual([input, input, 0, input, 0, input]);
    // Both layers, without the input that stays.
    expect(found.map(({ recomputed }) => recomputed)).toEqual([96, 2 * kept - input, 0, 2 * kept - input, 0, 96]);
    expect(found.map(({ recompute }) => recompute)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(inGroups(single, 'full(layers = 1, method = uniform)', roles)).toBe(single);
  });
});
