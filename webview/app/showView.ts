import type { PreviewState } from '../protocol/messages.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { restoredSelection } from '../session/keptSelection.ts';
import { leaveFile } from './enterFile.ts';
import type { Parts } from './parts.ts';

/** A link was opened: the next timeline of the file is shown as the link says, as after a reload. */
export function showView(parts: Parts, view: PreviewState): void {
  const { remembered, update } = parts;
  if (remembered.uri !== undefined) leaveFile(parts);
  remembered.uri = view.uri;
  remembered.restore = view;
  update.change({ colourBy: view.colours ?? 'operation', criticalPath: view.criticalPath ?? false });
}

/** Selects what the link says, if the timeline has it. */
export function restoreSelection({ input, remembered }: Parts, { picture }: ShownTimeline): void {
  const { restore, uri } = remembered;
  if (restore?.selection === undefined || restore.uri !== uri) return;
  input.selection.select(restoredSelection(restore.selection, picture), false);
}
