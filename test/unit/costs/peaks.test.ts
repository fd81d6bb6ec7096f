/** What is live at once where a stage needs most: scores before the softmax, results of activations, logits and a layer that runs again. */
import { describe, expect, it } from 'vitest';
import { inGroups } from '../../../engine/costs/recompute.ts';
import { noLayers, stageCost, sumStage, withLayer, withLayerOfGroup } from '../../../engine/costs/stage.ts';
import type { ShapeArguments } from '../../../engine/costs/shapes.ts';
import { timeOf } from '../../../engine/costs/time.ts';
import type { LayerCost, LayerSetting } from '../../../engine/costs/types.ts';
import { cost, device, setting } from './settings.ts';

const [s, b, h, a, t] = [2048, 3, 1024, 16, 4];

describe('scores before the softmax', () => {
  const size = { sequence: s, microBatch: b };
  const held = (args: ShapeArguments, changes: Partial<LayerSetting> = {}) =>
    cost('transformer', { hidden: h, heads: a, ...args }, { ...size, ...changes }).workspace;

  it('are held while the core runs: b·a·s² elements, split over tensor ranks', () => {
    expect(held({})).toBe(2 * b * a * s ** 2);
    expect(held({}, { tensor: t })).toBe((2 * b * a * s ** 2) / t);
    expect(held({}, { tensor: t, sequenceParallel: true })).toBe((2 * b * a * s ** 2) / t);
    expect(held({}, { precision: 'fp32' })).toBe(4 * b * a * s ** 2);
    expect(held({ causal: true, window: 16 })).toBe(2 * b * a * s ** 2);
  });

  it('are the same under recomputation, which only changes what stays', () => {
    for (const recompute of ['full', 'selective', 'modules(core_attention)'] as const)
      expect(held({}, { recompute })).toBe(2 * b * a * s ** 2);
  });

  it('are never there with a fused kernel', () => {
    expect(held({ flash: true })).toBe(0);
  });

  it('of latent attention are b·a·s² elements too: 2.1 GB for 16 heads of a rank and 4 sequences of 4096 tokens', () => {
    const latent = {
      kv_lora_rank: 512,
      q_lora_rank: 1536,
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
    };
    const found = held({ heads: 32, ...latent }, { sequence: 4096, microBatch: 4, tensor: 2, sequenceParallel: true });
    expect(found).toBe(2 * 4 * 16 * 4096 ** 2);
    expect(found / 1e9).toBeCloseTo(2.1, 1);
  });

  it('of cross-attention go by the tokens of the other tower, and only the larger ones of a layer count', () => {
    expect(held({ cross: 4 * s })).toBe(2 * b * a * s * 4 * s);
    expect(held({ cross: s / 4 })).toBe(2 * b * a * s ** 2);
  });

  it('of a ring are those of one block of keys; an all-to-all has whole sequences of some heads', () => {
    const blocks = 2 * (b * a * s ** 2);
    const keysAndValues = 2 * 2 * h * b * (s / 2);
    expect(held({}, { context: 2 })).toBe(blocks / 2 / 2 + 2 * keysAndValues);
    expect(held({}, { context: 2, contextExchange: 'all_to_all' })).toBe(blocks / 2 + 2 * keysAndValues);
  });

  it('are not held while the MLP makes its product again', () => {
    const gated = { gated: true, swiglu: 'recompute', ffn: 4 * h };
    expect(held(gated)).toBe(Math.max(2 * b * a * s ** 2, 2 * b * s * 4 * h));
    expect(held({ ...gated, ffn: 64 * h })).toBe(2 * b * s * 64 * h);
  });
});

describe('the result of an expert before it is multiplied by its probability', () => {
  const [f, experts, chosen] = [768, 8, 2];
  const kept = (args: ShapeArguments, changes: Partial<LayerSetting> = {}) => {
    const all = { hidden: h, heads: a, flash: true, experts, experts_per_token: chosen, expert_ffn: f, ...args };
    return (
      (cost('transformer', all, { sequence: s, microBatch: b, ...changes }).activationParts?.['experts'] ?? 0) / (s * b)
    );
  };

  it('is kept where the activation is not fused: 2·f more for each copy', () => {
    // Input and result of the activation, and its product with the probability.
    expect(kept({})).toBe(chosen * (2 + 2 + 2) * f);
    // Gate and up, the activated gate, their product, and that with the probability.
    expect(kept({ gated: true, swiglu: 'eager' })).toBe(chosen * (4 + 2 + 2 + 2) * f);
  });

  it('is not kept by fused SwiGLU, nor by one that makes its product again', () => {
    expect(kept({ gated: true })).toBe(chosen * (4 + 2) * f);
    expect(kept({ gated: true, swiglu: 'recompute' })).toBe(chosen * 4 * f);
  });

  it('is not kept by shared experts, which have no probability', () => {
    expect(kept({ shared_experts: 3 }) - kept({})).toBe(3 * (2 + 2) * f);
  });

  it('is made again with the activation, and with the whole mixture', () => {
    expect(kept({}, { recompute: 'modules(moe_act)' })).toBe(chosen * 2 * f);
    expect(kept({}, { recompute: 'modules(moe)' })).toBe(0);
  });

  it('is split with the width of experts, and divided with their tokens if they are whole', () => {
    for (const expertTensor of [t, 1]) expect(kept({}, { tensor: t, expertTensor })).toBe((chosen * 6 * f) / t);
  });

  it('is needed by the gradient of the probabilities, though the expert does not train', () => {
    const frozen = { training: { trains: 'nothing', upstream: true } } as const;
    // Without weights that train, the input of the last product is not kept.
    expect(kept({}, frozen)).toBe(chosen * (2 + 2) * f);
  });
});

describe('a layer that runs again before a head', () => {
  const figures = (shape: string, args: ShapeArguments, changes: Partial<LayerSetting>): LayerCost => {
    const full = setting({ sequence: s, microBatch: b, ...changes });
    return timeOf(cost(shape, args, full), full, device());
  };
  const block = figures('transformer', { hidden: h, heads: a, flash: true }, { recompute: 'full' });
  const head = (vocab: number, changes: Partial<LayerSetting> = {}) =>
    figures('lm_head', { vocab, hidden: h, pad: 1 }, { recompute: 'full', ...changes });
  const beyondKept = ({ recomputed, workspace }: { recomputed: number; workspace: number }) => recomputed + workspace;
  const norm = 2 * s * b * h;

  it('takes the place of the logits, whose gradient alone stays for a separate W', () => {
    for (const vocab of [1000, 8000, 16_000, 100_000]) {
      const logits = s * b * vocab;
      const stage = sumStage([block, block, head(vocab)], 'full');
      // Beside the gradient, W reads the input of the product and not the input of the norm.
      const left = Math.max(0, 2 * logits - norm);
      expect(stage.workspace).toBe(6 * logits);
      expect(beyondKept(stage)).toBe(Math.max(6 * logits, block.recomputed + Math.min(left, 6 * logits)));
    }
    // Between both ends, a sum of all would be 6·N·V more.
    expect(sumStage([block, head(100_000)], 'full').recomputed).toBe(0);
    expect(sumStage([block, head(1000)], 'full').recomputed).toBeGreaterThan(0);
  });

  it('is held in addition to the logits where data ranks share the weights', () => {
    const eager = head(100_000, { loss: 'eager', sharesWeights: true });
    expect(beyondKept(sumStage([block, eager], 'full'))).toBe(block.recomputed + eager.workspace);
  });

  it('never needs more than the largest recomputation and the largest workspace', () => {
    const layers = [block, { ...block, recomputed: block.recomputed / 2, workspace: 3 * norm }, head(4000)];
    const stage = sumStage(layers, 'full');
    expect(beyondKept(stage)).toBeLessThanOrEqual(block.recomputed + stage.workspace);
    expect(beyondKept(stage)).toBeGreaterThanOrEqual(block.recomputed / 2 + 3 * norm);
    // The gradient of the logits does not come on top of a workspace that is larger anyway.
    const wide = { ...block, workspace: 20 * norm };
    expect(beyondKept(sumStage([wide, head(4000)], 'full'))).toBe(block.recomputed + 20 * norm);
  });

  it('holds its workspace while it runs again', () => {
    const wide = { ...block, workspace: 5 * norm };
    expect(beyondKept(sumStage([wide, wide, head(1000)], 'full'))).toBe(
      block.recomputed + 5 * norm + Math.max(0, 2 * s * b * 1000 - norm),
    );
  });

  it('comes with its whole group, and the most of the group\u2019s workspaces', () => {
    const [small, large] = [block, { ...block, workspace: 4 * norm }];
    const mode = 'full(layers = 2, method = uniform)';
    const expected = 2 * block.recomputed + norm + 4 * norm;
    for (const group of [
      [small, large],
      [large, small],
    ]) {
      const stage = sumStage(inGroups(group, mode, ['block', 'block']), mode);
      expect(beyondKept(stage)).toBe(expected);
      const [first, second] = group;
      const counted = withLayerOfGroup(withLayer(noLayers, first), second, first);
      expect(beyondKept(stageCost(counted, mode, 0))).toBe(expected);
    }
  });
});
