import { describe, expect, it, test } from 'vitest';
import { kernelWork, product } from '../../../engine/costs/kernels.ts';
import { findShape } from '../../../engine/costs/shapes.ts';
import { bestTile, extraBytes, leastCache } from '../../../engine/costs/tiles.ts';
import { timeOf } from '../../../engine/costs/time.ts';
import type { DeviceSpeed, LayerSetting } from '../../../engine/costs/types.ts';
import * as fc from '../../support/property.ts';

const KiB = 1024;

describe('the best tile', () => {
  it('of 4096³ products of 16 bits in 164 KiB is 128 × 256', () => {
    const found = bestTile({ rows: 4096, inner: 4096, columns: 4096, element: 2 }, 164 * KiB);
    expect(found).toEqual({ rows: 128, columns: 256, bytes: 1_644_167_168 });
  });

  it('turns with the product', () => {
    const wide = bestTile({ rows: 128, inner: 512, columns: 8192, element: 2 }, 164 * KiB);
    const high = bestTile({ rows: 8192, inner: 512, columns: 128, element: 2 }, 164 * KiB);
    expect([high.rows, high.columns, high.bytes]).toEqual([wide.columns, wide.rows, wide.bytes]);
  });

  it('is the best of all that fit', () => {
    const size = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(
        size,
        size,
        size,
        fc.constantFrom(1, 2, 4),
        fc.integer({ min: leastCache, max: 4096 * KiB }),
        (m, k, n, b, cache) => {
          const found = bestTile({ rows: m, inner: k, columns: n, element: b }, cache);
          expect((found.rows + found.columns) * 32 * b + 4 * found.rows * found.columns).toBeLessThanOrEqual(cache);
          let least = Infinity;
          for (const tm of [16, 32, 64, 128, 256, 512])
            for (const tn of [16, 32, 64, 128, 256, 512])
              if ((tm + tn) * 32 * b + 4 * tm * tn <= cache)
                least = Math.min(least, Math.ceil(m / tm) * Math.ceil(n / tn) * (tm + tn) * k * b + m * n * b);
          expect(found.bytes).toBe(least);
          // No tile moves less than each element once.
          expect(found.bytes).toBeGreaterThanOrEqual((m * k + k * n + m * n) * b);
        },
      ),
    );
  });

  it('needs room for 16 × 16 sums of 4 bytes, and 32 elements of each row and column', () => {
    expect(leastCache).toBe(32 * 32 * 4 + 4 * 256);
  });
});

const noRing = { bandwidth: 0, latency: 0 };
const device: DeviceSpeed = {
  compute: 1e18,
  efficiency: 1,
  bandwidth: 1e12,
  speed: 1,
  rings: { tensor: noRing, context: noRing, expert: noRing },
  overlap: { tensor: 0, context: 0, expert: 0 },
};
const setting: LayerSetting = {
  sequence: 2048,
  microBatch: 1,
  precision: 'bf16',
  tensor: 1,
  sequenceParallel: false,
  context: 1,
  expert: 1,
  expertTensor: 1,
  recompute: 'none',
};
const cache = 164 * KiB;
const costOf = (shape: string, args: Readonly<Record<string, number | boolean>>, more: Partial<DeviceSpeed>) => {
  const found = findShape(shape);
  if (found === undefined) throw new Error(shape);
  return timeOf(found.cost(args, setting), setting, { ...device, ...more });
};

describe.each([
  ['as one', {}],
  ['kernel by kernel', { efficiencyBySize: [{ least: 0, share: 1 }] }],
] as const)('layers %s', (_, by) => {
  const bytes = (rows: number, inner: number, columns: number) =>
    bestTile({ rows, inner, columns, element: 2 }, cache).bytes;

  test('a product without weights reads tiles in all three products', () => {
    const args = { rows: 4096, inner: 256, columns: 1024, batch: 3 };
    const { forward, backwardInput, backwardWeight } = costOf('matmul', args, { ...by, cache });
    expect(forward * 1e12).toBeCloseTo(3 * bytes(4096, 256, 1024), 3);
    expect(backwardInput * 1e12).toBeCloseTo(3 * (bytes(4096, 1024, 256) + bytes(256, 4096, 1024)), 3);
    expect(backwardWeight).toBe(0);
  });

  test('a linear layer reads tiles in F, I and W', () => {
    const args = { inputs: 4096, outputs: 1024, bias: false };
    const { forward, backwardInput, backwardWeight } = costOf('linear', args, { ...by, cache });
    expect(forward * 1e12).toBeCloseTo(bytes(2048, 4096, 1024), 3);
    expect(backwardInput * 1e12).toBeCloseTo(bytes(2048, 1024, 4096), 3);
    expect(backwardWeight * 1e12).toBeCloseTo(bytes(4096, 2048, 1024), 3);
  });

  test('all products of a transformer layer take longer, and other work as long as without a cache', () => {
    const args = { hidden: 1024, heads: 8, flash: true };
    const without = costOf('transformer', args, by);
    const tiled = costOf('transformer', args, { ...by, cache });
    const sizes = [
      [1024, 3072],
      [1024, 1024],
      [1024, 4096],
      [4096, 1024],
    ] as const;
    const more = sizes.reduce(
      (sum, [inner, columns]) => sum + extraBytes(product([2048, inner, columns], 2), 'forward', cache),
      0,
    );
    expect(more).toBeGreaterThan(0);
    expect((tiled.forward - without.forward) * 1e12).toBeCloseTo(more, 1);
    expect(tiled.backwardWeight).toBeGreaterThan(without.backwardWeight);
    expect(tiled.activation).toBe(without.activation);
  });

  test('an embedding has no product', () => {
    const args = { vocab: 32000, hidden: 1024 };
    expect(costOf('embedding', args, { ...by, cache })).toEqual(costOf('embedding', args, by));
  });

  test('tiles of all rows and columns move each element once', () => {
    const args = { rows: 512, inner: 512, columns: 512 };
    const whole = costOf('matmul', args, { ...by, cache: 4096 * KiB });
    expect(whole).toEqual(costOf('matmul', args, by));
  });
});

test('full recomputation makes products again by tiles, and leaves kernels that are kept', () => {
  const again = product([4096, 64, 4096], 2);
  const kept = { ...product([4096, 4096, 4096], 2), kept: true } as const;
  const { forward, full } = kernelWork([again, kept], { ...device, cache }, false);
  const bytes = bestTile({ rows: 4096, inner: 64, columns: 4096, element: 2 }, cache).bytes;
  expect(full * 1e12).toBeCloseTo(bytes, 3);
  expect(forward * 1e12).toBeCloseTo(bytes + 1_644_167_168, 3);
});

test('a layer as one makes only those products again that full recomputation runs', () => {
  // The projection of a multi-token prediction module and its head are kept.
  const found = findShape('mtp');
  const full: LayerSetting = { ...setting, recompute: 'full' };
  const cost = found?.cost({ hidden: 1024, heads: 8, vocab: 32000, flash: true }, full);
  if (cost === undefined) throw new Error('mtp');
  const again = cost.kernels().filter(({ kept, factors }) => kept !== true && factors !== undefined);
  const extra = again.reduce((sum, kernel) => sum + kernel.count * extraBytes(kernel, 'forward', cache), 0);
  const more = timeOf(cost, full, { ...device, cache }).recompute - timeOf(cost, full, device).recompute;
  expect(again.length).toBeGreaterThan(0);
  expect(again.length).toBeLessThan(cost.kernels().filter(({ factors }) => factors !== undefined).length);
  expect(more * 1e12).toBeCloseTo(extra, 1);
});
