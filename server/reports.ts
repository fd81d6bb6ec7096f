/** What is known by now of the findings of open documents, for clients that ask for them. */
import type { CancellationToken, Diagnostic } from 'vscode-languageserver';
import { cancelled } from './documents/answered.ts';
import type { Documents } from './documents/documents.ts';

/** Findings of one state of a document. Equal findings have equal ids. */
export interface Report {
  readonly version: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly resultId: string;
}

export interface Reports {
  /** What is known of the newest text. */
  put(uri: string, version: number, diagnostics: readonly Diagnostic[]): void;
  /** The report of the newest text, once there is one; undefined once the document is closed, or cancelled. */
  newest(uri: string, token: CancellationToken): Promise<Report | undefined>;
  /** The same if it is there already. */
  known(uri: string): Report | undefined;
  /** The client has this report. */
  given(uri: string, report: Report): void;
  has(uri: string, report: Report): boolean;
  closed(uri: string): void;
}

interface Kept {
  readonly report: Report;
  readonly json: string;
  /** Of the document, counted by what changed in and around it. */
  readonly revision: number | undefined;
}

interface ReportsHost {
  readonly documents: Pick<Documents, 'revision' | 'isChecked'>;
  /** The client has asked about a document, and would get another answer now. Undefined: it takes no such message, so it waits for whole reports. */
  readonly refresh: () => (() => void) | undefined;
}

export function createReports({ documents, refresh }: ReportsHost): Reports {
  const kept = new Map<string, Kept>();
  const has = new Map<string, string>();
  const waiting = new Map<string, Set<() => void>>();
  let results = 0;

  function wake(uri: string): void {
    const resumed = waiting.get(uri) ?? [];
    waiting.delete(uri);
    for (const resume of resumed) resume();
  }

  function known(uri: string): Report | undefined {
    const found = kept.get(uri);
    const isNewest = found !== undefined && found.revision === documents.revision(uri);
    return isNewest && (refresh() !== undefined || documents.isChecked(uri)) ? found.report : undefined;
  }

  return {
    put(uri, version, diagnostics) {
      const json = JSON.stringify(diagnostics);
      const before = kept.get(uri);
      if (before?.json !== json) results += 1;
      const resultId = before?.json === json ? before.report.resultId : String(results);
      kept.set(uri, { report: { version, diagnostics, resultId }, json, revision: documents.revision(uri) });
      const isAwaited = waiting.has(uri);
      wake(uri);
      const last = has.get(uri);
      if (!isAwaited && last !== undefined && last !== resultId) refresh()?.();
    },
    async newest(uri, token) {
      for (;;) {
        const found = known(uri);
        if (found !== undefined) return found;
        if (token.isCancellationRequested || documents.revision(uri) === undefined) return undefined;
        const changed = new Promise<void>((resolve) => {
          const others = waiting.get(uri) ?? new Set();
          waiting.set(uri, others.add(resolve));
        });
        await Promise.race([changed, cancelled(token)]);
      }
    },
    known,
    given: (uri, { resultId }) => void has.set(uri, resultId),
    has: (uri, { resultId }) => has.get(uri) === resultId,
    closed(uri) {
      kept.delete(uri);
      has.delete(uri);
      wake(uri);
    },
  };
}
