import type { DocumentLink } from 'vscode-languageserver';
import { toDocumentUri } from '../convert.ts';
import { importUri } from '../imports.ts';
import { rangeIn, type View } from '../view.ts';

/** Paths of imports; a path that leads nowhere is no link. */
export function documentLinks(view: View): DocumentLink[] {
  return view.syntax.declarations.flatMap((one) => {
    if (one.kind !== 'import' || one.path === undefined) return [];
    const uri = importUri(view.files, one.path.value, view.uri);
    if (uri === undefined) return [];
    return [{ range: rangeIn(view, one.path), target: toDocumentUri(uri) }];
  });
}
