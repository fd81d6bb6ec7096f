/** The colours that each document was last given, so that only what changed of them is sent again. */
import type { SemanticTokens, SemanticTokensDelta, SemanticTokensEdit } from 'vscode-languageserver';

export interface TokenResults {
  /** The colours that a document has now. */
  whole(uri: string, tokens: SemanticTokens): SemanticTokens;
  /** What differs from the result `previous`; all colours if that is not what the document was last given. */
  since(uri: string, previous: string, tokens: SemanticTokens): SemanticTokens | SemanticTokensDelta;
  closed(uri: string): void;
}

export function createTokenResults(): TokenResults {
  const given = new Map<string, { readonly resultId: string; readonly data: number[] }>();
  let results = 0;

  function whole(uri: string, { data }: SemanticTokens): SemanticTokens & { readonly resultId: string } {
    results += 1;
    const result = { resultId: String(results), data };
    given.set(uri, result);
    return result;
  }

  return {
    whole,
    since(uri, previous, tokens) {
      const before = given.get(uri);
      const now = whole(uri, tokens);
      if (before?.resultId !== previous) return now;
      return { resultId: now.resultId, edits: difference(before.data, now.data) };
    },
    closed: (uri) => void given.delete(uri),
  };
}

/** The part between what both begin and end with. */
function difference(before: readonly number[], after: readonly number[]): SemanticTokensEdit[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  const deleteCount = before.length - start - same;
  const data = after.slice(start, after.length - same);
  return deleteCount === 0 && data.length === 0 ? [] : [{ start, deleteCount, data }];
}
