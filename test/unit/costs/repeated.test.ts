import { describe, expect, test } from 'vitest';
import { withShards } from '../../../engine/costs/shardTraffic.ts';
import { findShape } from '../../../engine/costs/shapes.ts';
import { measured, timeOf } from '../../../engine/costs/time.ts';
import type { DeviceSpeed, LayerSetting } from '../../../engine/costs/types.ts';
import * as fc from '../../support/property.ts';
import { anyShape } from './arbitrary.ts';
import { cost, device, setting, tensorRing } from './settings.ts';

/** Devices with one roofline or with figures by size, whose kernels overlap with memory traffic or not. */
const anyDevice: fc.Arbitrary<DeviceSpeed> = fc
  .record({
    compute: fc.constantFrom(1e11, 1e13, 312e12),
    efficiency: fc.constantFrom(0.3, 1),
    bandwidth: fc.constantFrom(0, 1e9, 2e12),
    memoryOverlap: fc.constantFrom(0, 0.5, 1),
    launch: fc.constantFrom(0, 4e-6),
    ring: fc.constantFrom(1e9, 1e12),
    bySize: fc.boolean(),
  })
  .map(({ ring, bySize, ...figures }) =>
    device({
      ...figures,
      ...tensorRing(ring, 1e-6),
      ...(bySize
        ? {
            efficiencyBySize: [
              { least: 0, share: 0.1 },
              { least: 1e9, share: 0.6 },
            ],
          }
        : {}),
    }),
  );

const anySetting: fc.Arbitrary<LayerSetting> = fc
  .record({
    sequence: fc.constantFrom(1, 512, 4096),
    microBatch: fc.constantFrom(1, 3),
    tensor: fc.constantFrom(1, 2, 4),
    sequenceParallel: fc.boolean(),
    context: fc.constantFrom(1, 2),
  })
  .map((over) => setting(over));

/** Transformers that store their scores, so that there is something to recompute selectively. */
const storing = fc
  .record({
    heads: fc.constantFrom(4, 16),
    headDim: fc.constantFrom(8, 64, 128),
    dropout: fc.boolean(),
    causal: fc.boolean(),
    shape: fc.constantFrom('transformer', 'mtp'),
  })
  .map(({ heads, headDim, shape, ...args }) => ({
    shape,
    args: { ...args, heads, hidden: heads * headDim, ...(shape === 'mtp' ? { vocab: 1000 } : {}) },
  }));

const modes = ['selective', 'full', 'stage'] as const;

describe('recomputation', () => {
  test('repeats part of a forward, so it never takes longer than one', () => {
    const repeating = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.oneof(anyShape, storing),
        anySetting,
        fc.constantFrom(...modes),
        anyDevice,
        ({ shape, args }, at, recompute, speed) => {
          if (findShape(shape)?.check?.(args, at) !== undefined) return;
          const again = timeOf(cost(shape, args, { ...at, recompute }), { ...at, recompute }, speed);
          expect(again.recompute).toBeLessThanOrEqual(again.forward * (1 + 1e-12));
          if (again.recompute > 0) repeating.set(recompute, (repeating.get(recompute) ?? 0) + 1);
        },
      ),
      { numRuns: 2000 },
    );
    for (const recompute of modes) expect(repeating.get(recompute)).toBeGreaterThan(100);
  });

  test('of the scores of a small transformer on an A100: bytes of its core, which a forward moves too', () => {
    const a100 = device({ compute: 312e12, efficiency: 0.55, bandwidth: 2.039e12 });
    const args = { hidden: 1024, heads: 16 };
    const at = setting({ microBatch: 4, recompute: 'selective' });
    const { forward, recompute, backwardWeight } = timeOf(cost('transformer', args, at), at, a100);
    // 5·a·s² bytes of scores per sample are written once and read once; the layer keeps 34·s·h bytes, and 12·h² + 13·h weights.
    const [s, h, a, b] = [2048, 1024, 16, 4];
    const scores = 5 * a * s * s * b;
    const others = 34 * s * h * b + 2 * (12 * h * h + 13 * h);
    expect(recompute).toBeCloseTo((2 * scores) / 2.039e12, 12);
    expect(forward).toBeCloseTo((2 * scores + others) / 2.039e12, 12);
    // Products with weights touch no scores: their FLOPs take longer than their bytes.
    expect(backwardWeight).toBeCloseTo((24 * s * h * h * b) / (312e12 * 0.55), 12);
  });
});

describe('sharding', () => {
  const bytes = fc.integer({ min: 0, max: 2 ** 30 });
  const milliseconds = fc.integer({ min: 1, max: 100 }).map((value) => value / 1e3);
  const ranks = fc.record({
    ranks: fc.constantFrom(1, 2, 8),
    ring: fc.record({ bandwidth: fc.constantFrom(1e9, 1e11), latency: fc.constantFrom(0, 1e-5) }),
  });

  test('never makes a pass of a measured layer shorter: computing stays, and traffic can only add to it', () => {
    fc.assert(
      fc.property(
        fc.record({ forward: milliseconds, backward: milliseconds, weights: bytes }),
        fc.record({ weights: fc.boolean(), gradients: fc.boolean(), dense: ranks }),
        (layer, rule) => {
          const alone = measured({ ...layer, recomputeMode: 'none' }, setting(), device());
          const sharded = withShards(alone, { ...rule, experts: rule.dense, weightBytes: 2, gradientBytes: 4 });
          for (const pass of ['forward', 'backwardInput', 'backwardWeight', 'recompute'] as const)
            expect(sharded[pass]).toBeGreaterThanOrEqual(alone[pass]);
          expect(sharded.forwardFlops).toBe(alone.forwardFlops);
        },
      ),
    );
  });
});
