import type { Range } from '../protocol/requests.ts';
import type { ScheduleProblem } from '../session/shownFile.ts';
import type { Parts } from './parts.ts';

/** The text has an error. `range`: what is wrong, in this file. */
export function showError(parts: Parts, message: string, range: Range | undefined): void {
  const { remembered, timelines, state } = parts;
  remembered.trouble = message;
  // What was drawn before the file had no pipeline is no earlier version of this text.
  if (timelines.timeline() === undefined || state.isEmpty()) {
    timelines.trouble();
    state.broken(message, range);
  } else {
    state.keep();
    showBroken(parts, message, range);
  }
}

/** A schedule without a pipeline has no order for its shape, or its text has an error. */
export function showUnplanned(parts: Parts, { message, range, ofShape }: ScheduleProblem, name: string): void {
  const { file, page, timelines, state } = parts;
  const { plan } = timelines.timeline() ?? {};
  // What is shown is an earlier version of the text, not another shape.
  if (plan?.name === name && page.cover.shown() === undefined && (!ofShape || file.isShape(plan)))
    return showError(parts, message, range);
  timelines.trouble();
  page.notice.whole();
  state.unplanned(name, message, range);
}

/** A pipeline that the file has cannot be simulated: what is drawn is of an earlier text. */
export function showUnrun(parts: Parts, message: string): void {
  parts.file.forget();
  showBroken(parts, message, undefined);
}

function showBroken({ editor, page, timelines }: Parts, message: string, range: Range | undefined): void {
  timelines.trouble();
  const { line, character } = range?.start ?? { line: 0, character: 0 };
  page.notice.broken(
    range === undefined ? message : `line ${line + 1}: ${message}`,
    timelines.timeline() !== undefined,
    range === undefined ? undefined : () => editor.post({ type: 'goto', line, character }),
  );
}
