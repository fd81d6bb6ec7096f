import type { Columns } from '../../picture/columns.ts';
import { firstEndingAfter } from '../../picture/columns.ts';
import type { Layout } from './layout.ts';
import { endDevice, firstDevice, isFolded, isShared, rowOf } from './rowMap.ts';
import type { Viewport } from './viewport.ts';

/** Devices and a stretch of time that are shown enlarged. */
export interface Loupe {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly t0: number;
  readonly t1: number;
}

export const loupeSize = { width: 300, row: 30, band: 26 };
const mostDevices = 4;
/** CSS pixels from which on a block needs no loupe. */
const readable = 3;
/** Blocks that fill the width. */
const blocks = 7;
/** On both sides: as many blocks say how long blocks are here. */
const around = 4;

/** What a loupe shows at a time of a device; undefined where the timeline shows its blocks wide enough. */
export function loupeAt(
  columns: Columns,
  view: Viewport,
  layout: Layout,
  device: number,
  time: number,
): Loupe | undefined {
  const { offsets, start, end, rows, makespan } = columns;
  const { map } = layout;
  const row = rowOf(map, device);
  const near = Math.min(offsets[device + 1] - 1, firstEndingAfter(columns, device, time));
  const first = Math.max(offsets[device], near - around);
  const last = Math.min(offsets[device + 1] - 1, near + around);
  if (last <= first) return undefined;
  let worked = 0;
  for (let block = first; block <= last; block += 1) worked += end[block] - start[block];
  const length = worked / (last - first + 1);
  const mixed = isShared(map, row) && !isFolded(map, row);
  if (!(length > 0) || (!mixed && (length / (view.t1 - view.t0)) * layout.plot >= readable)) return undefined;
  const span = Math.min(makespan, length * blocks);
  // All of its time is in the timeline, and its devices are neighbours in the row, if the row has several.
  const t0 = Math.max(0, Math.min(makespan - span, time - span / 2));
  const [least, most] = mixed ? [firstDevice(map, row), endDevice(map, row)] : [0, rows];
  const from = Math.max(least, Math.min(most - mostDevices, device - 1));
  return { from, to: Math.min(most, from + mostDevices), t0, t1: t0 + span };
}
