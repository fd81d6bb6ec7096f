/** What a feature is given: one version of one document, and the files around it. Never changes once made. */
import type { Location, Range } from 'vscode-languageserver';
import type { Analysis } from '../engine/flow/check.ts';
import type { EngineHost, EngineOptions } from '../engine/basics/host.ts';
import type { Arriving } from '../platform/common/files.ts';
import type { Place } from '../engine/values/plan.ts';
import type { SymbolInfo } from '../engine/language/resolution.ts';
import type { LineIndex, PositionEncoding, Span, SyntaxFile } from '../grammar/index.ts';
import { toLocation, toRange } from './text/convert.ts';

/** Enough for features that look at the text alone. */
export interface SyntaxView {
  readonly uri: string;
  readonly version: number;
  readonly syntax: SyntaxFile;
  readonly lines: LineIndex;
}

export interface View extends SyntaxView {
  readonly analysis: Analysis;
  readonly files: Files;
  readonly options: EngineOptions;
}

/** The files around a document, open or on disk. */
export interface Files extends EngineHost {
  /** Lines of a file; undefined where it cannot be read. */
  linesOf(uri: string): LineIndex | undefined;
  /** Lines of a text, with positions as the client counts them. */
  linesIn(text: string): LineIndex;
  /** Uris of files and folders in the folder of `from` joined with `path`; folders end with a slash. */
  list(path: string, from: string): readonly string[];
  /** `.pipe` files of the workspace folders, at most some thousand, as they are found. Undefined: none was found for a moment. */
  all(): Iterable<string | undefined>;
  /** Absent: every file is there at once. */
  readonly arriving?: Arriving;
}

/** What the client can take; absent means no. */
export interface ClientAbilities {
  readonly snippets: boolean;
  /** A second text in the row of a completion. */
  readonly labelDetails: boolean;
  readonly related: boolean;
  readonly versionedEdits: boolean;
  /** An edit may create files. */
  readonly createsFiles: boolean;
  /** It asks for quick fixes, so that they are worth finding ahead. */
  readonly codeActions: boolean;
  /** It asks for the edit of an action when you choose it. */
  readonly resolvesEdits: boolean;
  /** It asks for the text over a hint when you point at it. */
  readonly resolvesTips: boolean;
  /** It shows why an action is not possible. */
  readonly disabledActions: boolean;
  /** It shows documents of the server, such as the text of a built-in policy. */
  readonly documents: boolean;
  /** Definitions as links, with the range of the whole declaration. */
  readonly links: boolean;
  /** It is the extension: it has previews, and hovers may show pictures. */
  readonly previews: boolean;
  /** It asks for findings, so the server does not send them. */
  readonly pulls: boolean;
  /** With the findings of a document it takes findings of others. */
  readonly relatedDocuments: boolean;
  /** What the positions of its messages count. */
  readonly encoding: PositionEncoding;
}

export interface Reference {
  readonly place: Place;
  readonly symbol: SymbolInfo;
}

/** The name at an offset and what it means. At a border between two names the one that begins there. */
export function referenceAt(view: View, offset: number): Reference | undefined {
  const { references, symbols } = view.analysis.resolution.symbols;
  let low = 0;
  let high = references.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = references[middle];
    if (found !== undefined && found.place.start <= offset) low = middle + 1;
    else high = middle;
  }
  const found = references[low - 1];
  if (found === undefined || offset > found.place.end) return undefined;
  const symbol = symbols.get(found.symbol);
  return symbol === undefined ? undefined : { place: found.place, symbol };
}

/** Places in the file itself that mean the symbol. */
export const placesOf = (view: View, id: string): readonly Place[] =>
  view.analysis.resolution.symbols.references
    .filter((reference) => reference.symbol === id)
    .map((reference) => reference.place);

export const rangeIn = (view: SyntaxView, span: Span): Range => toRange(view.lines, span);

export const locate = (view: View, place: Place): Location | undefined =>
  toLocation(place, (uri) => (uri === view.uri ? view.lines : view.files.linesOf(uri)));
