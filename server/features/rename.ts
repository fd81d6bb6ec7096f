import type { PrepareRenameParams, Range, RenameParams, WorkspaceEdit } from 'vscode-languageserver';
import type { EngineHost } from '../../engine/basics/host.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import { parse } from '../../grammar/index.ts';
import { toOffset, toRange } from '../text/convert.ts';
import { type EditHost, workspaceEdit } from './workspaceEdit.ts';
import { Refusal } from '../handlers.ts';
import { firstDeclared, type NameIndex, readSteps } from '../names/fileNames.ts';
import { type Uses, usesOf } from '../names/uses.ts';
import { rangeIn, referenceAt, type Reference, type View } from '../view.ts';

export function prepareRename(view: View, params: PrepareRenameParams): { range: Range; placeholder: string } | null {
  const found = referenceAt(view, toOffset(view.lines, params.position));
  if (found === undefined) return null;
  refuseBuiltIn(found);
  return { range: rangeIn(view, found.place), placeholder: found.symbol.name };
}

/**
 * Edits of every file of the workspace that uses the name. Before they are given, the edited texts are read: a rename
 * after which any name means something else, or an error appears, is refused. Plans know no names, so none is made.
 */
export function* rename(
  view: View,
  params: RenameParams,
  index: NameIndex,
  host: EditHost,
): Generator<void, WorkspaceEdit | null, void> {
  const found = referenceAt(view, toOffset(view.lines, params.position));
  if (found === undefined) return null;
  refuseBuiltIn(found);
  const { newName } = params;
  if (!isName(newName))
    throw new Refusal(`"${newName}" is not a name. Use letters, digits and _, and no quantity such as 4ms.`);
  const uses = yield* usesOf(index, view, found.symbol);
  const texts = new Map(uses.map((use) => [use.uri, renamed(use, newName)]));
  const after: EngineHost = {
    resolve: (path, from) => view.files.resolve(path, from),
    read: (uri) => {
      const text = texts.get(uri);
      return text === undefined ? view.files.read(uri) : { text };
    },
  };
  for (const use of uses) {
    const before = yield* readSteps(use.uri, use.text, view.files, view.options, 'definitions');
    const changed = yield* readSteps(use.uri, texts.get(use.uri) ?? use.text, after, view.options, 'definitions');
    if (errors(changed) > errors(before) || meaning(changed) !== meaning(before))
      throw new Refusal(`"${newName}" already means something else here.`);
  }
  return workspaceEdit(
    uses.map(({ uri, text, places }) => {
      const lines = uri === view.uri ? view.lines : view.files.linesIn(text);
      return { uri, edits: places.map((place) => ({ range: toRange(lines, place), newText: newName })) };
    }),
    host,
  );
}

function refuseBuiltIn({ symbol }: Reference): void {
  if (symbol.declaration === undefined) throw new Refusal(`"${symbol.name}" is built in and cannot be renamed.`);
  if (symbol.foreign === true)
    throw new Refusal(`"${symbol.name}" comes from a file of another format and cannot be renamed.`);
  const uri = firstDeclared(symbol)?.uri ?? '';
  if (uri.startsWith('std:')) throw new Refusal(`"${symbol.name}" comes from ${uri} and cannot be renamed.`);
}

/** A name as the lexer sees it: one token. */
function isName(text: string): boolean {
  const { tokens, comments, errors: faults } = parse(`let ${text} = 1`);
  return faults.length === 0 && comments.length === 0 && tokens[1]?.kind === 'name' && tokens[1].text === text;
}

function renamed(use: Uses, name: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const place of use.places) {
    parts.push(use.text.slice(from, place.start), name);
    from = place.end;
  }
  return parts.join('') + use.text.slice(from);
}

const errors = (resolution: Resolution): number =>
  resolution.findings.filter((found) => found.severity === 'error').length;

/** Which references mean the same thing, whatever it is called: for each the number of the first one with its symbol. */
function meaning({ symbols }: Resolution): string {
  const first = new Map<string, number>();
  return symbols.references
    .map((reference, index) => {
      const known = first.get(reference.symbol) ?? index;
      first.set(reference.symbol, known);
      return known;
    })
    .join(' ');
}
