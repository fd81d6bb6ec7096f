/** Operations that are moved in a preview, in a building block or in a row. The page names operation and place; only this file knows edits. */
import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import {
  methods,
  type MoveInRowAnswer,
  type MoveInRowRequest,
  type MoveSlotAnswer,
  type MoveSlotRequest,
  type TextEdit,
} from '../../webview/protocol/requests.ts';
import type { TriedFix } from './help.ts';
import { writeEdits } from './source.ts';
import type { PreviewContext } from './context.ts';

type MoveMessage = Extract<FromPage, { readonly type: 'moveSlot' | 'moveInRow' | 'endMove' }>;

export function createMovedOrders({ requests, uri, overrides, post, refresh }: PreviewContext) {
  let newest = 0;
  /** The newest order that can be. */
  let answered:
    { readonly request: number; readonly file: string; readonly version: number; readonly edit: TextEdit } | undefined;
  let trying: TriedFix | undefined;

  async function move(message: Exclude<MoveMessage, { readonly type: 'endMove' }>): Promise<void> {
    const file = uri()?.toString();
    if (file === undefined) return;
    const { request } = message;
    newest = request;
    const answer = await (message.type === 'moveSlot' ? slot(message, file) : row(message, file));
    if (newest !== request || uri()?.toString() !== file) return;
    answered = undefined;
    trying = undefined;
    // An order that cannot be has no timeline: the last one stays.
    if (answer?.edit !== undefined && answer.problem === undefined) {
      const { version, edit, text } = answer;
      answered = { request, file, version, edit };
      trying = { title: text, trial: { version, edits: [edit] } };
    }
    await refresh();
  }

  async function slot(
    { request, schedule, kind, stage, slot: to, alone }: Extract<MoveMessage, { readonly type: 'moveSlot' }>,
    file: string,
  ): Promise<MoveSlotAnswer | null | undefined> {
    const asked: MoveSlotRequest = { uri: file, overrides: overrides(), schedule, kind, stage, slot: to, alone };
    const answer = await requests.send<MoveSlotAnswer | null>(methods.moveSlot, asked);
    const { text, stages, problem } = answer ?? { stages: [] };
    if (newest === request) post({ type: 'slotMoved', request, text, stages, problem });
    return answer;
  }

  async function row(
    { request, pipeline, device, moves }: Extract<MoveMessage, { readonly type: 'moveInRow' }>,
    file: string,
  ): Promise<MoveInRowAnswer | null | undefined> {
    const asked: MoveInRowRequest = { uri: file, overrides: overrides(), pipeline, device, moves };
    const answer = await requests.send<MoveInRowAnswer | null>(methods.moveInRow, asked);
    const { text, note, problem } = answer ?? {};
    if (newest === request) post({ type: 'rowMoved', request, text, note, problem });
    return answer;
  }

  async function end({ request, write }: Extract<MoveMessage, { readonly type: 'endMove' }>): Promise<void> {
    const file = uri();
    const found = answered;
    newest = request + 1;
    answered = undefined;
    trying = undefined;
    if (write && file !== undefined && found?.request === request && found.file === file.toString()) {
      if (await writeEdits(file, found.version, [found.edit])) return;
      void vscode.window.setStatusBarMessage('$(warning) The move was not written: the file has changed.', 5000);
    }
    await refresh();
  }

  return {
    receive: (message: MoveMessage): Promise<void> => (message.type === 'endMove' ? end(message) : move(message)),
    /** The move on show; undefined once the text has another version. */
    tried(version: number): TriedFix | undefined {
      if (trying !== undefined && trying.trial.version !== version) trying = undefined;
      return trying;
    },
    /** The preview shows another file. */
    forget(): void {
      answered = undefined;
      trying = undefined;
    },
  };
}
