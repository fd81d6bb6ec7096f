/** The page as a file for itself: its data is in the document, and there is no editor to ask. */
import type { PreviewState, ToPage } from '../protocol/messages.ts';
import { isFields, readState } from '../protocol/state.ts';
import { standaloneData } from '../protocol/standalone.ts';
import type { Editor } from './editor.ts';
import { readMessage } from './incoming.ts';

/** The data of the document; undefined in an editor. */
export const embedded = (): HTMLElement | undefined => document.getElementById(standaloneData) ?? undefined;

/** The page is dark where the reader's system is, and changes with it. Editors say so by the same classes. */
export function followColourScheme(): void {
  const isDark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    document.body.classList.toggle('vscode-dark', isDark.matches);
    document.body.classList.toggle('vscode-light', !isDark.matches);
  };
  apply();
  isDark.addEventListener('change', apply);
}

/** Answers what the page asks: it gets its data, and no fixes, lines or edits. */
export function standalone(data: HTMLElement, receive: (message: ToPage) => void): Editor {
  const raw: unknown = JSON.parse(data.textContent ?? '');
  const message = isFields(raw) ? readMessage(raw.message) : undefined;
  const saved: PreviewState | undefined = isFields(raw) ? readState(raw.state) : undefined;
  const answer = (reply: ToPage): void => queueMicrotask(() => receive(reply));
  return {
    post(asked) {
      if (asked.type === 'ready' && message !== undefined) answer(message);
      else if (asked.type === 'help') answer({ type: 'fixes', request: asked.request, fixes: [] });
      else if (asked.type === 'lines')
        answer({ type: 'lines', request: asked.request, lines: asked.paths.map(() => null) });
    },
    save: () => undefined,
    saved,
    alone: true,
  };
}
