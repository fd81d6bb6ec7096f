import { restoredViewport } from '../view/scene/viewport.ts';
import { paletteFrom } from '../view/scene/theme.ts';
import type { PresenterHost } from '../view/presenterHost.ts';
import type { Parts } from './parts.ts';
import { sceneOf } from './sceneOf.ts';
import { showNext } from './showNext.ts';
import { showUnplanned, showUnrun } from './troubles.ts';

/** What follows when timelines arrive, change their view, or cannot be made. */
export function presenterHost(parts: Parts): PresenterHost {
  const { editor, file, page, remembered, update } = parts;
  /** What was kept of this file before a reload. */
  const kept = () => (remembered.restore?.uri === remembered.uri ? remembered.restore : undefined);
  return {
    size: () => ({ width: page.area.clientWidth, height: page.area.clientHeight }),
    memoryShown: () => update.settings().memory,
    overviewShown: page.overviewShown,
    firstView(bounds) {
      const state = kept();
      return state === undefined ? undefined : restoredViewport(state, bounds);
    },
    firstGroups: () => kept()?.openGroups,
    chain: () => parts.input.why.chain(),
    groupsTurned: () => update.selection(),
    palette: (chunk) => paletteFrom(update.theme(), update.settings().colourBy, chunk),
    scene: (timeline, view, layout) => sceneOf(parts, timeline, view, layout),
    shown: (next, before, newest) => showNext(parts, next, before, newest),
    jobs(reports) {
      page.showJobs(reports);
      parts.workers.simulated(reports);
    },
    lanes: (lanes) => parts.workers.arrived(lanes),
    viewChanged() {
      parts.input.sync();
      parts.player.place();
      const scene = parts.timelines.scene();
      if (scene !== undefined) page.viewChanged(scene);
      update.save();
    },
    impossible(reasons) {
      const shown = parts.timelines.timeline()?.plan;
      const { name } = file.schedule() ?? {};
      if (name !== undefined && (shown === undefined || !file.isShape(shown)))
        return showUnplanned(parts, { message: reasons.join(' '), ofShape: true }, name);
      showUnrun(parts, reasons.join(' ') || 'This pipeline cannot be simulated.');
      if (parts.timelines.timeline() === undefined) parts.state.impossible(reasons);
    },
    stalled(stall, plan) {
      file.forget();
      parts.timelines.trouble();
      page.notice.whole();
      parts.state.stalled({ stall, plan });
      parts.stalls.search(remembered.sought);
      update.controls();
    },
    failed(reason) {
      showUnrun(parts, `The preview could not simulate this pipeline: ${reason}.`);
      if (parts.timelines.timeline() === undefined) parts.state.failed(reason);
      editor.post({ type: 'error', message: reason });
    },
    drew(milliseconds) {
      page.area.dataset['milliseconds'] = milliseconds.toFixed(2);
    },
  };
}
