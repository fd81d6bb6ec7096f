import { table } from '../../engine/basics/table.ts';
import { CompletionItemKind } from 'vscode-languageserver';
import { definitionsOf } from '../names/fileNames.ts';
import type { SymbolKind } from '../../engine/language/resolution.ts';
import { exportsOf, standardNames as standardExports, type Exported } from '../../engine/language/exported.ts';
import type { Declaration, Entry, ImportDeclaration, Span, Token } from '../../grammar/index.ts';
import { holds } from '../text/convert.ts';
import { importUri } from '../imports.ts';
import { neighboursOf } from '../neighbours.ts';
import { sourcePaths } from '../text/sourcePaths.ts';
import { standardText } from '../../engine/std/index.ts';
import { standardNames } from '../standard.ts';
import type { View } from '../view.ts';
import { exportedOffer } from './importable.ts';
import { byUse, usualImports } from './usual.ts';
import { keywordOffer, literal, symbolOffer, type Offer } from './offer.ts';

/** Paths inside the quotes of an import or of a file that `from` names, and names inside an import's braces; undefined elsewhere. */
export function importItems(
  view: View,
  offset: number,
): { readonly offers: readonly Offer[]; readonly span: Span } | undefined {
  const declaration = declarationAt(view, offset);
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
    : (settingItems(view, declaration, offset) ??
        nameItems(view, declaration, offset) ??
        headItems(view, declaration, offset));
}

/** The one that the offset is in or behind. Behind an import without a path, the first letters of `from` belong to it. */
function declarationAt({ syntax: { declarations } }: View, offset: number): Declaration | undefined {
  const at = declarations.findLastIndex((candidate) => candidate.start < offset);
  const before = declarations[at - 1];
  const isBegun = declarations[at]?.kind === 'skipped' && before?.kind === 'import' && before.path === undefined;
  return isBegun ? before : declarations[at];
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

/** How the names of files end that a source of layers, devices or runs reads. */
const sourceEndings: Readonly<Record<string, readonly string[]>> = table({
  profile: ['.txt', '.json'],
  huggingface: ['.json'],
  system: ['.json', '.yaml', '.yml'],
  trace: ['.json', '.json.gz', '.jsonl', '.csv'],
});

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
    ...(folder === '' ? standard : []).map((name) => ({
      label: name,
      kind: CompletionItemKind.Module,
      detail: 'comes with Pipewright',
    })),
    ...files.map((name) => ({
      label: name,
      kind: name.endsWith('/') ? CompletionItemKind.Folder : CompletionItemKind.File,
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
  const span = word ?? { start: offset, end: offset };
  const isOpen = declaration.path === undefined || declaration.path.value === '';
  const found = byUse(
    isOpen ? allNames(view, declaration, [...taken], close) : exported(view, declaration),
    ({ label }) => label,
    usualImports,
  );
  return { offers: found.filter((offer) => !taken.has(offer.label)), span };
}

/** Names of every file that an import may name, each written with the path that it is in. Other `names` are in the same file. */
function allNames(
  view: View,
  { path, first, last }: ImportDeclaration,
  names: readonly string[],
  close: Token | undefined,
): readonly Offer[] {
  const from = view.syntax.tokens.slice(first, last + 1).find((token) => token.text === 'from' && token !== close);
  const at = path ?? from ?? close;
  const found = filesWith(view, names).flatMap(({ path: file, exports }) =>
    exports.map((each): Offer => {
      const { name } = each;
      const rest = path === undefined ? `${from === undefined ? ' from' : ''} "${file}"` : `"${file}"`;
      const edit = at === undefined ? undefined : { start: path?.start ?? at.end, end: at.end, text: rest };
      const written = edit === undefined ? `${name} }${rest}` : name;
      return {
        ...exportedOffer(each),
        text: written,
        snippet: literal(written),
        ...(edit === undefined ? {} : { edits: [edit] }),
      };
    }),
  );
  // Numbers of another file are seldom wanted.
  const isNumber = ({ detail }: Offer): boolean => detail === 'let' || detail === 'param';
  return [...found.filter((offer) => !isNumber(offer)), ...found.filter(isNumber)];
}

/** Files that declare all these names: files that come with the language, then files of the folder. */
function filesWith(
  view: View,
  names: readonly string[],
): readonly { readonly path: string; readonly exports: readonly Exported[] }[] {
  const own = neighboursOf(view)().map((file) => ({ path: file.path, exports: onceEach(exportsOf(file)) }));
  const standard = standardNames.map((path) => ({
    path,
    exports: standardExports().filter((each) => each.path === path),
  }));
  return [...standard, ...own].filter(
    ({ path, exports }) => !unwritable.test(path) && names.every((name) => exports.some((each) => each.name === name)),
  );
}

/** A name that a file declares twice, by mistake, is one name. */
const onceEach = (exports: readonly Exported[]): readonly Exported[] =>
  exports.filter(({ name }, at) => exports.findIndex((each) => each.name === name) === at);

/** What comes behind `import`, behind `import { … }` and behind `from`. */
function headItems(view: View, declaration: ImportDeclaration, offset: number) {
  if (declaration.path !== undefined) return undefined;
  const { tokens } = view.syntax;
  const at = tokens.findLastIndex((token) => token.start < offset);
  const touching = tokens[at];
  const isWord = touching !== undefined && touching.kind === 'name' && touching.end >= offset;
  const before = tokens[isWord ? at - 1 : at];
  const span = isWord ? touching : { start: offset, end: offset };
  if (before === undefined || before.start < declaration.start) return undefined;
  // On the next line another declaration begins.
  if (view.syntax.text.slice(before.end, span.start).includes('\n')) return undefined;
  const names = (declaration.names ?? []).map(({ text }) => text);
  const paths = (prefix: string): readonly Offer[] =>
    filesWith(view, names).map(({ path }) => ({
      label: `${prefix}"${path}"`,
      kind: CompletionItemKind.Module,
      snippet: literal(`${prefix}"${path}"`),
    }));
  if (before.text === 'from') return isWord ? undefined : { offers: paths(''), span };
  if (before.text === 'import' && !isWord) {
    const braces = keywordOffer('{ … } from', 'Only some names of a file.', '{ $1 }');
    return { offers: [{ ...braces, opens: 'values' as const, filter: '{' }, ...paths('')], span };
  }
  if (before.text !== '}' || declaration.names === undefined) return undefined;
  const keyword = keywordOffer('from', 'The file that declares the names.', 'from "$1"');
  return { offers: [...paths('from '), { ...keyword, opens: 'values' as const }], span };
}

function exported(view: View, { path }: ImportDeclaration, kinds?: readonly SymbolKind[]): readonly Offer[] {
  const uri = path === undefined ? undefined : importUri(view.files, path.value, view.uri);
  if (uri === undefined) return [];
  const answer = view.files.read(uri);
  const text = standardText(uri) ?? ('text' in answer ? answer.text : '');
  return [...definitionsOf(uri, text, view.files, view.options).symbols.symbols.values()]
    .filter(
      (symbol) =>
        symbol.declaration?.uri === uri &&
        symbol.container === undefined &&
        symbol.kind !== 'parameter' &&
        (kinds?.includes(symbol.kind) ?? true),
    )
    .map(symbolOffer);
}
