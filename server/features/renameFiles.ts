import type { FileRename, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { URI } from 'vscode-uri';
import { type LineIndex, parse, type StringLiteral, type SyntaxFile } from '../../grammar/index.ts';
import { type EditHost, workspaceEdit } from './workspaceEdit.ts';
import { folderOf, relativePath } from '../text/relativePath.ts';
import { sourcePaths } from '../text/sourcePaths.ts';
import { toRange } from '../text/convert.ts';
import { normal } from '../text/uris.ts';
import type { Files } from '../view.ts';

/** Paths in all files of the workspace after some files or folders have moved: of those, and to those. Pauses between files. */
export function* renameFiles(
  files: Files,
  renames: readonly FileRename[],
  host: EditHost,
): Generator<void, WorkspaceEdit | null, void> {
  const changed: { readonly uri: string; readonly edits: TextEdit[] }[] = [];
  const moved = movedBy(renames);
  for (const uri of files.all()) {
    yield;
    const answer = uri === undefined ? undefined : files.read(uri);
    if (uri === undefined || answer === undefined || !('text' in answer)) continue;
    const edits = editsIn(uri, answer.text, files, moved);
    if (edits.length > 0) changed.push({ uri, edits });
  }
  return changed.length === 0 ? null : workspaceEdit(changed, host);
}

/** Where a file is afterwards. */
function movedBy(renames: readonly FileRename[]): (uri: string) => string {
  const pairs = renames.map(({ oldUri, newUri }) => [normal(oldUri), normal(newUri)] as const);
  return (uri) => {
    const at = normal(uri);
    for (const [from, to] of pairs) {
      if (at === from) return to;
      if (at.startsWith(`${from}/`)) return to + at.slice(from.length);
    }
    return at;
  };
}

function editsIn(uri: string, text: string, files: Files, moved: (uri: string) => string): TextEdit[] {
  // Most files name no other.
  if (!text.includes('"')) return [];
  const from = moved(uri);
  let lines: LineIndex | undefined;
  return pathsIn(parse(text)).flatMap((path) => {
    if (path.value.startsWith('std:') || path.value === '') return [];
    const target = files.resolve(path.value, uri);
    const [before, after] = [normal(target), moved(target)];
    if (before === after && from === normal(uri)) return [];
    const written = relative(from, after, path.value.startsWith('./'));
    if (written === undefined || written === path.value) return [];
    lines ??= files.linesIn(text);
    return [{ range: toRange(lines, path), newText: JSON.stringify(written) }];
  });
}

const pathsIn = (syntax: SyntaxFile): readonly StringLiteral[] => [
  ...syntax.declarations.flatMap((each) => (each.kind === 'import' && each.path !== undefined ? [each.path] : [])),
  ...sourcePaths(syntax).map(({ path }) => path),
];

/** Undefined where the two are not on one disk, or the path could not be written. */
function relative(from: string, to: string, dotted: boolean): string | undefined {
  const [own, target] = [URI.parse(from), URI.parse(to)];
  if (own.scheme !== target.scheme || own.authority !== target.authority) return undefined;
  const path = relativePath(folderOf(own.path), target.path);
  if (/["\\\p{Cc}]/u.test(path)) return undefined;
  return dotted && !path.startsWith('../') ? `./${path}` : path;
}
