import { expect, test } from 'vitest';
import { layoutFor } from '../../../webview/view/scene/layout.ts';
import { loupeAt } from '../../../webview/view/scene/loupe.ts';
import { groupedRows } from '../../../webview/view/scene/rowMap.ts';
import { columnsFrom } from './columns.ts';

// 20 devices, each with 1000 blocks of one second.
const columns = columnsFrom(
  Array.from({ length: 20 }, () => Array.from({ length: 1000 }, () => ({ kind: 0, gap: 0, length: 1 }))),
);
const groups = [
  { name: 'a', from: 0, to: 8 },
  { name: 'b', from: 8, to: 16 },
  { name: 'c', from: 16, to: 18 },
  { name: 'd', from: 18, to: 20, alike: true },
];
const layout = { ...layoutFor(1000, 700, 4, true, true, true), map: groupedRows(groups, new Set(['b'])) };
const view = { t0: 0, t1: 1000, scroll: 0, rowHeight: 12 };
const seen = (device: number, time: number, t1 = 1000) => loupeAt(columns, { ...view, t1 }, layout, device, time);

test('a loupe shows seven blocks around the pointer, of four devices of its row', () => {
  expect(seen(3, 500)).toEqual({ from: 2, to: 6, t0: 496.5, t1: 503.5 });
  expect(seen(0, 500)).toMatchObject({ from: 0, to: 4 });
  expect(seen(7, 500)).toMatchObject({ from: 4, to: 8 });
  expect(seen(17, 500)).toMatchObject({ from: 16, to: 18 });
});

test('a loupe never leaves the iteration', () => {
  expect(seen(3, 0)).toMatchObject({ t0: 0, t1: 7 });
  expect(seen(3, 999.5)).toMatchObject({ t0: 993, t1: 1000 });
});

test('a loupe is for rows that show no blocks', () => {
  // Where blocks are wide enough, only rows of several different devices mix them.
  expect(seen(9, 5, 10)).toBeUndefined();
  expect(seen(18, 5, 10)).toBeUndefined();
  expect(seen(3, 5, 10)).toBeDefined();
  // A device with a row of its own has neighbours in other rows.
  expect(seen(9, 500)).toMatchObject({ from: 8, to: 12 });
});
