import { newPipeline } from '../../engine/fixes/newPipeline.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { Declaration } from '../../grammar/syntax.ts';
import type { FileContents } from '../../webview/protocol/requests.ts';
import { plannedAgain } from '../searches/trials.ts';
import { rangeIn, type View } from '../view.ts';

/** Names of one kind that are listed. */
const mostNames = 3;
/** Characters of a text that is planned some times more while it is edited. */
const longest = 200_000;

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

/** What such a text has, and the pipeline that can be added to it. */
export function contentsOf(view: View, searches: Searches): FileContents | undefined {
  const found = declaredIn(view);
  if (found === undefined) return undefined;
  const again = plannedAgain(view, searches);
  const added = view.syntax.text.length > longest ? undefined : newPipeline(view.analysis, again);
  if (added === undefined) return { declared: found };
  const { title, assumptions, edit } = added;
  return {
    declared: found,
    addition: { title, assumptions, edit: { range: rangeIn(view, edit), newText: edit.text } },
  };
}
