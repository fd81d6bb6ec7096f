import { describe, expect, test } from 'vitest';
import { rowCount, settingsOf } from '../../../engine/sweep/axes.ts';
import { fingerprintOf, rowName, rowsNamed } from '../../../engine/sweep/rowName.ts';

const axes = [
  { key: 'tensor', values: ['1', '2', '4', '8'] },
  { key: 'pipeline', values: ['1', '2', '4', '8', '16'] },
  { key: 'micro_batch', values: ['1', '2', '4'] },
  { key: 'schedule', values: ['1f1b', 'gpipe', 'interleaved_1f1b', 'zb_h1'] },
  { key: 'recompute', values: ['none', 'selective', 'full'] },
  { key: 'optimizer', values: ['megatron_bf16', 'megatron_bf16(shard = distributed)'] },
];

describe('the fingerprint of a row', () => {
  test('is of its settings, whatever the order of the keys', () => {
    expect(fingerprintOf({ tensor: '8', pipeline: '4' })).toBe(fingerprintOf({ pipeline: '4', tensor: '8' }));
    expect(fingerprintOf({ tensor: '8', pipeline: '4' })).not.toBe(fingerprintOf({ tensor: '4', pipeline: '8' }));
    expect(fingerprintOf({ tensor: '1', data: '12' })).not.toBe(fingerprintOf({ tensor: '11', data: '2' }));
  });

  test('stays as it is printed: outputs of earlier versions have it', () => {
    // Computed apart, from the definition of FNV-1a and the last steps of MurmurHash3.
    expect(fingerprintOf({ tensor: '8', pipeline: '4' })).toBe('e2e950');
    expect(fingerprintOf({})).toBe('ab3e7c');
    expect(rowName([{ key: 'tensor', values: ['1', '8'] }], 1)).toBe('1:fb228f');
  });

  test('tells the rows of a space apart, of which each has one number', () => {
    const rows = rowCount(axes);
    const all = new Set(Array.from({ length: rows }, (_, row) => fingerprintOf(settingsOf(axes, row))));
    expect(all.size).toBe(rows);
    for (const row of [0, 17, rows - 1])
      expect(rowsNamed(axes, fingerprintOf(settingsOf(axes, row)), 3)).toEqual([row]);
    expect(rowsNamed([{ key: 'tensor', values: ['2', '2', '2', '2'] }], fingerprintOf({ tensor: '2' }), 3)).toEqual([
      0, 1, 2,
    ]);
  });
});
