import type { JobReport } from '../../engine/values/report.ts';
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { Stall } from '../../engine/flow/stall.ts';
import { engineWorker } from '../session/engineWorker.ts';
import { questions } from '../session/questions.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { simulations } from '../session/simulations.ts';
import { horizonOf, iterationOf } from '../picture/columns.ts';
import type { JobLanes } from '../picture/jobLanes.ts';
import { prepare } from '../picture/prepare.ts';
import { groupedLayout } from './scene/groupedLayout.ts';
import { type Loupe, loupeAt } from './scene/loupe.ts';
import { loupeBox, loupeRequest } from './loupeBox.ts';
import { type Layout, layoutFor } from './scene/layout.ts';
import { groupOf, openGroups, rowOf } from './scene/rowMap.ts';
import type { Scene } from './scene/scene.ts';
import type { canvases } from './canvases.ts';
import { type Bounds, type Viewport, carryOver, clampViewport, initialViewport, resized } from './scene/viewport.ts';
import type { MemoryBands } from '../picture/memoryBands.ts';
import type { Palette } from '../worker/palette.ts';
import type { DrawRequest, DrawnImage, FromWorker, WorkedJob } from '../worker/messages.ts';

/** Least height of the rows of a group that is open. */
const openRow = 12;

export interface PresenterHost {
  /** Size of the timeline area. */
  size(): { readonly width: number; readonly height: number };
  memoryShown(): boolean;
  /** False where the page is too low for it. */
  overviewShown(): boolean;
  /** The first view of a timeline that follows no other; undefined for everything. */
  firstView(bounds: Bounds): Viewport | undefined;
  /** Groups that were open when the page was left; undefined for none. */
  firstGroups(): ReturnType<typeof openGroups> | undefined;
  /** Groups were opened or closed. */
  groupsTurned(): void;
  scene(of: ShownTimeline, view: Viewport, layout: Layout): Scene;
  palette(chunk: Uint8Array): Palette;
  /** Another timeline is on show, with its blocks. `newest`: nothing newer was asked for, and nothing has gone wrong since. */
  shown(next: ShownTimeline, before: ShownTimeline | undefined, newest: boolean): void;
  /** Jobs that the newest pipeline works in. */
  jobs(reports: readonly JobReport[]): void;
  /** All workers of a job, as asked for. */
  lanes(lanes: JobLanes): void;
  viewChanged(): void;
  impossible(reasons: readonly string[]): void;
  /** Operations of the newest pipeline wait for each other. */
  stalled(stall: Stall, plan: PipelinePlan, reasons: readonly string[]): void;
  failed(reason: string): void;
  drew(milliseconds: number): void;
}

/**
 * Shows timelines: the worker simulates and draws them, and the old picture stays until the new blocks are drawn. What is
 * painted over the blocks always belongs to them. One frame for all that changed; nothing runs while nothing changes.
 */
export function presenter(canvas: ReturnType<typeof canvases>, host: PresenterHost) {
  const engine = engineWorker(fromWorker, host.failed);
  const loupePanel = loupeBox();
  const runs = simulations();
  const asked = questions((message) => engine.send(message));
  let shown: ShownTimeline | undefined;
  /** Simulated, but its blocks are not drawn yet. */
  let coming: ShownTimeline | undefined;
  let view: Viewport | undefined;
  let drawn:
    | { readonly view: Viewport; readonly layout: Layout; readonly generation: number; readonly bands?: MemoryBands }
    | undefined;
  let drawing: typeof drawn;
  let layout = layoutFor(1, 1, 0, true);
  /** What the layout was made from. */
  let layoutKey = '';
  /** Rows of timelines, as they were last laid out. */
  const rowCounts = new WeakMap<ShownTimeline, Pick<Bounds, 'rows' | 'leastRow'>>();
  /** Names of the groups whose devices have a row each. */
  let opened: ReadonlySet<string> = new Set();
  /** What the loupe is to show, and the pointer over it. */
  let loupe: (Loupe & { readonly x: number; readonly y: number }) | undefined;
  let scheduled = false;
  let wantsBlocks = false;

  function bounds(of: ShownTimeline | undefined = shown): Bounds {
    const columns = of?.picture.columns;
    return {
      makespan: columns === undefined ? 0 : horizonOf(columns),
      iteration: columns === undefined ? 0 : iterationOf(columns),
      rows: columns?.rows ?? 0,
      ...(of === undefined ? {} : rowCounts.get(of)),
      width: layout.plot,
      height: layout.rows.height,
    };
  }

  function fromWorker(message: FromWorker): void {
    if (message.type === 'frame') {
      host.drew(message.milliseconds);
      arrive(message.images, message.generation, message.bands);
    } else if (message.type === 'failed') {
      host.failed(message.reason);
    } else if (message.type === 'lanes') {
      if (runs.isNewest(message.generation)) host.lanes(message.lanes);
    } else if (message.type === 'jobs') {
      if (runs.isNewest(message.generation)) host.jobs(message.reports);
    } else if (message.type === 'none') {
      if (runs.isNewest(message.generation)) host.impossible(message.reasons);
    } else if (message.type === 'stalled') {
      const plan = runs.planOf(message.generation);
      if (plan !== undefined && runs.isNewest(message.generation)) host.stalled(message.stall, plan, message.reasons);
    } else if (message.type === 'answer') {
      asked.answered(message.id, message.answer);
    } else if (message.type === 'picture') {
      const arrived = runs.arrived(message.picture);
      if (arrived === undefined) return;
      coming = arrived;
      engine.send({ type: 'palette', palette: host.palette(arrived.chunk) });
      // At once, not with the next frame: the old picture stays until the new blocks are there.
      wantsBlocks = false;
      engine.draw(requests);
      prepare(arrived.picture);
    }
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      if (wantsBlocks) {
        wantsBlocks = false;
        engine.draw(requests);
      } else paintOver();
    });
  }

  function draw(): void {
    wantsBlocks = true;
    schedule();
  }

  function requests(): readonly DrawRequest[] {
    const target = coming ?? shown;
    if (target === undefined) return [];
    relayout(target);
    const next = clampViewport(
      coming === undefined ? (view ?? initialViewport(bounds())) : viewFor(coming),
      bounds(target),
    );
    drawing = { view: next, layout, generation: target.picture.generation };
    const wanted = canvas.requests(next, bounds(target), layout, devicePixelRatio);
    return loupe === undefined || coming !== undefined ? wanted : [...wanted, loupeRequest(loupe, devicePixelRatio)];
  }

  function relayout(target: ShownTimeline): void {
    const { width, height } = host.size();
    const [memory, overview] = [host.memoryShown(), host.overviewShown()];
    const keyNow = () => [width, height, memory, overview, target.picture.generation, ...opened].join();
    if (keyNow() === layoutKey) return;
    const before = bounds();
    const placed = (names: ReadonlySet<string>) => groupedLayout(target, { width, height }, memory, overview, names);
    layout = placed(opened);
    const kept = shown === undefined && view === undefined ? host.firstGroups() : undefined;
    if (kept !== undefined) {
      opened = new Set(kept === 'all' ? layout.map.grouped?.groups.map(({ name }) => name) : kept);
      layout = placed(opened);
    }
    layoutKey = keyNow();
    const { rows, grouped } = layout.map;
    const open = grouped !== undefined && rows > grouped.groups.length;
    rowCounts.set(target, open ? { rows, leastRow: openRow } : { rows });
    if (view !== undefined && shown !== undefined) view = resized(view, before, bounds());
  }

  function viewFor(next: ShownTimeline): Viewport {
    if (view !== undefined && shown !== undefined) return carryOver(view, bounds(), bounds(next));
    return host.firstView(bounds(next)) ?? initialViewport(bounds(next));
  }

  /** Shows the rows of other groups; the row of `device` stays where it is. */
  function open(names: ReadonlySet<string>, device: number): void {
    if (shown === undefined || view === undefined || coming !== undefined) return;
    const y = rowOf(layout.map, device) * view.rowHeight - view.scroll;
    opened = names;
    relayout(shown);
    const fitted = initialViewport(bounds());
    // Rows that were as high as fits are so again, but no lower than rows of devices have to be.
    const top = rowOf(layout.map, device) * fitted.rowHeight;
    const scroll = Math.min(top, Math.max(top - y, 0));
    view = clampViewport({ ...view, rowHeight: fitted.rowHeight, scroll }, bounds());
    host.viewChanged();
    host.groupsTurned();
    draw();
  }

  function arrive(images: readonly DrawnImage[], of: number, bands: MemoryBands | undefined): void {
    if (drawing === undefined || drawing.generation !== of) {
      if (coming !== undefined || shown !== undefined) draw();
      return;
    }
    drawn = { ...drawing, bands };
    if (coming !== undefined && coming.picture.generation === of) {
      const before = shown;
      shown = coming;
      coming = undefined;
      hideLoupe();
      view = drawing.view;
      host.shown(shown, before, runs.isCurrent(of));
    }
    if (shown === undefined || shown.picture.generation !== of) return;
    const scene = host.scene(shown, drawn.view, drawn.layout);
    canvas.show(images, scene);
    const enlarged = images.find(({ region }) => region === 'loupe');
    if (loupe !== undefined && enlarged !== undefined) loupePanel.show(enlarged, scene, loupe, loupe.x, loupe.y);
    paintOver();
  }

  /** Over the blocks as they were last drawn, so that both always show the same moment. */
  function paintOver(): void {
    if (shown === undefined || drawn === undefined || drawn.generation !== shown.picture.generation) return;
    canvas.paint({ ...host.scene(shown, drawn.view, drawn.layout), bands: drawn.bands });
  }

  function hideLoupe(): void {
    loupe = undefined;
    loupePanel.hide();
  }

  function sendPalette(): void {
    const target = coming ?? shown;
    engine.send({ type: 'palette', palette: host.palette(target?.chunk ?? new Uint8Array(0)) });
    if (target !== undefined) draw();
  }

  return {
    /** `order`: of a plan whose order is searched, if it is known. */
    run(plan: PipelinePlan, options: EngineOptions, jobs: readonly WorkedJob[], order?: GivenOrder): void {
      const given = order === undefined ? {} : { order };
      engine.send({ type: 'run', generation: runs.start(plan), plan, options, jobs, ...given });
    },
    /** `lanes` answers. */
    askLanes: (job: string): void => engine.send({ type: 'lanes', job }),
    setView(next: Viewport): void {
      if (shown === undefined) return;
      hideLoupe();
      view = clampViewport(next, bounds());
      host.viewChanged();
      draw();
    },
    /** Opens the group of a device, or closes it; with `all` all groups. The devices that are now shown or hidden, in words. */
    turnGroup(device: number, all = false): string {
      const { grouped } = layout.map;
      const group = groupOf(layout.map, device);
      if (grouped === undefined || (group === undefined && !all)) return '';
      if (all || group === undefined) {
        const close = openGroups(layout.map).length > 0;
        open(new Set(close ? [] : grouped.groups.map(({ name }) => name)), device);
        return close ? 'All groups closed' : 'All groups open';
      }
      const next = new Set(opened);
      if (!next.delete(group.name)) next.add(group.name);
      open(next, group.from);
      return `${group.name}, ${group.to - group.from} devices, ${opened.has(group.name) ? 'open' : 'closed'}`;
    },
    /** All of the iteration and all devices: groups are closed again. */
    showAll(): void {
      if (shown === undefined) return;
      if (opened.size > 0) open(new Set(), 0);
      view = clampViewport(initialViewport(bounds()), bounds());
      host.viewChanged();
      draw();
    },
    loupe: loupePanel.element,
    /** Enlarges what is at a point, if the timeline shows no blocks there. */
    enlarge(device: number, at: number, x: number, y: number): void {
      if (shown === undefined || view === undefined) return;
      const found = loupeAt(shown.picture.columns, view, layout, device, at);
      if (found === undefined) return;
      loupe = { ...found, x, y };
      draw();
    },
    hideLoupe,
    /** The timeline area has another size, or other parts. */
    measure(): void {
      const target = coming ?? shown;
      if (target === undefined) return;
      relayout(target);
      host.viewChanged();
      draw();
    },
    /** Asks the worker about the timeline on show. */
    ask: asked.ask,
    dropQuestion: asked.drop,
    /** Colours have changed. */
    repaint: sendPalette,
    /** Something over the blocks has changed. */
    paintOver: schedule,
    /** What is being simulated is no longer the newest. */
    trouble: runs.trouble,
    /** The page shows another file from now on. */
    clear(): void {
      runs.leave();
      shown = undefined;
      coming = undefined;
      drawn = undefined;
      hideLoupe();
      view = undefined;
      opened = new Set();
      layoutKey = '';
    },
    bounds: () => bounds(),
    openGroups: () => openGroups(layout.map),
    timeline: () => shown,
    view: () => view,
    layout: () => layout,
    scene: () => (shown === undefined || view === undefined ? undefined : host.scene(shown, view, layout)),
  };
}
