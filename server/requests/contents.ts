import type { NewPipeline } from '../../engine/fixes/newPipeline.ts';
import { apply } from '../../engine/fixes/proposal.ts';
import type { Declaration } from '../../grammar/syntax.ts';
import type { FileContents } from '../../webview/protocol/requests.ts';
import { minimalEdit } from '../text/minimalEdit.ts';
import { rangeIn, type View } from '../view.ts';

/** Names of one kind that are listed. */
const mostNames = 3;

/** What a text without a pipeline declares; undefined if it declares nothing. */
export function declaredIn({ syntax }: Pick<View, 'syntax'>): FileContents['declared'] | undefined {
  const kinds = new Map<string, string[]>();
  for (const declaration of syntax.declarations) {
    const { kind, name } = declared(declaration);
    if (kind === undefined) continue;
    const names = kinds.get(kind) ?? [];
    kinds.set(kind, names);
    names.push(name);
  }
  if (kinds.size === 0) return undefined;
  return Array.from(kinds, ([kind, names]) => ({ kind, names: names.slice(0, mostNames), count: names.length }));
}

function declared(declaration: Declaration): { readonly kind: string | undefined; readonly name: string } {
  switch (declaration.kind) {
    case 'block':
      return { kind: declaration.keyword.text, name: declaration.name?.text ?? '' };
    case 'import':
      return { kind: 'import', name: declaration.path?.value ?? '' };
    case 'param':
    case 'let':
      return { kind: declaration.kind, name: declaration.name?.text ?? '' };
    case 'skipped':
      return { kind: undefined, name: '' };
  }
}

/** The pipeline that can be added to such a text. */
export function additionOf(view: View, { title, assumptions, edits }: NewPipeline): FileContents['addition'] {
  const { text } = view.syntax;
  const edit = minimalEdit(text, apply(text, edits));
  return { title, assumptions, edit: { range: rangeIn(view, edit), newText: edit.text } };
}
