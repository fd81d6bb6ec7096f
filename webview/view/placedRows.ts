import { blockLengths } from '../picture/blockLengths.ts';
import { horizonOf, iterationOf } from '../picture/columns.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { type Chain, groupedLayout } from './scene/groupedLayout.ts';
import { layoutFor } from './scene/layout.ts';
import { guaranteed } from './scene/room.ts';
import { groupOf, openGroups } from './scene/rowMap.ts';
import type { Bounds } from './scene/viewport.ts';

/** Least height of the rows of a group that is open. */
const openRow = 12;

export interface PlacedRowsHost {
  /** Size of the timeline area. */
  size(): { readonly width: number; readonly height: number };
  memoryShown(): boolean;
  /** False where the page is too low for it. */
  overviewShown(): boolean;
  /** Groups that were open when the page was left; undefined for none. */
  firstGroups(): ReturnType<typeof openGroups> | undefined;
  /** The chain of causes on show: each of its devices has a row. */
  chain(): Chain | undefined;
}

/** The places of rows: which groups of devices are open, and how all of it lies in the page. */
export function placedRows(host: PlacedRowsHost) {
  let layout = layoutFor(1, 1, 0, true);
  /** What the layout was made from. */
  let key = '';
  /** Rows of timelines, as they were last laid out. */
  const counts = new WeakMap<ShownTimeline, Pick<Bounds, 'rows' | 'leastRow'>>();
  /** Names of the groups whose devices have a row each. */
  let opened: ReadonlySet<string> = new Set();

  return {
    layout: () => layout,
    hasOpen: (): boolean => opened.size > 0,
    bounds(of: ShownTimeline | undefined): Bounds {
      const columns = of?.picture.columns;
      return {
        makespan: columns === undefined ? 0 : horizonOf(columns),
        iteration: columns === undefined ? 0 : iterationOf(columns),
        ...(columns === undefined ? {} : { shortest: () => blockLengths(columns).shortest }),
        rows: columns?.rows ?? 0,
        ...(of === undefined ? {} : counts.get(of)),
        width: layout.plot,
        height: layout.rows.height,
      };
    },
    /** Lays a timeline out. `first`: the page shows nothing yet, so groups are open as they were. False: all is as it was. */
    place(target: ShownTimeline, first: boolean): boolean {
      const { width, height } = host.size();
      const [memory, overview] = [host.memoryShown(), host.overviewShown()];
      const chain = host.chain();
      const chainKey = chain === undefined ? '' : [...chain.devices, chain.overMemory].join();
      const keyNow = () => [width, height, memory, overview, chainKey, target.picture.generation, ...opened].join();
      if (keyNow() === key) return false;
      const placed = (names: ReadonlySet<string>) =>
        groupedLayout(target, { width, height }, memory, overview, names, chain);
      layout = placed(opened);
      const kept = first ? host.firstGroups() : undefined;
      if (kept !== undefined) {
        opened = new Set(kept === 'all' ? layout.map.grouped?.groups.map(({ name }) => name) : kept);
        layout = placed(opened);
      }
      key = keyNow();
      const { rows, grouped } = layout.map;
      const isOpen = grouped !== undefined && rows > grouped.groups.length;
      counts.set(target, isOpen ? { rows, leastRow: chain === undefined ? openRow : guaranteed.row } : { rows });
      return true;
    },
    open(names: ReadonlySet<string>): void {
      opened = names;
    },
    /** The open groups after the group of a device is turned, or all groups are. `at`: the device whose row stays. */
    turned(
      device: number,
      all: boolean,
    ): { readonly names: ReadonlySet<string>; readonly at: number; readonly words: string } | undefined {
      const { grouped } = layout.map;
      const group = groupOf(layout.map, device);
      if (grouped === undefined || (group === undefined && !all)) return undefined;
      if (all || group === undefined) {
        const close = openGroups(layout.map).length > 0;
        const names = new Set(close ? [] : grouped.groups.map(({ name }) => name));
        return { names, at: device, words: close ? 'All groups closed' : 'All groups open' };
      }
      const names = new Set(opened);
      const isOpen = !names.delete(group.name);
      if (isOpen) names.add(group.name);
      const words = `${group.name}, ${group.to - group.from} devices, ${isOpen ? 'open' : 'closed'}`;
      return { names, at: group.from, words };
    },
    openGroups: () => openGroups(layout.map),
    clear(): void {
      opened = new Set();
      key = '';
    },
  };
}
