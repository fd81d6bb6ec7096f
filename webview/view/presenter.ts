import type { ShownTimeline } from '../session/shownTimeline.ts';
import { prepare } from '../picture/prepare.ts';
import { loupeAt } from './scene/loupe.ts';
import { loupeBox, type Pointer } from './loupeBox.ts';
import type { Layout } from './scene/layout.ts';
import { rowOf } from './scene/rowMap.ts';
import type { canvases } from './canvases.ts';
import { framesOf } from './frames.ts';
import { placedRows } from './placedRows.ts';
import type { PresenterHost } from './presenterHost.ts';
import { timelineEngine } from './timelineEngine.ts';
import { type Bounds, type Viewport, carryOver, clampViewport, initialViewport, resized } from './scene/viewport.ts';
import type { MemoryBands } from '../picture/memoryBands.ts';
import type { DrawRequest, DrawnImage } from '../worker/messages.ts';

/**
 * Shows timelines: the worker simulates and draws them, and the old picture stays until the new blocks are drawn. What is
 * painted over the blocks always belongs to them. One frame for all that changed; nothing runs while nothing changes.
 */
export function presenter(canvas: ReturnType<typeof canvases>, host: PresenterHost) {
  const engine = timelineEngine(host, { arrive, pictured });
  const loupe = loupeBox();
  const rows = placedRows(host);
  let shown: ShownTimeline | undefined;
  /** Simulated, but its blocks are not drawn yet. */
  let coming: ShownTimeline | undefined;
  let view: Viewport | undefined;
  let drawn:
    | { readonly view: Viewport; readonly layout: Layout; readonly generation: number; readonly bands?: MemoryBands }
    | undefined;
  let drawing: typeof drawn;
  const { layout } = rows;
  const bounds = (of: ShownTimeline | undefined = shown): Bounds => rows.bounds(of);
  /** One frame for all that changed. */
  const frames = framesOf(
    () => engine.draw(requests),
    () => paintOver(),
  );

  function pictured(arrived: ShownTimeline): void {
    coming = arrived;
    engine.recolour(arrived);
    // At once, not with the next frame: the old picture stays until the new blocks are there.
    frames.drawNow();
    prepare(arrived.picture);
  }

  function requests(): readonly DrawRequest[] {
    const target = coming ?? shown;
    if (target === undefined) return [];
    relayout(target);
    const next = clampViewport(
      coming === undefined ? (view ?? initialViewport(bounds())) : viewFor(coming),
      bounds(target),
    );
    drawing = { view: next, layout: layout(), generation: target.picture.generation };
    const wanted = canvas.requests(next, bounds(target), layout(), devicePixelRatio);
    return coming === undefined ? [...wanted, ...loupe.requests(devicePixelRatio)] : wanted;
  }

  function relayout(target: ShownTimeline): void {
    const before = bounds();
    if (!rows.place(target, shown === undefined && view === undefined)) return;
    if (view !== undefined && shown !== undefined) view = resized(view, before, bounds());
  }

  function viewFor(next: ShownTimeline): Viewport {
    if (view !== undefined && shown !== undefined) return carryOver(view, bounds(), bounds(next));
    return host.firstView(bounds(next)) ?? initialViewport(bounds(next));
  }

  /** Shows the rows of other groups; the row of `device` stays where it is. False if nothing is on show that could be turned. */
  function open(names: ReadonlySet<string>, device: number): boolean {
    if (shown === undefined || view === undefined || coming !== undefined) return false;
    const y = rowOf(layout().map, device) * view.rowHeight - view.scroll;
    rows.open(names);
    relayout(shown);
    const fitted = initialViewport(bounds());
    // Rows that were as high as fits are so again, but no lower than rows of devices have to be.
    const top = rowOf(layout().map, device) * fitted.rowHeight;
    const scroll = Math.min(top, Math.max(top - y, 0));
    view = clampViewport({ ...view, rowHeight: fitted.rowHeight, scroll }, bounds());
    host.viewChanged();
    host.groupsTurned();
    frames.draw();
    return true;
  }

  function arrive(images: readonly DrawnImage[], of: number, bands: MemoryBands | undefined): void {
    if (drawing === undefined || drawing.generation !== of) {
      if (coming !== undefined || shown !== undefined) frames.draw();
      return;
    }
    drawn = { ...drawing, bands };
    if (coming !== undefined && coming.picture.generation === of) {
      const before = shown;
      shown = coming;
      coming = undefined;
      loupe.hide();
      view = drawing.view;
      host.shown(shown, before, engine.isCurrent(of));
    }
    if (shown === undefined || shown.picture.generation !== of) return;
    const scene = host.scene(shown, drawn.view, drawn.layout);
    canvas.show(images, scene);
    loupe.show(images, scene);
    paintOver();
  }

  /** Over the blocks as they were last drawn, so that both always show the same moment. */
  function paintOver(): void {
    if (shown === undefined || drawn === undefined || drawn.generation !== shown.picture.generation) return;
    canvas.paint({ ...host.scene(shown, drawn.view, drawn.layout), bands: drawn.bands });
  }

  return {
    run: engine.run,
    askLanes: engine.askLanes,
    ask: engine.ask,
    dropQuestion: engine.dropQuestion,
    trouble: engine.trouble,
    setView(next: Viewport): void {
      if (shown === undefined) return;
      loupe.hide();
      view = clampViewport(next, bounds());
      host.viewChanged();
      frames.draw();
    },
    /** Opens the group of a device, or closes it; with `all` all groups. The devices that are now shown or hidden, in words. */
    turnGroup(device: number, all = false): string {
      const turned = rows.turned(device, all);
      return turned !== undefined && open(turned.names, turned.at) ? turned.words : '';
    },
    /** All of the iteration and all devices: groups are closed again. */
    showAll(): void {
      if (shown === undefined) return;
      if (rows.hasOpen()) open(new Set(), 0);
      view = clampViewport(initialViewport(bounds()), bounds());
      host.viewChanged();
      frames.draw();
    },
    loupe: loupe.element,
    /** Enlarges what is at a point, if the timeline shows no blocks there. */
    enlarge(device: number, at: number, pointer: Pointer): void {
      if (shown === undefined || view === undefined) return;
      const found = loupeAt(shown.picture.columns, view, layout(), device, at);
      if (found === undefined) return;
      loupe.enlarge(found, pointer);
      frames.draw();
    },
    hideLoupe: loupe.hide,
    /** The timeline area has another size, or other parts. */
    measure(): void {
      const target = coming ?? shown;
      if (target === undefined) return;
      relayout(target);
      host.viewChanged();
      frames.draw();
    },
    /** Colours have changed. */
    repaint(): void {
      const target = coming ?? shown;
      engine.recolour(target);
      if (target !== undefined) frames.draw();
    },
    /** Something over the blocks has changed. */
    paintOver: frames.paint,
    /** The page shows another file from now on. */
    clear(): void {
      engine.leave();
      shown = undefined;
      coming = undefined;
      drawn = undefined;
      loupe.hide();
      view = undefined;
      rows.clear();
    },
    bounds: () => bounds(),
    openGroups: rows.openGroups,
    timeline: () => shown,
    view: () => view,
    layout,
    scene: () => (shown === undefined || view === undefined ? undefined : host.scene(shown, view, layout())),
  };
}
