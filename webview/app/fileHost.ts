import type { ShownFileHost } from '../session/shownFile.ts';
import type { Parts } from './parts.ts';
import { showUnplanned } from './troubles.ts';

/** What follows when the file, or what is looked at in it, changes. */
export const fileHost = (parts: Parts): ShownFileHost => ({
  post: parts.editor.post,
  run(plan, { options }, jobs, order) {
    const { page, timelines, workers } = parts;
    if (jobs.length === 0) {
      page.showJobs([]);
      workers.close();
    }
    page.notice.running();
    timelines.run(plan, options, jobs, order);
  },
  empty() {
    const { besides, file, page, state, timelines } = parts;
    timelines.trouble();
    besides.changed();
    state.empty(timelines.timeline() !== undefined && page.cover.shown() === undefined, file.message()?.contents);
  },
  unplanned: (problem, name) => showUnplanned(parts, problem, name),
  whole() {
    parts.page.notice.whole();
    parts.update.figures(true);
  },
  changed() {
    parts.update.controls();
    parts.besides.changed();
    parts.searching.changed();
    parts.planning.changed();
  },
});
