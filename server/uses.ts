/** Uses of a name over files. */
import { resolve } from '../engine/flow/resolve.ts';
import type { Place } from '../engine/values/plan.ts';
import type { Resolution, SymbolInfo } from '../engine/language/resolution.ts';
import type { EngineHost, EngineOptions } from '../engine/basics/host.ts';
import { noSearches } from '../engine/basics/searches.ts';
import { parse } from '../grammar/index.ts';
import type { View } from './view.ts';

export interface Uses {
  readonly uri: string;
  readonly text: string;
  readonly resolution: Resolution;
  /** In order of position. */
  readonly places: readonly Place[];
}

/** By file, the view's file first. Built-in names and names inside a block are searched in the view's file only. */
export function usesOf(view: View, symbol: SymbolInfo): readonly Uses[] {
  const { resolution, syntax } = view.analysis;
  const uses = { uri: view.uri, text: syntax.text, resolution, places: placesIn(resolution, symbol) };
  const declaration = firstDeclared(symbol);
  if (declaration === undefined) return [uses];
  // A file that does not spell the name does not use it, so most files are not looked into.
  const others = view.files.all().filter((uri) => uri !== view.uri);
  const uris = new Set([...(declaration.uri === view.uri ? [] : [declaration.uri]), ...others]);
  const found = [...uris].flatMap((uri) => {
    const answer = view.files.read(uri);
    if (!('text' in answer) || !answer.text.includes(symbol.name)) return [];
    const there = planOf(uri, answer.text, view.files, view.options);
    const places = placesIn(there, symbol);
    return places.length === 0 ? [] : [{ uri, text: answer.text, resolution: there, places }];
  });
  return [uses, ...found];
}

/** The names of a text, without planning or simulating what takes long. */
export function planOf(uri: string, text: string, host: EngineHost, options: EngineOptions): Resolution {
  const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  return resolve({ uri, syntax, host, options, searches: noSearches });
}

/** A name of a schedule that replaces one of its base is the same name. */
export const firstDeclared = ({ replaces, declaration }: SymbolInfo): Place | undefined => replaces ?? declaration;

/** Files number their symbols each for itself; a declaration's place is what they have in common. */
function placesIn(resolution: Resolution, symbol: SymbolInfo): readonly Place[] {
  const declared = firstDeclared(symbol);
  const same = (other: SymbolInfo | undefined): boolean => {
    const place = other === undefined ? undefined : firstDeclared(other);
    return declared === undefined
      ? other?.id === symbol.id
      : place?.uri === declared.uri && place.start === declared.start;
  };
  const { references, symbols } = resolution.symbols;
  return references.filter((reference) => same(symbols.get(reference.symbol))).map((reference) => reference.place);
}
