import { type DeviceGroup, deviceGroups } from '../../picture/deviceGroups.ts';
import type { ShownTimeline } from '../../session/shownTimeline.ts';
import { type Layout, layoutFor, leastRow } from './layout.ts';
import { groupedRows } from './rowMap.ts';

/** Least height of a row that stands for several devices. */
export const leastGroup = 10;

/** Groups of the devices of a timeline that do not fit at their least height; none where they do. */
function groupsOf(
  { plan, picture }: ShownTimeline,
  arranged: (rows: number, grouped: boolean) => Layout,
): readonly DeviceGroup[] {
  const { rows } = picture.columns;
  if (arranged(rows, false).fittedRow >= leastRow) return [];
  const names = plan.devices.map(({ name }) => name);
  return deviceGroups(
    names,
    picture.columns,
    (wanted, alike) => arranged(wanted, true).fittedRow >= (alike ? leastRow : leastGroup),
  );
}

/**
 * Places for a timeline, with devices in groups where they do not fit. Groups in `opened` do not change the places: their rows
 * scroll.
 */
export function groupedLayout(
  timeline: ShownTimeline,
  size: { readonly width: number; readonly height: number },
  memoryShown: boolean,
  overviewShown: boolean,
  opened: ReadonlySet<string>,
): Layout {
  const arranged = (rows: number, grouped: boolean): Layout =>
    layoutFor(size.width, size.height, rows, memoryShown, overviewShown, grouped);
  const groups = groupsOf(timeline, arranged);
  if (groups.length === 0) return arranged(timeline.picture.columns.rows, false);
  return { ...arranged(groups.length, true), map: groupedRows(groups, opened) };
}
