import type { ShownTimeline } from '../session/shownTimeline.ts';
import type { Layout } from '../view/scene/layout.ts';
import { rowShape } from '../view/scene/rowShape.ts';
import type { Scene } from '../view/scene/scene.ts';
import type { Viewport } from '../view/scene/viewport.ts';
import type { Parts } from './parts.ts';

/** One moment of the page: what each part has to say of a timeline. */
export function sceneOf(parts: Parts, timeline: ShownTimeline, view: Viewport, layout: Layout): Scene {
  const { update, input, faster, highlighted, written, searching, player } = parts;
  return {
    ...timeline,
    ...update.settings(),
    ...input.selection.seen(),
    ...input.why.seen(),
    sensitivity: (stage) => faster.row(timeline.plan, stage),
    theme: update.theme(),
    view,
    layout,
    shape: rowShape(view.rowHeight, layout.map.mixed, layout.map.legs),
    highlight: highlighted.of(timeline.plan),
    origin: (block) => written.lines(timeline, block),
    found: input.search.found(),
    moved: searching.moved(),
    current: input.search.current(),
    foundLayer: input.search.layer(),
    played: player.time(),
    dpr: devicePixelRatio,
  };
}
