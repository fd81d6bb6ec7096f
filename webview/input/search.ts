import { noSearch, type SearchResult, searchResult } from '../session/searchResult.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { find, parseQuery } from './query.ts';

export interface SearchHost {
  timeline(): ShownTimeline | undefined;
  /** Block that the keyboard is at: a new search begins there. */
  focus(): number;
  result(result: SearchResult): void;
  /** Brings a block into sight. */
  reveal(block: number): void;
  /** The reader has gone to a hit. */
  select(block: number): void;
}

/** The query in the search field, the blocks that it finds, and the hit that it is at. */
export function searching(host: SearchHost) {
  let query = '';
  let found: Int32Array = new Int32Array(0);
  let at = -1;

  function run(text: string): void {
    query = text;
    at = -1;
    found = new Int32Array(0);
    const timeline = host.timeline();
    if (text.trim() === '' || timeline === undefined) return host.result(noSearch);
    const parsed = parseQuery(text, timeline.picture.columns.declared);
    if (typeof parsed === 'string') return host.result({ ...noSearch, words: parsed });
    found = find(timeline.plan, timeline.picture, parsed);
    // From the block of the keyboard on, then from the first one again.
    if (found.length > 0) at = firstFrom(found, host.focus()) % found.length;
    host.result(searchResult(found.length, at));
  }

  return {
    search(text: string): void {
      run(text);
      if (at >= 0) host.reveal(found[at]);
    },
    /** The next timeline will be searched for this. */
    remember(text: string): void {
      query = text;
    },
    /** In another timeline. */
    again(): void {
      if (query !== '') run(query);
    },
    /** To the next (1) or previous (−1) hit. */
    step(direction: 1 | -1): void {
      if (found.length === 0) return;
      at = (at + direction + found.length) % found.length;
      host.result(searchResult(found.length, at));
      host.select(found[at]);
    },
    /** The reader has selected a block: if it is a hit, the search is at it. */
    at(block: number): void {
      const index = firstFrom(found, block);
      if (index >= found.length || found[index] !== block || index === at) return;
      at = index;
      host.result(searchResult(found.length, at));
    },
    clear: (): void => run(''),
    /** The layer that is searched for. */
    layer: (): string | undefined => {
      const parsed = query === '' ? undefined : parseQuery(query);
      return typeof parsed === 'object' ? parsed.layer : undefined;
    },
    isOn: (): boolean => query !== '',
    /** Blocks, ascending. */
    found: () => found,
    /** Block of the hit that the search is at; −1 for none. */
    current: (): number => (at < 0 ? -1 : found[at]),
  };
}

/** Index of the first value at or above `block`. */
function firstFrom(found: Int32Array, block: number): number {
  let low = 0;
  let high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle] < block) low = middle + 1;
    else high = middle;
  }
  return low;
}
