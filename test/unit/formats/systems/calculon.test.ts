import * as fc from '../../../support/property.ts';
import { describe, expect, it, test } from 'vitest';
import { isCalculon, readCalculon } from '../../../../engine/formats/calculon/read.ts';
import type { SizedShares } from '../../../../engine/costs/types.ts';
import { checkDamaged } from './damage.ts';
import { a100 } from './files.ts';

const read = (system: object) => {
  const found = readCalculon(JSON.stringify(system));
  if ('faults' in found) throw new Error(found.faults.map((fault) => fault.message).join('\n'));
  return found;
};
const faultsOf = (text: string) => {
  const found = readCalculon(text);
  return 'faults' in found ? found.faults.map(({ start, end, message }) => [text.slice(start, end), message]) : [];
};

test('a system as Calculon has it', () => {
  const { device, networks, remarks, networkRemarks } = read(a100);
  expect(device).toEqual({
    ...{ memory: 80 * 2 ** 30, reserved: 0, launch: 0, memoryOverlap: 0, bandwidth: 2048e9 },
    compute: { fp16: 312e12, bf16: 312e12 },
    efficiency: [
      { least: 0, share: 0.1 },
      { least: 1e9, share: 0.6 },
      { least: 16e9, share: 0.9 },
      { least: 128e9, share: 0.95 },
    ],
    efficiencyAt: {},
    memoryEfficiency: [
      { least: 0, share: 0.3 },
      { least: 1e6, share: 0.6 },
      { least: 1e7, share: 0.75 },
      { least: 1e8, share: 0.9 },
    ],
  });
  expect(networks).toEqual([
    { joins: 8, bandwidth: 195e9, latency: 1e-5 },
    { joins: { most: 8192 }, bandwidth: 22.5e9, latency: 2e-5 },
  ]);
  expect(remarks.join(' ')).toMatch(/vector.*mem2/);
  expect(device.memoryOverlap).toBe(0);
  // The outer network reduces in itself, which a ring does not.
  expect(networkRemarks.join(' ')).toMatch(/processor_usage.*rings/);
  expect(read({ ...a100, processing_mode: 'roofline' }).device.memoryOverlap).toBeUndefined();
});

test('one rate with a table for each number format, and the older form of operations', () => {
  const [inner, outer] = a100.networks;
  const old = {
    ...a100,
    matrix: { tflops: 312, gflops_efficiency: { float16: a100.matrix.float16.gflops_efficiency } },
    networks: [
      {
        ...inner,
        ops: { p2p: 1, reduce_scatter: 1.5, all_gather: 1.5, all_reduce: 2 },
        collective_minus1_scalar: true,
      },
      { ...outer, ops: { p2p: 1, reduce_scatter: 1, all_gather: 1, all_reduce: 2 }, collective_minus1_scalar: true },
    ],
  };
  expect(read(old).device).toEqual(read(a100).device);
  expect(read(old).networks).toEqual(read(a100).networks);
  expect(read(old).networkRemarks.join()).not.toContain('rings');
});

test('number formats with tables of their own', () => {
  const { float16 } = a100.matrix;
  const both = {
    float16,
    float8: { tflops: 624, gflops_efficiency: [[0, 0.4]] },
    float32: { ...float16, tflops: 19.5 },
  };
  const { compute, efficiency, efficiencyAt } = read({ ...a100, matrix: both }).device;
  expect(compute).toEqual({ fp16: 312e12, bf16: 312e12, fp8: 624e12, fp32: 19.5e12 });
  expect(efficiency).toBeUndefined();
  expect(efficiencyAt.fp8).toEqual([{ least: 0, share: 0.4 }]);
  expect(efficiencyAt.bf16).toEqual(efficiencyAt.fp32);
  const apart = { ...both, bfloat16: { ...float16, tflops: 100 } };
  expect(read({ ...a100, matrix: apart }).device.compute).toMatchObject({ fp16: 312e12, bf16: 100e12 });
});

test('a transfer of two devices moves what `p2p` says', () => {
  const [inner, outer] = a100.networks;
  const slow = { ...inner, ops: { ...inner.ops, p2p: [2, null] } };
  expect(read({ ...a100, networks: [slow, outer] }).networks[0].bandwidth).toBe(97.5e9);
});

test('tables are looked up as Calculon looks them up: the first entry that is not above the size', () => {
  const theirs = (table: readonly (readonly number[])[], size: number) => table.find(([from]) => size >= from)?.[1];
  const ours = (table: SizedShares, size: number) => table.findLast(({ least }) => size >= least)?.share;
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 7, maxLength: 7 }),
      fc.nat(1100),
      (sizes, shares, size) => {
        const table = [...sizes.toSorted((a, b) => b - a), 0].map((from, index) => [from, shares[index] / 100]);
        const { device } = read({ ...a100, mem1: { ...a100.mem1, MB_efficiency: table } });
        expect(ours(device.memoryEfficiency ?? [], size * 1e6)).toBe(theirs(table, size));
      },
    ),
  );
});

describe('damaged systems', () => {
  const change = (edit: (system: Record<string, Record<string, unknown>>) => void) => {
    const system = structuredClone(a100) as unknown as Record<string, Record<string, unknown>>;
    edit(system);
    return JSON.stringify(system);
  };
  const network = (more: object) => JSON.stringify({ ...a100, networks: [{ ...a100.networks[0], ...more }] });
  it.each([
    ['{"matrix": {}, "mem1": 3}', '{', 'This needs a number format, such as "float16".'],
    ['{"matrix": 3, "mem1": 3}', '3', '"matrix" must be an object, found a number.'],
    [change((one) => (one['mem1'] = { ...one['mem1'], GiB: 0 })), '0', '"mem1.GiB" must be a number over 0.'],
    [change((one) => (one['matrix'] = { int4: {} })), '{}', 'This is not a known number format. Known formats: float8'],
    [
      change((one) => (one['mem1'] = { ...one['mem1'], MB_efficiency: [[10, 0.5]] })),
      '[10,0.5]',
      '"MB_efficiency" needs a last entry for the size 0',
    ],
    [
      change(
        (one) =>
          (one['mem1'] = {
            ...one['mem1'],
            MB_efficiency: [
              [10, 0.5],
              [10, 0.5],
              [0, 1],
            ],
          }),
      ),
      '10',
      'Sizes of "MB_efficiency" must fall',
    ],
    [
      change((one) => (one['mem1'] = { ...one['mem1'], MB_efficiency: [[0, 1.5]] })),
      '1.5',
      'must be from 0.000001 to 1',
    ],
    [change((one) => (one['mem1'] = { ...one['mem1'], MB_efficiency: [[0]] })), '[0]', 'a pair of numbers'],
    [change((one) => delete one['mem1']['MB_efficiency']), '{', '"MB_efficiency" is missing.'],
    [change((one) => delete one['networks']), '{', '"networks" needs at least one network.'],
    [network({ efficiency: 2 }), '2', '"networks[0].efficiency" must be at most 1.'],
    [network({ size: 1 }), '1', '"networks[0].size" must be over 1.'],
    [network({ ops: {} }), '{', '"p2p" must be a factor over 0; it is missing.'],
    [network({ latency: '1us' }), '"1us"', '"networks[0].latency" must be a number of at least 0, found a text.'],
    [JSON.stringify(a100).slice(0, -1), '{', 'is not closed'],
    ['[]', '[]', 'A system is an object, found a list.'],
  ])('%#', (text, place, message) => {
    const faults = faultsOf(text);
    expect(
      faults.some(([at, told]) => at === place && told.includes(message)),
      JSON.stringify(faults),
    ).toBe(true);
  });
});

test('any damage gives faults with places, or a system with figures', () => {
  const text = JSON.stringify(a100, undefined, 2);
  expect(isCalculon(text)).toBe(true);
  checkDamaged(text, readCalculon, ['', '0', '-', '"', '{', ']', ',', 'e', '\0'], 2000);
});
