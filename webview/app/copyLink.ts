import { keptSelection } from '../session/keptSelection.ts';
import type { Parts } from './parts.ts';

/** Asks for a link to what is on show: the file, the place in the timeline, the selection and the sliders. */
export function copyLink({ editor, input, timelines, update }: Parts): void {
  const [state, timeline] = [update.state(), timelines.timeline()];
  if (state === undefined || timeline === undefined) return;
  const selection = keptSelection(input.selection.selection(), timeline.picture);
  editor.post({ type: 'copyLink', state: { ...state, ...(selection === undefined ? {} : { selection }) } });
}
