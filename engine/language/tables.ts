/** What a file's names mean and where they are: of what was read for its text, and of what is known of the rest. */
import { tokensOf } from '../../grammar/index.ts';
import type { Declaration, SyntaxFile } from '../../grammar/syntax.ts';
import { isShared, type Origins, type Place, type Places } from '../values/plan.ts';
import type { FileContext } from './context.ts';
import type { Kept, Reference } from './kept.ts';
import type { DerivedValue, SymbolInfo, SymbolTable } from './resolution.ts';

type Skipped = ReadonlyMap<Declaration, Kept>;

export function symbolTable(context: FileContext, skipped: Skipped): SymbolTable {
  const symbols = new Map(context.symbols);
  const references = new Map(context.references);
  for (const [declaration, kept] of skipped) {
    const by = declaration.start - kept.start;
    for (const symbol of kept.symbols) symbols.set(symbol.id, movedSymbol(symbol, context.uri, by));
    for (const symbol of kept.builtIn) if (!symbols.has(symbol.id)) symbols.set(symbol.id, symbol);
    for (const reference of kept.references) {
      const { place, symbol } = movedReference(reference, by);
      if (!references.has(place.start)) references.set(place.start, { place, symbol });
    }
  }
  return {
    symbols: new Map(inOrder(symbols.values(), references.values(), context.uri).map((symbol) => [symbol.id, symbol])),
    references: [...references.values()].sort((a, b) => a.place.start - b.place.start),
  };
}

/** The file's own names by position, then names of other files as they came, then built-in ones that it uses. */
function inOrder(symbols: Iterable<SymbolInfo>, references: Iterable<Reference>, uri: string): readonly SymbolInfo[] {
  const used = new Set<string>();
  for (const { symbol } of references) used.add(symbol);
  const own: SymbolInfo[] = [];
  const others: SymbolInfo[] = [];
  const builtIn: SymbolInfo[] = [];
  for (const symbol of symbols)
    if (symbol.declaration?.uri === uri) own.push(symbol);
    else if (symbol.declaration !== undefined || symbol.container !== undefined) others.push(symbol);
    else if (used.has(symbol.id)) builtIn.push(symbol);
  own.sort((a, b) => (a.declaration?.start ?? 0) - (b.declaration?.start ?? 0));
  builtIn.sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...own, ...others, ...builtIn];
}

export function originsOf(context: FileContext, skipped: Skipped): Origins {
  const origins = new Map(context.origins);
  for (const [declaration, kept] of skipped)
    for (const [path, place] of kept.origins)
      if (!origins.has(path)) origins.set(path, movedPlace(place, declaration.start - kept.start));
  return origins;
}

/** Pipelines, jobs and conditions are read with each text, so only a path of what they share may be of what was not read. */
export const placesOf = (context: FileContext, origins: () => Origins): Places => ({
  get: (path) => context.origins.get(path) ?? (isShared(path) ? origins().get(path) : undefined),
});

/** By position. */
export function derivedOf(context: FileContext, skipped: Skipped): readonly DerivedValue[] {
  const derived = [...context.derived];
  for (const [declaration, kept] of skipped)
    for (const value of kept.derived) derived.push({ ...value, offset: value.offset + declaration.start - kept.start });
  return derived.sort((a, b) => a.offset - b.offset);
}

/** Notes what the declarations that are not read use. */
export function useSkipped(context: FileContext, skipped: Skipped): void {
  for (const { used } of skipped.values()) for (const symbol of used) context.used.add(symbol);
}

/** Whether the file has a name in a text that gave it no meaning: it may be a use. */
export function* unreadNames(syntax: SyntaxFile, context: FileContext, skipped: Skipped): Generator<string> {
  for (const { unread } of skipped.values()) yield* unread;
  for (const declaration of context.declarations)
    for (const { kind, start, text } of tokensOf(syntax, declaration))
      if (kind === 'name' && !context.references.has(start)) yield text;
}

const movedPlace = (place: Place, by: number): Place =>
  by === 0 ? place : { uri: place.uri, start: place.start + by, end: place.end + by };

const movedReference = (reference: Reference, by: number): Reference =>
  by === 0 ? reference : { place: movedPlace(reference.place, by), symbol: reference.symbol };

function movedSymbol(symbol: SymbolInfo, uri: string, by: number): SymbolInfo {
  if (by === 0) return symbol;
  const there = (place: Place) => (place.uri === uri ? movedPlace(place, by) : place);
  const { declaration, extent } = symbol;
  return {
    ...symbol,
    ...(declaration === undefined ? {} : { declaration: there(declaration) }),
    ...(extent === undefined ? {} : { extent: there(extent) }),
  };
}
