/** Work on open documents once nobody types: one document after the other. It ends when the text changes. */
import { CancellationTokenSource, type CancellationToken } from 'vscode-languageserver';
import { quietTimer } from '../../platform/common/quietTimer.ts';
import type { View } from '../view.ts';

export interface QuietWork {
  /** The text is checked: begins after some time without a newer text. */
  begin(view: View): void;
  /** The text has changed, or its document is closed. */
  stop(uri: string): void;
}

/** `quiet`: milliseconds without a new text after which the work begins. */
export function createQuietWork(
  work: (view: View, token: CancellationToken) => Promise<void>,
  failed: (error: unknown) => void,
  quiet: number,
): QuietWork {
  const waiting = new Map<
    string,
    { readonly source: CancellationTokenSource; readonly timer: ReturnType<typeof setTimeout> }
  >();
  /** Settled when nothing runs. */
  let last = Promise.resolve();

  function stop(uri: string): void {
    const state = waiting.get(uri);
    waiting.delete(uri);
    clearTimeout(state?.timer);
    state?.source.cancel();
  }

  return {
    begin(view) {
      stop(view.uri);
      const source = new CancellationTokenSource();
      const timer = quietTimer(() => {
        last = last.then(() => work(view, source.token)).catch(failed);
      }, quiet);
      waiting.set(view.uri, { source, timer });
    },
    stop,
  };
}
