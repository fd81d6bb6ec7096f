import { CompletionItemKind } from 'vscode-languageserver';
import { planOf } from '../uses.ts';
import type { ImportDeclaration, Span } from '../../grammar/index.ts';
import { holds } from '../convert.ts';
import { importUri } from '../imports.ts';
import { standardNames, standardText } from '../standard.ts';
import type { View } from '../view.ts';
import { symbolOffer, type Offer } from './offer.ts';

/** Paths inside the quotes of an import and names inside its braces; undefined elsewhere. */
export function importItems(
  view: View,
  offset: number,
): { readonly offers: readonly Offer[]; readonly span: Span } | undefined {
  const declaration = view.syntax.declarations.findLast((one) => one.start < offset);
  if (declaration?.kind !== 'import') return undefined;
  const { path } = declaration;
  if (path !== undefined && offset > path.start && offset <= path.end - 1) {
    const typed = view.syntax.text.slice(path.start + 1, offset);
    const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
    return { offers: pathOffers(view, folder), span: { start: path.start + 1 + folder.length, end: path.end - 1 } };
  }
  return nameItems(view, declaration, offset);
}

function pathOffers(view: View, folder: string): readonly Offer[] {
  const own = view.uri.slice(view.uri.lastIndexOf('/') + 1);
  const files = view.files
    .list(folder, view.uri)
    .filter((name) => name.endsWith('/') || (name.endsWith('.pipe') && name !== own));
  const standard = folder === '' ? standardNames : [];
  return [
    ...files.map((name) => ({
      label: name,
      kind: name.endsWith('/') ? CompletionItemKind.Folder : CompletionItemKind.File,
    })),
    ...standard.map((name) => ({ label: name, kind: CompletionItemKind.Module, detail: 'comes with Pipewright' })),
  ];
}

function nameItems(view: View, declaration: ImportDeclaration, offset: number) {
  const { tokens } = view.syntax;
  const inside = tokens.slice(declaration.first, declaration.last + 1);
  const open = inside.find((one) => one.text === '{');
  const close = inside.find((one) => one.text === '}');
  if (open === undefined || offset <= open.start || (close !== undefined && offset > close.start)) return undefined;
  const word = (declaration.names ?? []).find((one) => one.end > one.start && holds(one, offset));
  const taken = new Set((declaration.names ?? []).filter((one) => one !== word).map((one) => one.text));
  const offers = exported(view, declaration).filter((one) => !taken.has(one.label));
  return { offers, span: word ?? { start: offset, end: offset } };
}

function exported(view: View, { path }: ImportDeclaration): readonly Offer[] {
  const uri = path === undefined ? undefined : importUri(view.files, path.value, view.uri);
  if (uri === undefined) return [];
  const answer = view.files.read(uri);
  const text = standardText(uri) ?? ('text' in answer ? answer.text : '');
  return [...planOf(uri, text, view.files, view.options).symbols.symbols.values()]
    .filter((one) => one.declaration?.uri === uri && one.container === undefined && one.kind !== 'parameter')
    .map(symbolOffer);
}
