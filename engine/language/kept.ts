/** What reading a declaration gave, apart from the rest of its file: the next text of the file may have the declaration too. */
import { asRead, tokensOf } from '../../grammar/index.ts';
import type { Declaration, SyntaxFile } from '../../grammar/syntax.ts';
import type { Finding } from '../findings/finding.ts';
import type { Place } from '../values/plan.ts';
import type { FileContext } from './context.ts';
import { named } from './declare.ts';
import type { DerivedValue, SymbolInfo } from './resolution.ts';

export interface Kept {
  /** Where it began. All places below are of that text. */
  readonly start: number;
  readonly name?: string;
  /** All names in its text, whatever they mean. It depends on no other name. */
  readonly mentions: ReadonlySet<string>;
  /** Whether it is read with each text: what it gives is not here, or depends on more than its text and the names in it. */
  readonly always: boolean;
  /** Symbols that it declares. */
  readonly symbols: readonly SymbolInfo[];
  /** Built-in symbols that it uses. */
  readonly builtIn: readonly SymbolInfo[];
  readonly references: readonly Reference[];
  /** Symbols that it uses, other than where it declares them. */
  readonly used: readonly string[];
  /** Names in its text that were given no meaning. */
  readonly unread: ReadonlySet<string>;
  readonly origins: readonly (readonly [path: string, place: Place])[];
  readonly derived: readonly DerivedValue[];
}

export interface Reference {
  readonly place: Place;
  readonly symbol: string;
}

/** What was read, as it was before pipelines, jobs and conditions used it. */
export interface Readings {
  readonly context: FileContext;
  /** Number of each, from the first on. */
  readonly origins: number;
  readonly derived: number;
  /** All but names that nothing uses. */
  readonly findings: readonly Finding[];
}

/** What reading each of these declarations gave. They are in order. */
export function keep(
  { context, origins, derived, findings }: Readings,
  declarations: readonly Declaration[],
): ReadonlyMap<Declaration, Kept> {
  const { uri, syntax, symbols } = context;
  const drafts = declarations.map((declaration) => draftOf(declaration, syntax));
  const at = (start: number): Draft | undefined => {
    const index = lastFrom(declarations, start);
    return index < 0 || start > declarations[index].end ? undefined : drafts[index];
  };
  const own = (place: Place | undefined): Draft | undefined => (place?.uri === uri ? at(place.start) : undefined);
  for (const symbol of symbols.values()) own(symbol.declaration)?.symbols.push(symbol);
  for (const reference of context.references.values()) {
    const draft = at(reference.place.start);
    if (draft === undefined) continue;
    draft.references.push(reference);
    draft.starts.add(reference.place.start);
    const info = symbols.get(reference.symbol);
    const isDeclaration = info?.declaration?.uri === uri && info.declaration.start === reference.place.start;
    if (!isDeclaration) draft.used.add(reference.symbol);
    if (info !== undefined && info.declaration === undefined) draft.builtIn.add(info);
  }
  let left = origins;
  for (const [path, place] of context.origins) {
    if (left === 0) break;
    left -= 1;
    own(place)?.origins.push([path, place]);
  }
  for (const value of context.derived.slice(0, derived)) at(value.offset)?.derived.push(value);
  const doubtful = [...findings.map(({ place }) => place).filter((place) => place.uri === uri), ...context.doubts];
  for (const { start, end } of doubtful) {
    for (let index = lastFrom(declarations, end); index >= 0 && declarations[index].end >= start; index -= 1)
      drafts[index].always = true;
  }
  return new Map(
    drafts.map(({ declaration, starts, used, builtIn, ...draft }) => [
      declaration,
      { ...draft, used: [...used], builtIn: [...builtIn], unread: unreadIn(syntax, declaration, starts) },
    ]),
  );
}

interface Draft {
  readonly declaration: Declaration;
  readonly start: number;
  readonly name?: string;
  readonly mentions: ReadonlySet<string>;
  always: boolean;
  readonly symbols: SymbolInfo[];
  readonly builtIn: Set<SymbolInfo>;
  readonly references: Reference[];
  readonly starts: Set<number>;
  readonly used: Set<string>;
  readonly origins: (readonly [string, Place])[];
  readonly derived: DerivedValue[];
}

function draftOf(declaration: Declaration, syntax: SyntaxFile): Draft {
  const name = named(declaration)?.name.text;
  return {
    declaration,
    start: declaration.start,
    ...(name === undefined ? {} : { name }),
    mentions: mentionsOf(syntax, declaration),
    always: isAlwaysRead(declaration),
    symbols: [],
    builtIn: new Set(),
    references: [],
    starts: new Set(),
    used: new Set(),
    origins: [],
    derived: [],
  };
}

const onTheirOwn: ReadonlySet<string> = new Set(['device', 'cluster', 'model', 'schedule']);

/** A `let` and a block of figures depend on names alone. What says `from` may depend on another file, and changes what is used where. */
export function isAlwaysRead(declaration: Declaration): boolean {
  if (declaration.kind === 'let') return declaration.name === undefined;
  if (declaration.kind !== 'block' || !onTheirOwn.has(declaration.keyword.text) || declaration.name === undefined)
    return true;
  return declaration.body?.entries.some((item) => item.kind !== 'entry' || item.key.text === 'from') !== false;
}

const mentions = new WeakMap<Declaration, ReadonlySet<string>>();

/** All names in the text of a declaration. They are looked for once, however often it moves. */
export function mentionsOf(syntax: SyntaxFile, declaration: Declaration): ReadonlySet<string> {
  const read = asRead(declaration);
  const known = mentions.get(read);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (const { kind, text } of tokensOf(syntax, declaration)) if (kind === 'name') names.add(text);
  mentions.set(read, names);
  return names;
}

function unreadIn(syntax: SyntaxFile, declaration: Declaration, read: ReadonlySet<number>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { kind, start, text } of tokensOf(syntax, declaration))
    if (kind === 'name' && !read.has(start)) names.add(text);
  return names;
}

/** The last declaration that begins at or before an offset; −1 if there is none. */
export function lastFrom(declarations: readonly Declaration[], offset: number): number {
  let [low, high] = [0, declarations.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (declarations[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
