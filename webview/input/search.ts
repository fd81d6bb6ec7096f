import type { ShownTimeline } from '../session/shownTimeline.ts';
import { find, parseQuery } from './query.ts';

export interface SearchHost {
  timeline(): ShownTimeline | undefined;
  /** How many were found, or what is wrong with the query; empty while nothing is searched for. */
  result(words: string): void;
}

/** The query in the search field and the blocks that it finds. */
export function searching(host: SearchHost) {
  let query = '';
  let found: Int32Array = new Int32Array(0);

  function search(text: string): void {
    query = text;
    const timeline = host.timeline();
    const parsed = parseQuery(text);
    const wanted = text.trim() !== '';
    const runs = wanted && timeline !== undefined && typeof parsed !== 'string';
    found = runs ? find(timeline.plan, timeline.picture, parsed) : new Int32Array(0);
    const words = typeof parsed === 'string' ? parsed : `${found.length.toLocaleString('en-US')} found`;
    host.result(wanted ? words : '');
  }
  return {
    search,
    /** In another timeline. */
    again(): void {
      if (query !== '') search(query);
    },
    /** Blocks, ascending. */
    found: () => found,
  };
}
