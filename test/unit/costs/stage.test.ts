import { describe, expect, it } from 'vitest';
import { sumStage } from '../../../engine/costs/stage.ts';
import { timeOf } from '../../../engine/costs/time.ts';
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
