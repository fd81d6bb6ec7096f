import { CompletionItemKind } from 'vscode-languageserver';
import { planOf } from '../uses.ts';
import type { SymbolKind } from '../../engine/language/resolution.ts';
import type { Entry, ImportDeclaration, Span } from '../../grammar/index.ts';
import { holds } from '../convert.ts';
import { importUri } from '../imports.ts';
import { sourcePaths } from '../sourcePaths.ts';
import { standardText } from '../../engine/std/index.ts';
import { standardNames } from '../standard.ts';
import type { View } from '../view.ts';
import { symbolOffer, type Offer } from './offer.ts';

/** Paths inside the quotes of an import or of a file that `from` names, and names inside an import's braces; undefined elsewhere. */
export function importItems(
  view: View,
  offset: number,
): { readonly offers: readonly Offer[]; readonly span: Span } | undefined {
  const declaration = view.syntax.declarations.findLast((candidate) => candidate.start < offset);
  if (declaration?.kind !== 'import') {
    const named = sourcePaths(view.syntax).find((sourcePath) => inQuotes(view, sourcePath.path, offset));
    if (named === undefined) return undefined;
    const endings = sourceEndings[named.source] ?? [];
    return pathItems(view, named.path, offset, (name) => endings.some((ending) => name.endsWith(ending)), []);
  }
  const { path } = declaration;
  const fileName = view.uri.slice(view.uri.lastIndexOf('/') + 1);
  return path !== undefined && inQuotes(view, path, offset)
    ? pathItems(view, path, offset, (name) => name.endsWith('.pipe') && name !== fileName, standardNames)
    : (settingItems(view, declaration, offset) ?? nameItems(view, declaration, offset));
}

/** Params of the imported file, between the braces behind `with`. Behind a `=` nothing is known. */
function settingItems(view: View, declaration: ImportDeclaration, offset: number) {
  const { settings } = declaration;
  if (settings === undefined || offset <= settings.start || (settings.closed && offset >= settings.end))
    return undefined;
  const entries = settings.entries.filter((item): item is Entry => item.kind === 'entry');
  const word = entries.find(({ key }) => key.end > key.start && holds(key, offset))?.key;
  const span = word ?? { start: offset, end: offset };
  const before = view.syntax.tokens.findLast((token) => token.end <= span.start)?.text;
  if (before === '=') return { offers: [], span };
  const taken = new Set(entries.flatMap(({ key }) => (key === word ? [] : [key.text])));
  const offers = exported(view, declaration, ['param'])
    .filter((offer) => !taken.has(offer.label))
    .map((offer) => ({ ...offer, text: `${offer.label} = `, snippet: `${offer.label} = $1` }));
  return { offers, span };
}

/** How the names of files end that a source of layers or devices reads. */
const sourceEndings: Readonly<Record<string, readonly string[]>> = {
  profile: ['.txt', '.json'],
  huggingface: ['.json'],
  system: ['.json', '.yaml', '.yml'],
};

/** The end of the text of a path: before its closing quote, if it has one. */
const textEnd = (view: View, { start, end }: Span): number =>
  end - start > 1 && view.syntax.text[end - 1] === '"' ? end - 1 : end;

const inQuotes = (view: View, path: Span, offset: number): boolean =>
  offset > path.start && offset <= textEnd(view, path);

/** Names that would end the string, or that nobody could read in it. */
const unwritable = /["\\\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

function pathItems(
  view: View,
  path: Span,
  offset: number,
  fits: (name: string) => boolean,
  standard: readonly string[],
): { readonly offers: readonly Offer[]; readonly span: Span } {
  const typed = view.syntax.text.slice(path.start + 1, offset);
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const files = view.files
    .list(folder, view.uri)
    .filter((name) => (name.endsWith('/') || fits(name)) && !unwritable.test(name));
  const offers = [
    ...files.map((name) => ({
      label: name,
      kind: name.endsWith('/') ? CompletionItemKind.Folder : CompletionItemKind.File,
    })),
    ...(folder === '' ? standard : []).map((name) => ({
      label: name,
      kind: CompletionItemKind.Module,
      detail: 'comes with Pipewright',
    })),
  ];
  return { offers, span: { start: path.start + 1 + folder.length, end: textEnd(view, path) } };
}

function nameItems(view: View, declaration: ImportDeclaration, offset: number) {
  const { tokens } = view.syntax;
  const inside = tokens.slice(declaration.first, declaration.last + 1);
  const open = inside.find((token) => token.text === '{');
  const close = inside.find((token) => token.text === '}');
  if (open === undefined || offset <= open.start || (close !== undefined && offset > close.start)) return undefined;
  const word = (declaration.names ?? []).find((name) => name.end > name.start && holds(name, offset));
  const taken = new Set((declaration.names ?? []).filter((name) => name !== word).map((name) => name.text));
  const offers = exported(view, declaration).filter((offer) => !taken.has(offer.label));
  return { offers, span: word ?? { start: offset, end: offset } };
}

function exported(view: View, { path }: ImportDeclaration, kinds?: readonly SymbolKind[]): readonly Offer[] {
  const uri = path === undefined ? undefined : importUri(view.files, path.value, view.uri);
  if (uri === undefined) return [];
  const answer = view.files.read(uri);
  const text = standardText(uri) ?? ('text' in answer ? answer.text : '');
  return [...planOf(uri, text, view.files, view.options).symbols.symbols.values()]
    .filter(
      (symbol) =>
        symbol.declaration?.uri === uri &&
        symbol.container === undefined &&
        symbol.kind !== 'parameter' &&
        (kinds?.includes(symbol.kind) ?? true),
    )
    .map(symbolOffer);
}
