/** What a search has come to, for the box that shows it. */
export interface SearchResult {
  /** `2 of 4`, `No match`, or what is wrong with the query; empty while nothing is searched for. */
  readonly words: string;
  readonly hits: number;
  /** Hit that the search is at, from 0; −1 for none. */
  readonly at: number;
}
export const noSearch: SearchResult = { words: '', hits: 0, at: -1 };

export function searchResult(hits: number, at: number): SearchResult {
  if (hits === 0) return { words: 'No match', hits, at: -1 };
  return { words: `${(at + 1).toLocaleString('en-US')} of ${hits.toLocaleString('en-US')}`, hits, at };
}
