import type { DocumentLink } from 'vscode-languageserver';
import { toDocumentUri } from '../text/convert.ts';
import { importUri } from '../imports.ts';
import { sourcePaths } from '../text/sourcePaths.ts';
import { rangeIn, type View } from '../view.ts';

/** Paths of imports, profiles, configurations and systems; a path that leads nowhere is no link. */
export function documentLinks(view: View): DocumentLink[] {
  const imported = view.syntax.declarations.flatMap((declaration) =>
    declaration.kind === 'import' && declaration.path !== undefined ? [declaration.path] : [],
  );
  const named = sourcePaths(view.syntax).map((sourcePath) => sourcePath.path);
  return [...imported, ...named].flatMap((path) => {
    const uri = importUri(view.files, path.value, view.uri);
    return uri === undefined ? [] : [{ range: rangeIn(view, path), target: toDocumentUri(uri) }];
  });
}
