import type { Reporter } from '../findings/reporter.ts';
import type { Declaration, Name, Span, SyntaxFile } from '../../grammar/syntax.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { ForeignFiles } from './foreign.ts';
import type { Dimension, ParamPlan, Place } from '../values/plan.ts';
import type { DerivedValue, SymbolInfo, SymbolKind } from './resolution.ts';
import type { Value } from './values.ts';

/**
 * What the names of one file mean, while it is resolved. Filled in order: names and members (declare, imports), links (linking), values.
 * Whatever is erroneous is `undefined` and has been reported.
 */
export interface FileContext {
  readonly uri: string;
  readonly syntax: SyntaxFile;
  /** Declarations that are read. What the others say is known. */
  readonly declarations: readonly Declaration[];
  readonly options: EngineOptions;
  readonly report: Reporter;
  readonly foreign: ForeignFiles;
  /** The file's one name space: its own declarations and what it imports. */
  readonly names: Map<string, SymbolInfo>;
  /** Schedules that take over one that is not known: any unknown name in them may come from there. */
  readonly open: Set<string>;
  /** Names that an import should have given and did not: asking for them is no second mistake. */
  readonly broken: Set<string>;
  /** Schedules with a name that hides another, or with a form of another language: reported, and they define nothing. */
  readonly unsound: Set<string>;
  /** Layers of models and stages of pipelines, by the symbol that holds them. */
  readonly members: Map<string, ReadonlyMap<string, SymbolInfo>>;
  readonly symbols: Map<string, SymbolInfo>;
  /** By offset. */
  readonly references: Map<number, { readonly place: Place; readonly symbol: string }>;
  /** Symbols used other than by their own declaration. */
  readonly used: Set<string>;
  /** What each name in an expression means. */
  readonly links: Map<Name, string>;
  readonly values: Map<string, Value | undefined>;
  readonly params: Map<string, ParamPlan>;
  readonly origins: Map<string, Place>;
  readonly derived: DerivedValue[];
  /** Names without a meaning that are not reported, because another mistake may be the reason. */
  readonly doubts: Span[];
  /** An import of everything failed: any unknown name may have come from there. */
  incomplete: boolean;
}

/** An empty context for a file. */
export const createContext = (
  uri: string,
  syntax: SyntaxFile,
  options: EngineOptions,
  report: Reporter,
  foreign: ForeignFiles,
  declarations: readonly Declaration[] = syntax.declarations,
): FileContext => ({
  uri,
  syntax,
  declarations,
  options,
  report,
  foreign,
  names: new Map(),
  open: new Set(),
  broken: new Set(),
  unsound: new Set(),
  members: new Map(),
  symbols: new Map(),
  references: new Map(),
  used: new Set(),
  links: new Map(),
  values: new Map(),
  params: new Map(),
  origins: new Map(),
  derived: [],
  doubts: [],
  incomplete: false,
});

/** Id of a top-level symbol. */
export const symbolId = (kind: SymbolKind, name: string): string => `${kind}:${name}`;

/** Notes that `name` stands for `symbol`. */
export function refer(context: FileContext, name: Name, symbol: string): void {
  if (name.end <= name.start) return;
  referTo(context, context.report.place(name), symbol);
  context.links.set(name, symbol);
  context.used.add(symbol);
}

/** Notes that the name at `place` declares `symbol`. */
export function referTo(context: FileContext, place: Place, symbol: string): void {
  if (place.end > place.start && !context.references.has(place.start))
    context.references.set(place.start, { place, symbol });
}

/** Takes back what the parser says of an item without a value: that its first word is unknown, and what it may be, says more. */
export function withdrawHead({ syntax, report }: FileContext, { start }: Span): void {
  const fault = syntax.errors.find(({ head }) => head === start);
  if (fault !== undefined) report.withdraw(fault.code, fault);
}

/** Adds what the engine knows of a symbol once its definition has been read, such as its value in one line. */
export function detail(context: FileContext, id: string, text: string, dimension?: Dimension): void {
  // Symbols are ours until the resolution is handed out; a copy for each layer of a large model would only be garbage.
  const info: { -readonly [K in keyof SymbolInfo]: SymbolInfo[K] } | undefined = context.symbols.get(id);
  if (info === undefined) return;
  info.detail = text;
  if (dimension !== undefined) info.dimension = dimension;
}
