import { describe, expect, test } from 'vitest';
import type { Buckets } from '../../../engine/values/exchangeTimeline.ts';
import { bucketsByCycle, bucketsOf, closesBySize, type LaneTensor } from '../../../engine/simulate/exchange/buckets.ts';

const tensor = (bytes: number, stage = 0, call = 0): LaneTensor => ({ bytes, stage, call });
const lists = ({ offsets, members, ready }: Buckets): { readonly ready: number; readonly members: number[] }[] =>
  Array.from(ready, (at, bucket) => ({ ready: at, members: [...members.slice(offsets[bucket], offsets[bucket + 1])] }));
/** Backwards reach the last tensor first, one a second. */
const backwards = (count: number): Float64Array => Float64Array.from({ length: count }, (_, at) => count - at);
const members = (
  tensors: readonly LaneTensor[],
  ...sizes: Parameters<typeof closesBySize> extends [unknown, ...infer Rest] ? Rest : never
) => lists(bucketsOf(tensors, backwards(tensors.length), closesBySize(tensors, ...sizes)));

describe('buckets by size', () => {
  const five = [10, 20, 30, 40, 50].map((bytes) => tensor(bytes));

  test('each layer', () => {
    expect(members(five, 'layer').map((bucket) => bucket.members)).toEqual([[4], [3], [2], [1], [0]]);
  });
  test('a bucket closes with the tensor that brings it to its size', () => {
    expect(members(five, 70)).toEqual([
      { ready: 2, members: [4, 3] },
      { ready: 5, members: [2, 1, 0] },
    ]);
    expect(members(five, 90)[0].members).toEqual([4, 3]);
    expect(members(five, 91)[0].members).toEqual([4, 3, 2]);
  });
  test('the first bucket has its size', () => {
    expect(members(five, 70, 1).map((bucket) => bucket.members)).toEqual([[4], [3, 2], [1, 0]]);
  });
  test('stages that are whole are one bucket each, and stages are apart', () => {
    const two = [tensor(10), tensor(10), tensor(10, 1), tensor(10, 1)];
    expect(members(two, 'layer', undefined, [1]).map((bucket) => bucket.members)).toEqual([[3, 2], [1], [0]]);
    expect(members(two, 100).map((bucket) => bucket.members)).toEqual([
      [3, 2],
      [1, 0],
    ]);
  });
  test('each stage has a first bucket', () => {
    const two = [tensor(10), tensor(10), tensor(10), tensor(10, 1), tensor(10, 1), tensor(10, 1)];
    expect(members(two, 20, 1).map((bucket) => bucket.members)).toEqual([[5], [4, 3], [2], [1, 0]]);
  });
  test('each kind of call fills buckets of its own', () => {
    const mixed = [tensor(10), tensor(10, 0, 1), tensor(10), tensor(10, 0, 1)];
    expect(members(mixed, 20)).toEqual([
      { ready: 3, members: [3, 1] },
      { ready: 4, members: [2, 0] },
    ]);
  });
  test('a tensor without bytes is in none', () => {
    expect(members([tensor(10), tensor(0), tensor(10)], 20)).toEqual([{ ready: 3, members: [2, 0] }]);
  });
});

describe('buckets by cycle', () => {
  const five = [10, 20, 30, 40, 50].map((bytes) => tensor(bytes));
  const cycles = (cycle: number, fuse: number, origin = 0, tensors = five) =>
    lists(bucketsByCycle(tensors, backwards(tensors.length), cycle, fuse, origin));

  test('what has got ready at a multiple of the cycle is fused, what gets ready at it too', () => {
    expect(cycles(2, Infinity)).toEqual([
      { ready: 2, members: [4, 3] },
      { ready: 4, members: [2, 1] },
      { ready: 6, members: [0] },
    ]);
  });
  test('cycles begin at the origin', () => {
    expect(cycles(2, Infinity, 1).map(({ ready }) => ready)).toEqual([1, 3, 5]);
  });
  test('fuses at most so many bytes', () => {
    expect(cycles(5, 90).map((bucket) => bucket.members)).toEqual([
      [4, 3],
      [2, 1, 0],
    ]);
    expect(cycles(5, 89).map((bucket) => bucket.members)).toEqual([[4], [3, 2], [1, 0]]);
  });
  test('calls are apart', () => {
    const mixed = [tensor(10), tensor(10, 0, 1), tensor(10)];
    expect(cycles(3, Infinity, 0, mixed).map((bucket) => bucket.members)).toEqual([[2], [1], [0]]);
  });
});
