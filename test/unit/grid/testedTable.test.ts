import { expect, test } from 'vitest';
import { testedTable } from '../../../engine/grid/testedTable.ts';

const axes = [
  { name: 'devices', values: [1, 2] },
  { name: 'microbatches', values: [4, 8] },
  { name: 'warm', values: [1, 2] },
  { name: 'group', values: [3] },
];

test('a cell has the verdict of its shape with the parameters asked for, otherwise the most severe one', () => {
  // By devices, microbatches, warm, group: the last changes fastest.
  const table = testedTable({ axes, verdicts: 'pprfrrp' });
  expect(table?.counts).toEqual({ passed: 3, failed: 1, refused: 3 });
  const row = (index: number, args: Record<string, number>) =>
    [0, 1].map((column) => table?.verdict(index, column, args));
  expect(row(0, {})).toEqual(['passed', 'failed']);
  expect(row(0, { warm: 1 })).toEqual(['passed', 'refused']);
  expect(row(0, { warm: 2 })).toEqual(['passed', 'failed']);
  // A value that is not tested leaves all shapes in.
  expect(row(0, { warm: 9 })).toEqual(['passed', 'failed']);
  // The last shape is still to come.
  expect(row(1, {})).toEqual(['refused', 'passed']);
  expect(row(1, { warm: 2 })).toEqual(['refused', 'untested']);
});

test('there is no table without a test', () => {
  expect(testedTable({ axes: [], verdicts: '' })).toBeUndefined();
});
