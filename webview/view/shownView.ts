import type { ShownTimeline } from '../session/shownTimeline.ts';
import { placedRows } from './placedRows.ts';
import type { PresenterHost } from './presenterHost.ts';
import { rowOf } from './scene/rowMap.ts';
import { type Bounds, type Viewport, carryOver, clampViewport, initialViewport, resized } from './scene/viewport.ts';

export interface TimelinesOfView {
  /** The timeline whose blocks are drawn. */
  shown(): ShownTimeline | undefined;
  /** Simulated, but its blocks are not drawn yet. */
  coming(): ShownTimeline | undefined;
  /** The view has changed: blocks need to be drawn. */
  changed(): void;
}

/** The times and the rows on show: what a person moves, and what stays in place while timelines and the page change. */
export function shownView(host: PresenterHost, { shown, coming, changed }: TimelinesOfView) {
  const rows = placedRows(host);
  let view: Viewport | undefined;
  const { layout } = rows;
  const bounds = (of: ShownTimeline | undefined = shown()): Bounds => rows.bounds(of);

  function relayout(target: ShownTimeline): void {
    const before = bounds();
    if (!rows.place(target, shown() === undefined && view === undefined)) return;
    if (view !== undefined && shown() !== undefined) view = resized(view, before, bounds());
  }

  function firstViewOf(next: ShownTimeline): Viewport {
    if (view !== undefined && shown() !== undefined) return carryOver(view, bounds(), bounds(next));
    return host.firstView(bounds(next)) ?? initialViewport(bounds(next));
  }

  function set(next: Viewport): void {
    view = clampViewport(next, bounds());
    host.viewChanged();
    changed();
  }

  /** Shows the rows of other groups; the row of `device` stays where it is. False if nothing is on show that could be turned. */
  function open(names: ReadonlySet<string>, device: number): boolean {
    const now = shown();
    if (now === undefined || view === undefined || coming() !== undefined) return false;
    const y = rowOf(layout().map, device) * view.rowHeight - view.scroll;
    rows.open(names);
    relayout(now);
    const fitted = initialViewport(bounds());
    // Rows that were as high as fits are so again, but no lower than rows of devices have to be.
    const top = rowOf(layout().map, device) * fitted.rowHeight;
    const scroll = Math.min(top, Math.max(top - y, 0));
    set({ ...view, rowHeight: fitted.rowHeight, scroll });
    host.groupsTurned();
    return true;
  }

  return {
    layout,
    bounds,
    openGroups: rows.openGroups,
    /** As it was last set; undefined until blocks are drawn. */
    now: (): Viewport | undefined => view,
    /** Of the timeline whose blocks are to be drawn, laid out anew if the page or its groups have changed. */
    toDraw(target: ShownTimeline): Viewport {
      relayout(target);
      const next = target === coming() ? firstViewOf(target) : (view ?? initialViewport(bounds()));
      return clampViewport(next, bounds(target));
    },
    /** The blocks of a timeline that came are drawn in this view. */
    arrived(next: Viewport): void {
      view = next;
    },
    set,
    /** Opens the group of a device, or closes it; with `all` all groups. The devices that are now shown or hidden, in words. */
    turnGroup(device: number, all = false): string {
      const turned = rows.turned(device, all);
      return turned !== undefined && open(turned.names, turned.at) ? turned.words : '';
    },
    /** All of the iteration and all devices: groups are closed again. */
    showAll(): void {
      if (rows.hasOpen()) open(new Set(), 0);
      set(initialViewport(bounds()));
    },
    /** The timeline area has another size, or other parts. */
    measure(target: ShownTimeline): void {
      relayout(target);
      host.viewChanged();
      changed();
    },
    clear(): void {
      view = undefined;
      rows.clear();
    },
  };
}
