import { type CodeAction, CodeActionKind, type CodeActionParams } from 'vscode-languageserver';
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
  rewrite: CodeActionKind.RefactorRewrite,
};

/** Refactorings of the selected text. Nothing is tried yet. */
export const rewritingsOf = (view: View, { range }: CodeActionParams, wanted: (kind: CodeActionKind) => boolean) =>
  rewritings(view.analysis, toSpan(view.lines, range)).filter(({ kind }) => wanted(kinds[kind]));

export const unresolved = (view: View, { range }: CodeActionParams, { title, kind }: Rewriting): CodeAction => ({
  title,
  kind: kinds[kind],
  data: { uri: view.uri, version: view.version, title, ...toSpan(view.lines, range) } satisfies Unresolved,
});

export function resolved(view: View, { title, kind, edits }: Rewriting, abilities: EditHost['abilities']): CodeAction {
  const written = edits.map((each) => ({ range: rangeIn(view, each), newText: each.text }));
  const edit = workspaceEdit([{ uri: view.uri, edits: written }], {
    abilities,
    documents: { version: () => view.version },
  });
  return { title, kind: kinds[kind], edit };
}

/** Of these, those that leave every figure as it is. Pauses between trials. */
export function* provenRewritings(
  view: View,
  found: readonly Rewriting[],
  searches: Searches,
  index: NameIndex,
): Generator<void, readonly Rewriting[], void> {
  const again = trials(view)(searches);
  const proven: Rewriting[] = [];
  for (const rewriting of found) {
    yield;
    if (rewriting.kind === 'inline' && (yield* isUsedElsewhere(view, rewriting, index))) continue;
    if (isProven(view.analysis, rewriting, again)) proven.push(rewriting);
  }
  return proven;
}

/** Another file would lose the name. */
function* isUsedElsewhere(view: View, { edits }: Rewriting, index: NameIndex): Generator<void, boolean, void> {
  const used = edits.flatMap(({ start, text }) => (text === '' ? [] : (referenceAt(view, start)?.symbol ?? [])))[0];
  return used !== undefined && (yield* usesOf(index, view, used)).length > 1;
}

/** The action of a list with its edit. Refused if the text has changed since, or if a figure would change. */
export function* resolveRewriting(
  view: View,
  { version, title, start, end }: Unresolved,
  searches: Searches,
  host: { readonly names: NameIndex; readonly abilities: EditHost['abilities'] },
): Generator<void, CodeAction, void> {
  const found = view.version === version ? rewritings(view.analysis, { start, end }) : [];
  const asked = found.filter((each) => each.title === title);
  if (asked.length === 0) throw new Refusal('The file has changed since. Open the list of actions again.');
  const [proven] = yield* provenRewritings(view, asked, searches, host.names);
  if (proven === undefined)
    throw new Refusal(
      `"${title}" is not possible here: it would bring in an error, change a figure or take a name from another file.`,
    );
  return resolved(view, proven, host.abilities);
}
