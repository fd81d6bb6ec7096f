import { describe, expect, it } from 'vitest';
import { findOptimizer, optimizers, type Shard } from '../../../engine/plan/costs/optimizer.ts';
import { sumStage } from '../../../engine/plan/costs/stage.ts';
import { timeOf } from '../../../engine/plan/costs/time.ts';
import { cost, device, setting } from './settings.ts';

describe('a stage', () => {
  const hidden = 1024;
  const sbh = 2048 * hidden;
  const layers = (recompute: 'none' | 'selective' | 'full', count: number) => {
    const one = timeOf(cost('transformer', { hidden, heads: 16 }, { recompute }), setting({ recompute }), device());
    return Array.from({ length: count }, () => one);
  };

  it('sums what every layer needs', () => {
    const [one] = layers('none', 1);
    expect(sumStage(layers('none', 4), 'none')).toMatchObject({
      parameters: 4 * one.parameters,
      forward: 4 * one.forward,
      backwardInput: 4 * one.backwardInput,
      backwardWeight: 4 * one.backwardWeight,
      activation: 4 * one.activation,
      recomputed: 0,
      recompute: 0,
      splitKnown: true,
    });
  });

  it('with full recomputation keeps 2sbh a layer, and makes one layer again at a time', () => {
    const whole = 34 + (5 * 16 * 2048) / hidden;
    const stage = sumStage(layers('full', 4), 'full');
    expect(stage.activation).toBe(4 * 2 * sbh);
    expect(stage.recomputed / sbh).toBeCloseTo(whole - 2, 9);
    expect(stage.recompute).toBe(stage.forward);
  });

  it('holds the most that the backward of any layer order needs, counted layer by layer', () => {
    // Each layer keeps `activation`; going backwards, it holds `recomputed` too, then frees both.
    const stage = [...layers('full', 3), ...layers('selective', 1)];
    let kept = stage.reduce((sum, layer) => sum + layer.activation, 0);
    let peak = 0;
    for (const layer of stage.toReversed()) {
      peak = Math.max(peak, kept + layer.recomputed);
      kept -= layer.activation;
    }
    const sum = sumStage(stage, 'full');
    expect(sum.activation + sum.recomputed).toBeGreaterThanOrEqual(peak);
    const equal = sumStage(layers('full', 3), 'full');
    expect(equal.activation + equal.recomputed).toBe(3 * 2 * sbh + layers('full', 1)[0].recomputed);
  });

  it('has workspace and unknown splits of single layers', () => {
    const head = timeOf(cost('lm_head', { vocab: 32000, hidden }), setting(), device());
    const both = sumStage([...layers('none', 2), { ...head, splitKnown: false }, head], 'none');
    expect(both.workspace).toBe(6 * 2048 * 32000);
    expect(both.splitKnown).toBe(false);
    expect(sumStage([], 'none')).toMatchObject({ forward: 0, activation: 0, splitKnown: true });
  });
});

describe('optimizer recipes', () => {
  const total = (name: string, shard: Shard, data: number) => {
    const bytes = findOptimizer(name)?.bytes({ local: 1000, data, precision: 'bf16', shard });
    return bytes === undefined ? undefined : (bytes.weights + bytes.gradients + bytes.optimizer) / 1000;
  };
  // Bytes a parameter: alone, and over d data ranks (arXiv:1910.02054, section 3.1; Megatron-LM, dist_optimizer guide).
  it.each([
    ['adam', 16, (d: number) => 8 + 8 / d],
    ['adam_mixed', 16, (d: number) => 4 + 12 / d],
    ['megatron_bf16', 18, (d: number) => 6 + 12 / d],
    ['megatron_fp16', 20, (d: number) => 4 + 16 / d],
    ['adam_bf16', 8, (d: number) => 4 + 4 / d],
    ['momentum', 12, (d: number) => 8 + 4 / d],
    ['sgd', 8, () => 8],
    ['none', 4, () => 4],
  ] as const)('%s: %d bytes a parameter', (name, alone, split) => {
    for (const data of [1, 2, 8, 64]) {
      expect(total(name, 'none', data)).toBe(alone);
      expect(total(name, 'zero1', data)).toBeCloseTo(split(data), 9);
      expect(total(name, 'distributed', data)).toBeCloseTo(split(data), 9);
    }
  });

  it("none follows the model's precision; every recipe is documented and findable", () => {
    expect(findOptimizer('none')?.bytes({ local: 10, data: 1, precision: 'fp32' })).toEqual({
      weights: 40,
      gradients: 40,
      optimizer: 0,
    });
    expect(findOptimizer('nothing')).toBeUndefined();
    for (const recipe of optimizers) {
      expect(findOptimizer(recipe.name)).toBe(recipe);
      expect(recipe.doc.length).toBeGreaterThan(20);
    }
  });
});
