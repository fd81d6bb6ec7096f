import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  CreateFile,
  TextDocumentEdit,
  TextEdit,
} from 'vscode-languageserver';
import { type Move, moves } from '../../engine/fixes/moveToFile.ts';
import { isProven, type Rewriting, type RewritingKind } from '../../engine/fixes/rewriting.ts';
import { rewritings } from '../../engine/fixes/rewritings.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { Span } from '../../grammar/index.ts';
import { Refusal } from '../handlers.ts';
import type { NameIndex } from '../names/fileNames.ts';
import { usesOf } from '../names/uses.ts';
import { trials } from '../searches/trials.ts';
import { toSpan } from '../text/convert.ts';
import { rangeIn, referenceAt, type View } from '../view.ts';
import { type EditHost, workspaceEdit } from './workspaceEdit.ts';

/** What a list says of a refactoring whose edit is still to be made. */
export interface Unresolved extends Span {
  readonly uri: string;
  readonly version: number;
  readonly title: string;
}

const kinds: Readonly<Record<RewritingKind, CodeActionKind>> = {
  extract: CodeActionKind.RefactorExtract,
  inline: CodeActionKind.RefactorInline,
  move: CodeActionKind.RefactorMove,
  rewrite: CodeActionKind.RefactorRewrite,
};

/** Refactorings of the selected text. Nothing is tried yet. */
export const rewritingsOf = (
  view: View,
  { range }: CodeActionParams,
  abilities: EditHost['abilities'],
  wanted: (kind: CodeActionKind) => boolean,
) => found(view, toSpan(view.lines, range), abilities).filter(({ kind }) => wanted(kinds[kind]));

const found = (view: View, span: Span, { createsFiles }: EditHost['abilities']): readonly (Rewriting | Move)[] => [
  ...rewritings(view.analysis, span),
  ...(createsFiles ? moves(view.analysis, span, isTaken(view)) : []),
];

const isTaken =
  ({ files, uri }: View) =>
  (name: string): boolean => {
    const answer = files.read(files.resolve(name, uri));
    return !('problem' in answer) || answer.problem !== 'not-found';
  };

export const unresolved = (view: View, { range }: CodeActionParams, { title, kind }: Rewriting): CodeAction => ({
  title,
  kind: kinds[kind],
  data: { uri: view.uri, version: view.version, title, ...toSpan(view.lines, range) } satisfies Unresolved,
});

export function resolved(view: View, rewriting: Rewriting | Move, abilities: EditHost['abilities']): CodeAction {
  const { title, kind, edits } = rewriting;
  const written = edits.map((each) => ({ range: rangeIn(view, each), newText: each.text }));
  const edit = workspaceEdit([{ uri: view.uri, edits: written }], {
    abilities,
    documents: { version: () => view.version },
  });
  const created = 'file' in rewriting ? newFile(view.files.resolve(rewriting.file.name, view.uri), rewriting) : [];
  return {
    title,
    kind: kinds[kind],
    edit: created.length === 0 ? edit : { documentChanges: [...created, ...(edit.documentChanges ?? [])] },
  };
}

const newFile = (uri: string, { file }: Move): (CreateFile | TextDocumentEdit)[] => [
  CreateFile.create(uri),
  TextDocumentEdit.create({ uri, version: null }, [TextEdit.insert({ line: 0, character: 0 }, file.text)]),
];

/** The files after a move. */
function withFile(view: View, rewriting: Rewriting | Move): View {
  if (!('file' in rewriting)) return view;
  const { files } = view;
  const uri = files.resolve(rewriting.file.name, view.uri);
  const { text } = rewriting.file;
  return { ...view, files: { ...files, read: (asked) => (asked === uri ? { text } : files.read(asked)) } };
}

/** Of these, those that leave every figure as it is. Pauses between trials. */
export function* provenRewritings(
  view: View,
  offered: readonly (Rewriting | Move)[],
  searches: Searches,
  index: NameIndex,
): Generator<void, readonly (Rewriting | Move)[], void> {
  const proven: (Rewriting | Move)[] = [];
  for (const rewriting of offered) {
    yield;
    if (yield* isUsedElsewhere(view, rewriting, index)) continue;
    if (isProven(view.analysis, rewriting, trials(withFile(view, rewriting))(searches))) proven.push(rewriting);
  }
  return proven;
}

/** Another file would lose a name. */
function* isUsedElsewhere(view: View, { names = [] }: Rewriting, index: NameIndex): Generator<void, boolean, void> {
  for (const at of names) {
    const used = referenceAt(view, at)?.symbol;
    if (used !== undefined && (yield* usesOf(index, view, used)).length > 1) return true;
  }
  return false;
}

/** The action of a list with its edit. Refused if the text has changed since, or if a figure would change. */
export function* resolveRewriting(
  view: View,
  { version, title, start, end }: Unresolved,
  searches: Searches,
  host: { readonly names: NameIndex; readonly abilities: EditHost['abilities'] },
): Generator<void, CodeAction, void> {
  const all = view.version === version ? found(view, { start, end }, host.abilities) : [];
  const asked = all.filter((each) => each.title === title);
  if (asked.length === 0) throw new Refusal('The file has changed since. Open the list of actions again.');
  const [proven] = yield* provenRewritings(view, asked, searches, host.names);
  if (proven === undefined)
    throw new Refusal(
      `"${title}" is not possible here: it would bring in an error, change a figure or take a name from another file.`,
    );
  return resolved(view, proven, host.abilities);
}
