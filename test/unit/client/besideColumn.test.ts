import { expect, test } from 'vitest';
import { besideColumn } from '../../../client/preview/besideColumn.ts';

test('a preview opens beside the editor, and never over another preview that is in sight', () => {
  expect(besideColumn(1, [])).toBe(2);
  expect(besideColumn(1, [2])).toBe(3);
  expect(besideColumn(2, [2, 3])).toBe(4);
  // Previews elsewhere are not in the way.
  expect(besideColumn(1, [3])).toBe(2);
  // There are nine columns.
  expect(besideColumn(8, [9])).toBe(9);
  expect(besideColumn(9, [])).toBe(9);
});
