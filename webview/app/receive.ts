import type { ToPage } from '../protocol/messages.ts';
import { drawPicture } from './drawPicture.ts';
import { enterFile } from './enterFile.ts';
import type { Parts } from './parts.ts';
import { showView } from './showView.ts';
import { showError } from './troubles.ts';

/** Hands a message of the editor to the part that it is for. */
export function receive(parts: Parts, message: ToPage): void {
  const { besides, charts, comparing, file, highlighted, input, page, planning, remembered } = parts;
  const { searching, state, timelines, update, written } = parts;
  switch (message.type) {
    case 'highlight':
      highlighted.set(message.groups, message.blocks ?? []);
      update.selection();
      timelines.paintOver();
      return;
    case 'draw':
      void drawPicture(message).then((base64) =>
        parts.editor.post({ type: 'drawn', request: message.request, ...(base64 === undefined ? {} : { base64 }) }),
      );
      return;
    case 'origin':
      written.answered(message);
      return;
    case 'modes':
      update.modesChanged(message);
      return;
    case 'moved':
      if (remembered.uri !== message.from) return;
      remembered.uri = message.uri;
      file.moved(message);
      update.save();
      return;
    case 'fixes':
    case 'lines':
      state.answered(message);
      if (message.type === 'fixes') input.why.fixes(message);
      return;
    case 'rowMoved':
      input.rows.answered(message);
      return;
    case 'slotMoved':
      page.slotMoved(message);
      return;
    case 'late':
      page.notice.late(message.late);
      return;
    case 'idle':
      state.idle();
      return;
    case 'plan':
      enterFile(parts, message.uri);
      remembered.gone = undefined;
      if (message.trying === undefined) state.untried();
      input.rows.planned(message.trying !== undefined);
      file.receive(message);
      planning.planned(message.trying !== undefined);
      comparing.changed();
      charts.received(message, file.params());
      return;
    case 'beside':
      besides.receive(message);
      return;
    case 'besideLate':
      besides.late(message.late);
      return;
    case 'compare':
      comparing.open();
      return;
    case 'plans':
      planning.open(message.pipeline);
      return;
    case 'planFound':
    case 'planEnd':
    case 'planEdited':
    case 'planNote':
      planning.receive(message);
      return;
    case 'planKept':
      enterFile(parts, message.uri);
      planning.resume(message);
      return;
    case 'view':
      showView(parts, message.state);
      return;
    case 'findOrder':
      searching.open();
      return;
    case 'order':
      searching.received(message);
      return;
    case 'entry':
      comparing.entry(message);
      charts.entry(message);
      return;
    case 'entries':
      return;
    case 'gone':
    case 'stopped':
      enterFile(parts, message.uri);
      timelines.trouble();
      file.forget();
      if (message.type === 'gone') state.gone(message);
      else state.stopped(message.message);
      remembered.gone = message.type === 'gone' ? `${message.title} was renamed or deleted.` : message.message;
      besides.changed();
      return;
    case 'broken':
      enterFile(parts, message.uri);
      state.untried();
      showError(parts, message.message, message.range);
      besides.changed();
  }
}
