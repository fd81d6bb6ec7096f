import { describe, expect, test } from 'vitest';
import { timeOf } from '../../../../engine/costs/time.ts';
import type { AttentionSpeed, DeviceSpeed } from '../../../../engine/costs/types.ts';
import { cost, device, setting } from '../settings.ts';

/** Two heads of 128 and 512 tokens: a causal token meets 256 keys on average. */
const args = { hidden: 256, heads: 2, ffn: 1024, causal: true, flash: true, dropout: false };
const at = setting({ sequence: 512, microBatch: 1, precision: 'bf16' });
/** 4·s/2·a·d FLOPs of a token; 512 tokens. */
const core = 512 * 4 * 256 * 256;
/** 12·h² weights, twice; 512 tokens. */
const linear = 512 * 24 * 256 ** 2;

const shares: AttentionSpeed = {
  compute: 1e12,
  forward: [
    { least: 0, share: 0.1 },
    { least: 256, share: 0.4 },
  ],
  backward: [
    { least: 0, share: 0.05 },
    { least: 256, share: 0.25 },
  ],
};
const fast: DeviceSpeed = device({
  compute: 1e12,
  efficiency: 0.5,
  bandwidth: 0,
  attention: shares,
});
const times = (over: object = {}, on: DeviceSpeed = fast, where = at) => {
  const { forward, backwardInput, backwardWeight } = timeOf(
    cost('transformer', { ...args, ...over }, where),
    where,
    on,
  );
  return [forward, backwardInput, backwardWeight];
};
const close = (found: readonly number[], wanted: readonly number[]) =>
  wanted.forEach((seconds, pass) => expect(found[pass] / seconds).toBeCloseTo(1, 9));

describe('a fused core takes its FLOPs at its own share, and 2.5 times the FLOPs in the backward (arXiv:2307.08691, 4.1)', () => {
  const products = linear / 0.5e12;
  test('from 256 keys on', () =>
    close(times(), [products + core / 0.4e12, products + (2.5 * core) / 0.25e12, products]));

  test('with fewer keys: a window, a shorter sequence, a block of a ring', () => {
    const shorter = setting({ sequence: 511, microBatch: 1, precision: 'bf16' });
    const less = 511 / 512;
    close(times({}, fast, shorter), [
      less * products + (less ** 2 * core) / 0.1e12,
      less * products + (2.5 * less ** 2 * core) / 0.05e12,
    ]);
    // A window of 256 of 512 tokens: 256 − 256² / 1024 = 192 keys.
    close(times({ window: 256 }), [products + (0.75 * core) / 0.1e12]);
    // Two context ranks have half the tokens each, which meet 256 keys in two blocks of 128.
    close(times({}, { ...fast, overlap: { ...fast.overlap, context: 1 } }, { ...at, context: 2 }), [
      products / 2 + core / 2 / 0.1e12,
      products / 2 + (2.5 * core) / 2 / 0.05e12,
    ]);
  });

  test('all keys where every token meets them', () =>
    close(times({ causal: false }), [products + (2 * core) / 0.4e12, products + (5 * core) / 0.25e12]));

  test('at the 16-bit peak, whatever the peak of products', () =>
    close(times({}, { ...fast, compute: 2e12 }), [products / 2 + core / 0.4e12]));

  test('heads of 64 reach (1 + 32/128) / (1 + 32/64) of the share, wider heads no more than heads of 128', () => {
    close(times({ heads: 4 }), [products + core / (0.4e12 * (1.25 / 1.5))]);
    close(times({ heads: 1 }), [products + core / 0.4e12]);
  });

  test('recomputation runs the forward again', () => {
    const full = { ...at, recompute: 'full' } as const;
    const again = timeOf(cost('transformer', args, full), full, fast).recompute;
    expect(again / (products + core / 0.4e12)).toBeCloseTo(1, 9);
  });
});

test('kernel by kernel too, with the bytes of the core as a floor', () => {
  const sized = { ...fast, efficiencyBySize: [{ least: 0, share: 0.5 }] };
  close(times({}, sized), [linear / 0.5e12 + core / 0.4e12, linear / 0.5e12 + (2.5 * core) / 0.25e12]);
  // All of it only moves bytes. Queries, keys, values and the result have 2 bytes, sums 4 for each token and head.
  const { attention, ...plain } = { ...sized, compute: 0, bandwidth: 1e9 };
  const moved = 512 * (2 * 4 * 256 + 4 * 2);
  const [forward, backward] = times({}, { ...plain, attention: { ...shares, ...attention, compute: 0 } });
  const [alike, alikeBackward] = times({}, plain);
  expect([forward, backward]).toEqual([alike, alikeBackward]);
  const rest = cost('transformer', args, at)
    .kernels()
    .filter(({ part }) => part !== 'core');
  const bytes = rest.reduce((sum, kernel) => sum + kernel.count * kernel.bytes, moved);
  expect(forward * 1e9).toBeCloseTo(bytes, 3);
});

test('a core that stores its scores, or a device without the key, is computed like any product', () => {
  const plain = (linear + core) / 0.5e12;
  close(times({ flash: false }), [plain, (linear + 2 * core) / 0.5e12]);
  const { attention: _, ...without } = fast;
  close(times({}, without), [plain, (linear + 2 * core) / 0.5e12]);
});
