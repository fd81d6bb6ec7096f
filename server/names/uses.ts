/** Uses of a name over files. */
import type { Place } from '../../engine/values/plan.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import type { Files, View } from '../view.ts';
import { askedOnce } from './asked.ts';
import { declarationKey, firstDeclared, type NameIndex } from './fileNames.ts';

export interface Uses {
  readonly uri: string;
  readonly text: string;
  /** In order of position. */
  readonly places: readonly Place[];
}

/**
 * By file, the view's file first. Built-in names are searched in the view's file only. Pauses between files. A file may change during
 * a pause, and then the search begins again.
 */
export function* usesOf(index: NameIndex, view: View, symbol: SymbolInfo): Generator<void, readonly Uses[], void> {
  const declaration = firstDeclared(symbol);
  const own = { uri: view.uri, text: view.syntax.text, places: placesIn(view, symbol) };
  if (declaration === undefined) return [own];
  for (;;) {
    const others = yield* usesElsewhere(index, view, symbol.name, declaration);
    if (yield* areNewest(view.files, others)) return [own, ...others];
  }
}

function* areNewest(files: Files, uses: readonly Uses[]): Generator<void, boolean, void> {
  for (const { uri, text } of uses) {
    yield;
    const answer = files.read(uri);
    if (!('text' in answer) || answer.text !== text) return false;
  }
  return true;
}

function* usesElsewhere(
  index: NameIndex,
  { uri: own, files, options }: View,
  name: string,
  declaration: Place,
): Generator<void, readonly Uses[], void> {
  const key = declarationKey(declaration);
  const uris = new Set([declaration.uri]);
  for (const uri of files.all()) {
    if (uri !== undefined) uris.add(uri);
    yield;
  }
  index.keep(uris);
  uris.delete(own);
  const host = askedOnce(files);
  const found: Uses[] = [];
  for (const uri of uris) {
    yield;
    const answer = host.read(uri);
    // A file that does not spell the name does not use it, so most files are not looked into.
    if (!('text' in answer) || !answer.text.includes(name)) continue;
    const places = (yield* index.of(uri, answer.text, host, options)).get(key);
    if (places !== undefined) found.push({ uri, text: answer.text, places });
  }
  return found;
}

function placesIn({ analysis }: View, symbol: SymbolInfo): readonly Place[] {
  const { references, symbols } = analysis.resolution.symbols;
  const declared = firstDeclared(symbol);
  const key = declared === undefined ? undefined : declarationKey(declared);
  const isSame = (other: SymbolInfo | undefined): boolean => {
    const place = other === undefined ? undefined : firstDeclared(other);
    return place === undefined ? key === undefined && other?.id === symbol.id : declarationKey(place) === key;
  };
  return references.filter((reference) => isSame(symbols.get(reference.symbol))).map((reference) => reference.place);
}
