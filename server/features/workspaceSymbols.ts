import type { DocumentSymbol, SymbolInformation } from 'vscode-languageserver';
import { parse } from '../../grammar/index.ts';
import type { Files } from '../view.ts';
import { documentSymbols } from './documentSymbols.ts';

const mostSymbols = 500;

/** What the texts of files declare, kept for as long as the texts are the same. */
export interface DeclaredNames {
  readonly known: Map<string, { readonly text: string; readonly symbols: readonly SymbolInformation[] }>;
}

/** Names of the workspace that hold the letters of the query in its order, the closest first. Pauses between files. */
export function* workspaceSymbols(
  files: Files,
  query: string,
  { known }: DeclaredNames,
): Generator<void, SymbolInformation[], void> {
  const found: SymbolInformation[] = [];
  const seen = new Set<string>();
  for (const uri of files.all()) {
    yield;
    const answer = uri === undefined ? undefined : files.read(uri);
    if (uri === undefined || answer === undefined || !('text' in answer)) continue;
    seen.add(uri);
    let file = known.get(uri);
    if (file?.text !== answer.text) {
      file = { text: answer.text, symbols: symbolsOf(uri, answer.text, files) };
      known.set(uri, file);
    }
    found.push(...file.symbols.filter(({ name }) => distance(query, name) !== undefined));
  }
  for (const uri of known.keys()) if (!seen.has(uri)) known.delete(uri);
  const rank = ({ name }: SymbolInformation): number => distance(query, name) ?? Infinity;
  return found.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)).slice(0, mostSymbols);
}

function symbolsOf(uri: string, text: string, files: Files): readonly SymbolInformation[] {
  const view = { uri, version: 0, syntax: parse(text), lines: files.linesIn(text) };
  const flat = (symbol: DocumentSymbol, container?: string): readonly SymbolInformation[] => [
    // An entry without a name, such as `stages = …`, is nobody's aim.
    ...(symbol.detail === ''
      ? []
      : [
          {
            name: symbol.name,
            kind: symbol.kind,
            location: { uri, range: symbol.selectionRange },
            containerName: container,
          },
        ]),
    ...(symbol.children ?? []).flatMap((child) => flat(child, symbol.name)),
  ];
  return documentSymbols(view).flatMap((symbol) => flat(symbol));
}

/** 0 for the name itself, 1 where it begins so, 2 where it holds the query, 3 where its letters are among it; undefined otherwise. */
function distance(query: string, name: string): number | undefined {
  const [asked, given] = [query.toLowerCase(), name.toLowerCase()];
  if (asked === given) return 0;
  if (given.startsWith(asked)) return 1;
  if (given.includes(asked)) return 2;
  let at = 0;
  for (const letter of given) if (letter === asked[at]) at += 1;
  return at === asked.length ? 3 : undefined;
}
