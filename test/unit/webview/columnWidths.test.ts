import { expect, test } from 'vitest';
import { columnWidths, gridColumns } from '../../../webview/view/panels/columnWidths.ts';

test('columns of a table are as wide as their longest text, or as their heading', () => {
  const rows = [
    ['node[0].gpu[0]', '1'],
    ['node[0].gpu[1]', '12'],
  ];
  expect(columnWidths(['Device', 'Microbatch'], 2, (row) => rows[row])).toEqual([14, 10]);
  expect(columnWidths(['Device'], 0, () => [])).toEqual([6]);
  expect(columnWidths(['A'], 1, () => ['x'.repeat(100)])).toEqual([40]);
  expect(gridColumns([14, 10])).toBe('minmax(calc(14ch + 16px), 14fr) minmax(calc(10ch + 16px), 10fr)');
});

test('a table of a million rows is sampled from its first row to its last hundredth', () => {
  const seen: number[] = [];
  columnWidths(['A'], 1_000_000, (row) => {
    seen.push(row);
    return [''];
  });
  expect(seen.length).toBe(200);
  expect([seen[0], seen[199] >= 990_000]).toEqual([0, true]);
});
