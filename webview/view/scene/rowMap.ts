import type { DeviceGroup } from '../../picture/deviceGroups.ts';
import type { OpenGroups } from '../../protocol/messages.ts';

/** Which row shows a device. All rows are equally high. */
export interface RowMap {
  readonly devices: number;
  readonly rows: number;
  /** Closed groups mix the operations of their devices. Rows of devices that are alike show the blocks of one. */
  readonly mixed: boolean;
  /** Directions of the exchange that rows show under their blocks; absent for none. */
  readonly legs?: number;
  /** Absent where each device has a row. */
  readonly grouped?: GroupedRows;
}
interface GroupedRows {
  readonly groups: readonly DeviceGroup[];
  /** Names of groups whose devices have a row each. */
  readonly opened: ReadonlySet<string>;
  /** First device of each row, then the number of devices. */
  readonly spans: Int32Array;
  /** By row, 1: all devices of the row are alike, and the first is drawn for them. */
  readonly folded: Uint8Array;
  /** By device. */
  readonly row: Int32Array;
  readonly group: Int32Array;
}

export const rowForEach = (devices: number): RowMap => ({ devices, rows: devices, mixed: false });

/** A row for each group, and for each device of those in `opened`. `groups`: as of `deviceGroups`. */
export function groupedRows(groups: readonly DeviceGroup[], opened: ReadonlySet<string>): RowMap {
  const devices = groups.at(-1)?.to ?? 0;
  const row = new Int32Array(devices);
  const group = new Int32Array(devices);
  const firsts: number[] = [];
  const alike: number[] = [];
  for (const [index, { name, from, to, alike: copies }] of groups.entries()) {
    const open = opened.has(name);
    for (let device = from; device < to; device += 1) {
      if (open || device === from) {
        firsts.push(device);
        alike.push(copies === true && !open ? 1 : 0);
      }
      row[device] = firsts.length - 1;
      group[device] = index;
    }
  }
  const spans = Int32Array.of(...firsts, devices);
  return {
    devices,
    rows: firsts.length,
    mixed: groups.some(({ from, to, alike: copies }) => to - from > 1 && copies !== true),
    grouped: { groups, opened, spans, folded: Uint8Array.from(alike), row, group },
  };
}

export const rowOf = ({ grouped }: RowMap, device: number): number => grouped?.row[device] ?? device;
export const firstDevice = ({ grouped }: RowMap, row: number): number => grouped?.spans[row] ?? row;
/** Exclusive. */
export const endDevice = ({ grouped }: RowMap, row: number): number => grouped?.spans[row + 1] ?? row + 1;
/** Whether the blocks of a row are the blocks of each of its devices. */
export const isFolded = ({ grouped }: RowMap, row: number): boolean => grouped?.folded[row] === 1;
/** Whether a row stands for several devices. */
export const isShared = (map: RowMap, row: number): boolean => endDevice(map, row) - firstDevice(map, row) > 1;

/** The device at a height in a row, from 0 to 1: devices that share it divide it equally. */
export function deviceAt(map: RowMap, row: number, share: number): number {
  const [first, end] = [firstDevice(map, row), endDevice(map, row)];
  return Math.min(end - 1, first + Math.floor(Math.max(0, share) * (end - first)));
}

/** The group of a device; undefined where it is alone. */
export function groupOf({ grouped }: RowMap, device: number): DeviceGroup | undefined {
  const group = grouped?.groups[grouped.group[device]];
  return group === undefined || group.to - group.from < 2 ? undefined : group;
}

export const isOpen = ({ grouped }: RowMap, group: DeviceGroup): boolean => grouped?.opened.has(group.name) === true;

/** The group that begins with a row. */
export function groupAtRow(map: RowMap, row: number): DeviceGroup | undefined {
  const first = firstDevice(map, row);
  const group = groupOf(map, first);
  return group?.from === first ? group : undefined;
}

/** Names of groups of several devices that are open, or that all of them are. */
export function openGroups({ grouped }: RowMap): OpenGroups {
  const shared = grouped?.groups.filter(({ from, to }) => to - from > 1) ?? [];
  const open = shared.filter(({ name }) => grouped?.opened.has(name));
  return open.length > 0 && open.length === shared.length ? 'all' : open.map(({ name }) => name);
}
