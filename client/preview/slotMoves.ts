/** Operations of a building block that are moved in a preview. The page names operation and slot; only this file knows edits. */
import * as vscode from 'vscode';
import type { FromPage, ToPage } from '../../webview/protocol/messages.ts';
import { methods, type MoveSlotAnswer, type MoveSlotRequest, type Overrides } from '../../webview/protocol/requests.ts';
import type { Requests } from '../languageClient.ts';
import type { TriedFix } from './help.ts';
import { writeEdits } from './source.ts';

type MoveMessage = Extract<FromPage, { readonly type: 'moveSlot' | 'endMove' }>;

export interface SlotMovesHost {
  readonly requests: Requests;
  uri(): vscode.Uri | undefined;
  overrides(): Overrides;
  post(message: ToPage): void;
  /** Shows the plan again, with the move that is tried. */
  refresh(): Promise<void>;
}

export function createSlotMoves({ requests, uri, overrides, post, refresh }: SlotMovesHost) {
  let newest = 0;
  let answered: { readonly request: number; readonly file: string; readonly answer: MoveSlotAnswer } | undefined;
  let trying: TriedFix | undefined;

  async function move(message: Extract<MoveMessage, { readonly type: 'moveSlot' }>): Promise<void> {
    const file = uri()?.toString();
    if (file === undefined) return;
    const { type: _, request, ...wanted } = message;
    newest = request;
    const asked: MoveSlotRequest = { uri: file, overrides: overrides(), ...wanted };
    const answer = await requests.send<MoveSlotAnswer | null>(methods.moveSlot, asked);
    if (newest !== request || uri()?.toString() !== file) return;
    answered = answer ? { request, file, answer } : undefined;
    // A block that cannot be has no timeline: the last one stays.
    trying =
      answer && answer.problem === undefined
        ? { title: answer.text, trial: { version: answer.version, edits: [answer.edit] } }
        : undefined;
    const { text, stages, problem } = answer ?? { stages: [] };
    post({ type: 'slotMoved', request, text, stages, problem });
    await refresh();
  }

  async function end({ request, write }: Extract<MoveMessage, { readonly type: 'endMove' }>): Promise<void> {
    const file = uri();
    const found = answered;
    newest = request + 1;
    answered = undefined;
    trying = undefined;
    if (write && file !== undefined && found?.request === request && found.file === file.toString()) {
      const { version, edit, problem } = found.answer;
      if (problem === undefined && (await writeEdits(file, version, [edit]))) return;
      void vscode.window.setStatusBarMessage('$(warning) The slot was not written: the file has changed.', 5000);
    }
    await refresh();
  }

  return {
    receive: (message: MoveMessage): Promise<void> => (message.type === 'moveSlot' ? move(message) : end(message)),
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
