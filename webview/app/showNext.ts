import type { ShownTimeline } from '../session/shownTimeline.ts';
import { missingSentence } from '../view/panels/missingNotice.ts';
import type { Parts } from './parts.ts';
import { restoreSelection } from './showView.ts';

/** Another timeline is on show. `newest`: it is of the newest text. */
export function showNext(parts: Parts, next: ShownTimeline, before: ShownTimeline | undefined, newest: boolean): void {
  const { editor, input, page, player, remembered, sensing, state, update } = parts;
  input.selection.carry(next, before);
  input.why.carry(next, before);
  sensing.shown();
  restoreSelection(parts, next);
  remembered.restore = undefined;
  page.notice.shown();
  player.place();
  const { missing } = next.picture;
  const write = () => editor.post({ type: 'writeMissing', pipeline: next.plan.name });
  page.toolbar.missing(missing, editor.alone ? undefined : write);
  if (missing !== undefined && missing !== before?.picture.missing) page.say(missingSentence(missing));
  if (newest) {
    page.notice.whole();
    state.clear();
  } else if (page.cover.shown() === 'broken') {
    // The text was broken before its first picture came: this is the last valid one.
    state.clear();
    page.notice.broken(remembered.trouble, true);
  }
  input.search.again();
  update.figures(newest);
  update.controls();
  input.sync();
  page.arrived(next);
  update.selection();
}
