/** Lines of the text that paths of a plan come from, for links on the page. */
import type * as vscode from 'vscode';
import type { Requests } from '../languageClient.ts';
import { locate } from './source.ts';

/** From 1; null for a path that has no text, or whose text is in another file. */
export const linesOf = (requests: Requests, uri: vscode.Uri, paths: readonly string[]): Promise<(number | null)[]> =>
  Promise.all(
    paths.map(async (path) => {
      const place = await locate(requests, uri, path);
      return place?.uri.toString() === uri.toString() ? place.range.start.line + 1 : null;
    }),
  );
