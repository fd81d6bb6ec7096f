import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../../webview/input/pick.ts';
import { layoutFor } from '../../../webview/view/scene/layout.ts';
import {
  type RowMap,
  deviceAt,
  endDevice,
  firstDevice,
  groupAtRow,
  groupOf,
  groupedRows,
  isOpen,
  isShared,
  rowForEach,
  rowOf,
} from '../../../webview/view/scene/rowMap.ts';

/** Groups of the given sizes, some of them open. */
const cases = fc.array(fc.record({ size: fc.integer({ min: 1, max: 9 }), open: fc.boolean() }), {
  minLength: 1,
  maxLength: 30,
});

function mapOf(parts: readonly { readonly size: number; readonly open: boolean }[]) {
  let from = 0;
  const groups = parts.map(({ size }, index) => {
    const group = { name: `node[${index}]`, from, to: from + size, alike: index % 3 === 0 };
    from += size;
    return group;
  });
  const opened = new Set(groups.filter((_, index) => parts[index].open).map(({ name }) => name));
  return { groups, opened, devices: from, map: groupedRows(groups, opened) };
}

const rowsIn = (map: RowMap): number[] => Array.from({ length: map.rows }, (_, row) => row);

describe('rows of devices', () => {
  it('has every device in exactly one row, in order', () => {
    fc.assert(
      fc.property(cases, (parts) => {
        const { map, devices } = mapOf(parts);
        const seen = rowsIn(map).flatMap((row) =>
          Array.from({ length: endDevice(map, row) - firstDevice(map, row) }, (_, at) => firstDevice(map, row) + at),
        );
        expect(seen).toEqual(Array.from({ length: devices }, (_, device) => device));
        for (const row of rowsIn(map))
          for (let device = firstDevice(map, row); device < endDevice(map, row); device += 1)
            expect(rowOf(map, device)).toBe(row);
      }),
    );
  });

  it('has a row for each closed group and for each device of an open one', () => {
    fc.assert(
      fc.property(cases, (parts) => {
        const { map, groups, opened } = mapOf(parts);
        expect(map.rows).toBe(parts.reduce((sum, { size, open }) => sum + (open ? size : 1), 0));
        for (const group of groups) {
          const open = opened.has(group.name);
          expect(isOpen(map, group)).toBe(open);
          expect(groupAtRow(map, rowOf(map, group.from))).toEqual(group.to - group.from > 1 ? group : undefined);
          for (let device = group.from; device < group.to; device += 1) {
            expect(groupOf(map, device)).toEqual(group.to - group.from > 1 ? group : undefined);
            expect(isShared(map, rowOf(map, device))).toBe(!open && group.to - group.from > 1);
            if (open && device > group.from) expect(groupAtRow(map, rowOf(map, device))).toBeUndefined();
            expect(map.grouped?.folded[rowOf(map, device)]).toBe(group.alike && !open ? 1 : 0);
          }
        }
      }),
    );
  });

  it('divides a shared row equally between its devices', () => {
    fc.assert(
      fc.property(cases, (parts) => {
        const { map } = mapOf(parts);
        for (const row of rowsIn(map)) {
          const [first, end] = [firstDevice(map, row), endDevice(map, row)];
          for (let device = first; device < end; device += 1)
            expect(deviceAt(map, row, (device - first + 0.5) / (end - first))).toBe(device);
          expect(deviceAt(map, row, 0)).toBe(first);
          expect(deviceAt(map, row, 1)).toBe(end - 1);
        }
      }),
    );
  });

  it('is the device itself where none are grouped', () => {
    const map = rowForEach(5);
    expect(map.grouped).toBeUndefined();
    for (let device = 0; device < 5; device += 1) {
      expect([rowOf(map, device), firstDevice(map, device), endDevice(map, device)]).toEqual([
        device,
        device,
        device + 1,
      ]);
      expect(isShared(map, device)).toBe(false);
      expect(groupAtRow(map, device)).toBeUndefined();
    }
  });

  it('makes a selected range one of devices, not of rows', () => {
    const { map } = mapOf([
      { size: 8, open: false },
      { size: 4, open: true },
      { size: 8, open: false },
    ]);
    const layout = { ...layoutFor(1000, 700, map.rows, true, true, true), map };
    const height = layout.rows.height / map.rows;
    const view = { t0: 0, t1: 10, scroll: 0, rowHeight: height };
    const bounds = { makespan: 10, rows: map.rows, width: layout.plot, height: layout.rows.height };
    const y = (row: number) => layout.rows.y + (row + 0.5) * height;
    const devices = (from: number, to: number) => {
      const range = rangeOf(view, layout, bounds, [layout.left, from], [layout.left + 50, to]);
      return [range.from, range.to];
    };
    expect(devices(y(0), y(0))).toEqual([0, 7]);
    expect(devices(y(2), y(1))).toEqual([8, 9]);
    expect(devices(y(4), y(5))).toEqual([11, 19]);
    expect(devices(layout.ruler.y + 1, y(3))).toEqual([0, 19]);
    expect(devices(layout.all.y + 1, y(3))).toEqual([0, 19]);
  });
});
