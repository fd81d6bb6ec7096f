import type { ShownTimeline } from '../session/shownTimeline.ts';
import { prepare } from '../picture/prepare.ts';
import { loupeAt } from './scene/loupe.ts';
import { loupeBox, type Pointer } from './loupeBox.ts';
import type { Layout } from './scene/layout.ts';
import type { Scene } from './scene/scene.ts';
import type { Viewport } from './scene/viewport.ts';
import type { canvases } from './canvases.ts';
import { framesOf } from './frames.ts';
import type { PresenterHost } from './presenterHost.ts';
import { shownView } from './shownView.ts';
import { timelineEngine } from './timelineEngine.ts';
import type { MemoryBands } from '../picture/memoryBands.ts';
import type { DrawRequest, DrawnImage } from '../worker/messages.ts';

/**
 * Shows timelines: the worker simulates and draws them, and the old picture stays until the new blocks are drawn. What is
 * painted over the blocks always belongs to them. One frame for all that changed; nothing runs while nothing changes.
 */
export function presenter(canvas: ReturnType<typeof canvases>, host: PresenterHost) {
  const engine = timelineEngine(host, { arrive, pictured });
  const loupe = loupeBox();
  let shown: ShownTimeline | undefined;
  /** Simulated, but its blocks are not drawn yet. */
  let coming: ShownTimeline | undefined;
  let drawn:
    | { readonly view: Viewport; readonly layout: Layout; readonly generation: number; readonly bands?: MemoryBands }
    | undefined;
  let drawing: typeof drawn;
  /** One frame for all that changed. */
  const frames = framesOf(
    () => engine.draw(requests),
    () => paintOver(),
  );
  const view = shownView(host, { shown: () => shown, coming: () => coming, changed: frames.draw });

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
    const next = view.toDraw(target);
    drawing = { view: next, layout: view.layout(), generation: target.picture.generation };
    const wanted = canvas.requests(next, view.bounds(target), view.layout(), devicePixelRatio);
    return coming === undefined ? [...wanted, ...loupe.requests(devicePixelRatio)] : wanted;
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
      view.arrived(drawing.view);
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
      view.set(next);
    },
    turnGroup: view.turnGroup,
    showAll(): void {
      if (shown !== undefined) view.showAll();
    },
    loupe: loupe.element,
    /** Enlarges what is at a point, if the timeline shows no blocks there. */
    enlarge(device: number, at: number, pointer: Pointer): void {
      const now = view.now();
      if (shown === undefined || now === undefined) return;
      const found = loupeAt(shown.picture.columns, now, view.layout(), device, at);
      if (found === undefined) return;
      loupe.enlarge(found, pointer);
      frames.draw();
    },
    hideLoupe: loupe.hide,
    /** The timeline area has another size, or other parts. */
    measure(): void {
      const target = coming ?? shown;
      if (target !== undefined) view.measure(target);
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
      view.clear();
    },
    bounds: () => view.bounds(),
    openGroups: view.openGroups,
    timeline: () => shown,
    view: view.now,
    layout: view.layout,
    scene(): Scene | undefined {
      const now = view.now();
      return shown === undefined || now === undefined ? undefined : host.scene(shown, now, view.layout());
    },
  };
}
