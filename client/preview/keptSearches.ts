import type * as vscode from 'vscode';
import type { PreviewContext } from './context.ts';
import type { KeptPlan, PlanNews } from './keptPlan.ts';

/** The newest search of a file. */
export interface Search {
  readonly uri: vscode.Uri;
  /** Number that the server knows it by. */
  number: number;
  readonly kept: KeptPlan;
}

/** Files whose searches a preview keeps; the server keeps them as long as the files are open. */
const mostKept = 8;

/** The searches for plans that a preview knows, one for each file. */
export function keptSearches({ uri, post }: Pick<PreviewContext, 'uri' | 'post'>) {
  const known = new Map<string, Search>();
  const shown = (): Search | undefined => known.get(uri()?.toString() ?? '');

  /** Keeps what has become of a search, and shows it if its file is on show. */
  function tell(search: Search, news: PlanNews): void {
    search.kept.add(news);
    if (shown() === search) post(news);
  }

  return {
    /** The search of the file on show. */
    shown,
    /** The search that the page means, if it is still the newest one for this file. */
    of(request: number): Search | undefined {
      const search = shown();
      return search?.kept.request === request ? search : undefined;
    },
    numbered: (number: number): Search | undefined => [...known.values()].find((search) => search.number === number),
    /** Takes the place of the last one for the same file. */
    keep(search: Search): void {
      const key = search.uri.toString();
      known.delete(key);
      known.set(key, search);
      for (const oldest of known.keys()) if (known.size > mostKept) known.delete(oldest);
    },
    forget: (search: Search): boolean => known.delete(search.uri.toString()),
    tell,
    note: (search: Search, text: string): void =>
      tell(search, { type: 'planNote', request: search.kept.request, text }),
    all: () => known.values(),
    clear: () => known.clear(),
  };
}
