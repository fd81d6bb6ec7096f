import { describe, expect, test } from 'vitest';
import { importTorch } from '../../../engine/formats/torchCsv/import.ts';
import { golden } from './torch.ts';

const remarksOf = (text: string): readonly string[] => {
  const imported = importTorch(text);
  if ('faults' in imported) throw new Error(JSON.stringify(imported.faults[0]));
  return imported.remarks;
};

describe('idle cells that the import loses', () => {
  // Rank 0 could run 0B0 in its fourth cell at the earliest: 1B0 stands in the third of rank 1.
  test.each([
    ['0F0,,,0B0\n,1F0,1B0\n', undefined, 'waits alone'],
    ['0F0,,,0B0,,,\n,1F0,1B0,,,,\n', undefined, 'empty cells behind the last operation'],
    [
      '0F0,,,,0B0\n,1F0,1B0\n',
      '1 idle cell does not follow from the order if each operation takes one cell (the first: rank 0, column 4).',
      'a cell more before a backward',
    ],
    [
      '0F0,,,,0B0\n,1F0,,1B0\n',
      '1 idle cell does not follow from the order if each operation takes one cell (the first: rank 1, column 3).',
      'what waits for a late operation is not late itself',
    ],
    [
      ',,0F0,,,0B0\n,,,1F0,1B0\n',
      '2 idle cells do not follow from the order if each operation takes one cell (the first: rank 0, column 1).',
      'a late start',
    ],
    [
      '0F0,,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n',
      '1 idle cell does not follow from the order if each operation takes one cell (the first: rank 0, column 2).',
      'a pause among forwards',
    ],
  ])('%j: %s (%s)', (text, remark, why) => {
    expect(remarksOf(text), why).toEqual(
      remark === undefined
        ? []
        : [`${remark} The .pipe file leaves them out, as PyTorch does: it holds the order only.`],
    );
  });

  test('PyTorch’s own tables: ZB-V has waits alone; the interleaved one gives a backward two cells', () => {
    expect(remarksOf(golden('ZBVZeroBubble_p4_m8_v2_compute'))).toEqual([]);
    expect(remarksOf(golden('GPipe_p4_m8_v1_compute'))).toEqual([]);
    expect(remarksOf(golden('Interleaved1F1B_p4_m8_v2_comms'))).toEqual([]);
    expect(remarksOf(golden('Interleaved1F1B_p4_m8_v2_compute')).join('')).toContain('idle cells do not follow');
  });
});
