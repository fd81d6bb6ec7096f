import type { DocumentLink } from 'vscode-languageserver';
import { toDocumentUri } from '../text/convert.ts';
import { importUri } from '../imports.ts';
import { sourcePaths } from '../text/sourcePaths.ts';
import type { Session } from '../session.ts';
import { rangeIn, type View } from '../view.ts';

/** Paths of imports, profiles, configurations and systems; a path that leads nowhere is no link. No editor shows a trace. */
export function documentLinks(view: View, { address }: Pick<Session, 'address'>): DocumentLink[] {
  const imported = view.syntax.declarations.flatMap((declaration) =>
    declaration.kind === 'import' && declaration.path !== undefined ? [declaration.path] : [],
  );
  const named = sourcePaths(view.syntax).flatMap(({ path, source }) => (source === 'trace' ? [] : [path]));
  return [...imported, ...named].flatMap((path) => {
    const uri = importUri(view.files, path.value, view.uri);
    return uri === undefined ? [] : [{ range: rangeIn(view, path), target: address(toDocumentUri(uri)) }];
  });
}
