import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { collectiveTime } from '../../../engine/costs/collectives.ts';
import { measured, timeOf } from '../../../engine/costs/time.ts';
import { cost, device, gpt, setting, tensorRing } from './settings.ts';

describe('FLOPs', () => {
  it.each(Object.entries(gpt))(
    '%s: eq. 7 of arXiv:2205.05198 counts the whole core',
    (_name, { hidden: h, heads, layers, microBatch }) => {
      const [s, V] = [2048, 51200];
      const flops = (shape: string, args: Parameters<typeof cost>[1]) => {
        const { linearFlops, coreFlops } = cost(shape, args, { microBatch });
        return linearFlops + coreFlops;
      };
      const whole =
        layers * flops('transformer', { hidden: h, heads, causal: false }) + flops('lm_head', { vocab: V, hidden: h });
      const closed = 72 * microBatch * layers * s * h ** 2 * (1 + s / (6 * h) + V / (12 * h * layers));
      expect((3 * whole) / closed).toBeCloseTo(1, 12);
      const causal = layers * flops('transformer', { hidden: h, heads }) + flops('lm_head', { vocab: V, hidden: h });
      expect((3 * causal) / closed).toBeCloseTo(
        (1 + s / (12 * h) + V / (12 * h * layers)) / (1 + s / (6 * h) + V / (12 * h * layers)),
        12,
      );
    },
  );

  it('selective recomputation runs the core once more, full recomputation everything', () => {
    const { hidden, heads } = gpt['175B'];
    const args = { hidden, heads, causal: false };
    const selective = cost('transformer', args, { recompute: 'selective' });
    const full = cost('transformer', args, { recompute: 'full' });
    expect(selective.recomputeFlops).toBe(selective.coreFlops);
    expect(full.recomputeFlops).toBe(full.linearFlops + full.coreFlops);
    // One more forward of the core. (Eq. 9 of arXiv:2205.05198 doubles the core's term, 2.7 % for GPT-3: that would be three.)
    expect(selective.recomputeFlops / (3 * (selective.linearFlops + selective.coreFlops))).toBeCloseTo(
      0.0277 / 1.0277 / 3,
      4,
    );
  });

  it('head in layers of Llama 3 at 8192 tokens', () => {
    const ratio = (hidden: number, heads: number, ffn: number) => {
      const layer = cost('transformer', { hidden, heads, kv_heads: 8, ffn, gated: true }, { sequence: 8192 });
      return (
        cost('lm_head', { vocab: 128256, hidden }, { sequence: 8192 }).linearFlops /
        (layer.linearFlops + layer.coreFlops)
      );
    };
    expect(ratio(4096, 32, 14336)).toBeCloseTo(2.09, 1);
    expect(ratio(8192, 64, 28672)).toBeCloseTo(1.14, 2);
    expect(ratio(16384, 128, 53248)).toBeCloseTo(0.63, 2);
  });
});

describe('time of a derived layer', () => {
  const { hidden, heads } = gpt['22B'];
  const tp = { tensor: 8, microBatch: 4 };
  const a100 = device({
    compute: 312e12,
    efficiency: 0.55,
    bandwidth: 2039e9,
    ...tensorRing(235e9, 3.4e-6),
  });

  it('one layer of the 22B model: 0.979 TFLOP a GPU, within a tenth of what Table 4 of arXiv:2205.05198 measured', () => {
    const whole = cost('transformer', { hidden, heads, causal: false }, tp);
    expect((whole.linearFlops + whole.coreFlops) / 1e12).toBeCloseTo(0.979, 3);
    const reduces = whole.collectives.map(
      (collective) => collective.forward * collectiveTime(collective, 8, { bandwidth: 235e9, latency: 0 }),
    );
    expect(reduces.reduce((sum, time) => sum + time, 0)).toBeCloseTo(1.5e-3, 5);
    const layer = timeOf(whole, setting(tp), a100);
    expect(Math.abs(layer.forward / 7.7e-3 - 1)).toBeLessThan(0.1);
    expect(Math.abs((layer.backwardInput + layer.backwardWeight) / 11.9e-3 - 1)).toBeLessThan(0.15);
    const again = timeOf(
      cost('transformer', { hidden, heads, causal: false }, { ...tp, recompute: 'full' }),
      setting({ ...tp, recompute: 'full' }),
      a100,
    );
    expect(again.recompute).toBe(again.forward);
    // Measured: 19.6 ms to 27.2 ms.
    const total = layer.forward + layer.backwardInput + layer.backwardWeight;
    expect(Math.abs((total + again.recompute) / total / (27.2 / 19.6) - 1)).toBeLessThan(0.05);
  });

  it('selective recomputation costs the 22B layer a few percent (arXiv:2205.05198, Table 4 and section 6.2: 4 to 7 %)', () => {
    const over = { ...tp, recompute: 'selective' } as const;
    const layer = timeOf(cost('transformer', { hidden, heads, causal: false }, over), setting(over), a100);
    const share = layer.recompute / (layer.forward + layer.backwardInput + layer.backwardWeight);
    expect(share).toBeGreaterThan(0.02);
    expect(share).toBeLessThan(0.07);
  });

  it('I has the core twice and no weights to differentiate, W the linear layers once', () => {
    const { linearFlops, coreFlops } = cost('transformer', { hidden, heads });
    const layer = timeOf(cost('transformer', { hidden, heads }), setting(), device());
    expect(layer.forward).toBe(linearFlops + coreFlops);
    expect(layer.backwardInput).toBe(linearFlops + 2 * coreFlops);
    expect(layer.backwardWeight).toBe(linearFlops);
    expect(layer.backwardInput + layer.backwardWeight).toBe(2 * layer.forward);
    expect(layer.splitKnown).toBe(true);
    expect(layer.weights).toBe(2 * layer.localParameters);
  });

  it('an embedding moves bytes: forward and W, not I', () => {
    const layer = timeOf(cost('embedding', { vocab: 1000, hidden: 64 }), setting(), device({ bandwidth: 1 }));
    expect(layer.forward).toBe(2 * 2 * 2048 * 64);
    expect(layer.backwardWeight).toBe(layer.forward);
    expect(layer.backwardInput).toBe(0);
  });

  it.each([true, false])('is never faster than its bytes, and scores move twice: flash = %s', (flash) => {
    const one = cost('transformer', { hidden: 64, heads: 2, flash }, { sequence: 1 });
    const layer = timeOf(one, setting({ sequence: 1 }), device({ compute: 1e30, bandwidth: 1 }));
    // 5·a·s of 2 heads and 1 token: probabilities, mask, result of dropout.
    const scores = flash ? 0 : 10;
    expect(layer.forward).toBe(one.traffic + scores);
    expect(layer.backwardInput).toBe(one.traffic + scores);
    expect(layer.backwardWeight).toBe(one.traffic - scores);
    expect(one.traffic).toBeGreaterThanOrEqual(2 * one.localParameters);
  });

  it('reduces 2 + 2 times a transformer layer, 0 + 1 times a head, 1 + 0 times an embedding; the same bytes in all with sequence parallelism', () => {
    const ring = device({ compute: 1e30, ...tensorRing(1) });
    for (const sequenceParallel of [false, true]) {
      const over = { tensor: 4, sequenceParallel };
      const one = collectiveTime({ pattern: 'all_reduce', bytes: 2 * 2048 * 128 }, 4, ring.rings.tensor);
      const times = (shape: string, args: Parameters<typeof cost>[1]) => {
        const layer = timeOf(cost(shape, args, over), setting(over), ring);
        return [layer.forward / one, (layer.backwardInput + layer.backwardWeight) / one].map((x) =>
          Number(x.toFixed(9)),
        );
      };
      expect(times('transformer', { hidden: 128, heads: 4 })).toEqual([2, 2]);
      expect(times('lm_head', { vocab: 1000, hidden: 128 })).toEqual(sequenceParallel ? [0.5, 0.5] : [0, 1]);
      expect(times('embedding', { vocab: 1000, hidden: 128 })).toEqual(sequenceParallel ? [0.5, 0.5] : [1, 0]);
    }
  });

  it('ring all-reduce: 2(n − 1)α + 2(n − 1)/n · S/B', () => {
    const reduce = { pattern: 'all_reduce', bytes: 1200 } as const;
    const ring = { bandwidth: 100, latency: 0.5 };
    expect(collectiveTime(reduce, 4, ring)).toBeCloseTo(6 * 0.5 + (2 * 3 * 1200) / 4 / 100, 12);
    expect(collectiveTime(reduce, 1, ring)).toBe(0);
  });
});

describe('measured layers', () => {
  const layer = {
    forward: 4,
    backward: 8,
    weights: 100,
    activation: 50,
    output: 7,
    workspace: 3,
    recomputeMode: 'none',
  } as const;

  it('halves a backward that is not split, and says so', () => {
    expect(measured(layer, setting(), device())).toMatchObject({
      forward: 4,
      backwardInput: 4,
      backwardWeight: 4,
      splitKnown: false,
      parameters: 50,
      activation: 50,
      output: 7,
      workspace: 3,
      recompute: 0,
    });
  });

  it('takes a split that is given whole or in part', () => {
    const of = (over: object) => measured({ ...layer, backward: undefined, ...over }, setting(), device());
    expect(of({ backwardInput: 5, backwardWeight: 2 })).toMatchObject({
      backwardInput: 5,
      backwardWeight: 2,
      splitKnown: true,
    });
    expect(of({ backward: 8, backwardInput: 5 })).toMatchObject({
      backwardInput: 5,
      backwardWeight: 3,
      splitKnown: true,
    });
    expect(of({ backward: 8, backwardWeight: 5 })).toMatchObject({
      backwardInput: 3,
      backwardWeight: 5,
      splitKnown: true,
    });
  });

  it('divides times by speed and by nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.double({ min: 0.1, max: 10, noNaN: true }), (tensor, speed) => {
        const one = measured(layer, setting({ tensor }), device({ speed, compute: 5, ...tensorRing(1, 1) }));
        expect(one.forward).toBe(4 / speed);
        expect(one.backwardInput + one.backwardWeight).toBeCloseTo(8 / speed, 12);
        expect(one.activation).toBe(50);
      }),
    );
  });

  it('frozen below all that trains: only the forward runs, and what others keep is there while it runs', () => {
    const training = { trains: 'nothing', upstream: false } as const;
    const trained = measured({ ...layer, recomputeMode: 'none' }, setting(), device({ speed: 2 }));
    for (const recomputeMode of ['none', 'selective', 'full', 'stage'] as const) {
      expect(measured({ ...layer, input: 20, recomputeMode, training }, setting(), device({ speed: 2 }))).toEqual({
        ...trained,
        trainable: 0,
        frozen: { dense: 50, experts: 0, packed: 0 },
        backwardFlops: 0,
        forwardOnly: true,
        backwardInput: 0,
        backwardWeight: 0,
        splitKnown: true,
        recompute: recomputeMode === 'stage' ? trained.forward : 0,
        activation: 0,
        activationForWeight: 0,
        recomputed: 0,
        workspace: 53,
      });
    }
    // With trained layers before it, the gradient of its input passes through it.
    const passes = measured({ ...layer, training: { ...training, upstream: true } }, setting(), device({ speed: 2 }));
    expect(passes).toMatchObject({ backwardInput: 2, backwardWeight: 0, activation: 50, workspace: 3 });
    expect(passes).not.toHaveProperty('forwardOnly');
  });

  it('full recomputation keeps the input and runs one more forward; selective changes nothing', () => {
    const full = measured({ ...layer, input: 20, recomputeMode: 'full' }, setting(), device({ speed: 2 }));
    expect(full).toMatchObject({ activation: 20, recomputed: 30, recompute: 2, activationForWeight: 50 });
    expect(measured({ ...layer, input: 80, recomputeMode: 'full' }, setting(), device()).activation).toBe(50);
    expect(measured({ ...layer, input: 20, recomputeMode: 'selective' }, setting(), device())).toEqual(
      measured(layer, setting(), device()),
    );
  });
});
