/** Shows in the editor that plans or figures of a document are still to come. */
import type { Connection, WorkDoneProgressServerReporter } from 'vscode-languageserver';
import { list } from '../engine/basics/quantities.ts';
import type { View } from './view.ts';

export interface Progress {
  /** Names what the document waits for. */
  show(view: View): void;
  hide(uri: string): void;
}

export function createProgress(connection: Connection, send: (message: () => unknown) => void): Progress {
  const shown = new Map<string, Promise<WorkDoneProgressServerReporter>>();
  return {
    show({ uri, analysis }) {
      if (shown.has(uri)) return;
      send(() => {
        const reporter = connection.window.createWorkDoneProgress();
        shown.set(uri, reporter);
        return reporter.then((progress) =>
          progress.begin('Pipewright', undefined, `computing ${named(analysis.pending)}`),
        );
      });
    },
    hide(uri) {
      const reporter = shown.get(uri);
      shown.delete(uri);
      if (reporter !== undefined) send(() => reporter.then((progress) => progress.done()));
    },
  };
}

const mostNamed = 3;

const named = (names: readonly string[]): string =>
  list(names.length <= mostNamed ? names : [...names.slice(0, mostNamed - 1), `${names.length - mostNamed + 1} more`]);
