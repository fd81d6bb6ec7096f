import type { FromPage, PreviewState, ToPage } from '../protocol/messages.ts';
import { readState } from '../protocol/state.ts';
import { readMessage } from './incoming.ts';

interface EditorApi {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: PreviewState): void;
}
declare const acquireVsCodeApi: () => EditorApi;

export interface Editor {
  post(message: FromPage): void;
  /** Kept over reloads; written at most four times a second. */
  save(state: () => PreviewState | undefined): void;
  readonly saved: PreviewState | undefined;
  /** The page is a file for itself: there is no editor, and nothing can be asked of one. */
  readonly alone: boolean;
}

const saveDelay = 250;

/** Connects to the editor. May be called once (the editor hands its interface out once). */
export function connect(receive: (message: ToPage) => void): Editor {
  const editor = acquireVsCodeApi();
  let timer: ReturnType<typeof setTimeout> | undefined;
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = readMessage(event.data);
    if (message !== undefined) receive(message);
  });
  return {
    post: (message) => editor.postMessage(message),
    save: (state) => {
      if (timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        const kept = state();
        if (kept !== undefined) editor.setState(kept);
      }, saveDelay);
    },
    saved: readState(editor.getState()),
    alone: false,
  };
}
