/** Collects what a file declares: its name space and the members of its models and pipelines. */
import type { Place } from '../values/plan.ts';
import { tokensOf } from '../../grammar/index.ts';
import type { BlockDeclaration, Declaration, Entry, Expression, Name } from '../../grammar/syntax.ts';
import { type FileContext, referTo, symbolId } from './context.ts';
import { reservedIn } from './reservedNames.ts';
import type { SymbolInfo, SymbolKind } from './resolution.ts';

/** A declaration that gives the file a name, with the kind of that name. */
export function named(declaration: Declaration): { readonly name: Name; readonly kind: SymbolKind } | undefined {
  switch (declaration.kind) {
    case 'let':
    case 'param':
      return declaration.name === undefined ? undefined : { name: declaration.name, kind: declaration.kind };
    case 'block': {
      const kind = declaration.keyword.text;
      if (declaration.name === undefined || kind === 'expect' || kind === 'search') return undefined;
      return { name: declaration.name, kind: kind as SymbolKind };
    }
    default:
      return undefined;
  }
}

/** A layer that a file of another format declares. */
export interface ForeignLayer {
  /** A valid name, once in its source. */
  readonly name: string;
  /** One line: `Conv2d, forward 4 ms, backward 8 ms`. */
  readonly text: string;
  /** Its place in its file. */
  readonly place: Place;
}

/** What a `from` entry of a model gives; `undefined` where it is wrong, which has been or will be reported. */
export type LayersFrom = (from: Entry) => readonly ForeignLayer[] | undefined;

/** Adds the file's own declarations, with the members of those that are read; a name that is taken is `name/duplicate` and the first declaration is used. */
export function declareAll(context: FileContext, layersFrom: LayersFrom): void {
  const read = new Set(context.declarations);
  for (const declaration of context.syntax.declarations) {
    const found = named(declaration);
    if (found === undefined || found.name.end <= found.name.start) continue;
    const { name, kind } = found;
    const id = symbolId(kind, name.text);
    const place = context.report.place(name);
    const info: SymbolInfo = {
      id,
      name: name.text,
      kind,
      declaration: place,
      extent: context.report.place(declaration),
      doc: declaration.kind === 'skipped' ? undefined : declaration.doc,
    };
    if (!claim(context, name, info)) continue;
    referTo(context, place, id);
    if (declaration.kind === 'block' && read.has(declaration)) declareMembers(context, declaration, id, layersFrom);
  }
}

/** Takes a name in the file's name space; false where it is taken. */
export function claim(context: FileContext, name: Name, info: SymbolInfo): boolean {
  const earlier = context.names.get(info.name);
  if (earlier === undefined) {
    context.names.set(info.name, info);
    context.symbols.set(info.id, info);
    return true;
  }
  const related =
    earlier.declaration === undefined ? [] : [{ place: earlier.declaration, message: 'First declared here.' }];
  context.report.report('name/duplicate', name, { kind: info.kind, name: info.name }, { related });
  return false;
}

function declareMembers(context: FileContext, block: BlockDeclaration, owner: string, layersFrom: LayersFrom): void {
  if (block.keyword.text === 'schedule') return declareScheduleNames(context, block, owner);
  const key = block.keyword.text === 'model' ? 'layer' : block.keyword.text === 'pipeline' ? 'stage' : undefined;
  if (key === undefined) return;
  const members = new Map<string, SymbolInfo>();
  // Layers of another file are all that the model has; where that file is not understood, no name of a layer is unknown.
  if (key === 'layer' && declareSource(context, block, owner, members, layersFrom) === 'unknown') return;
  for (const item of block.body?.entries ?? []) {
    if (item.kind === 'entry' && item.key.text === key && item.name !== undefined && item.name.end > item.name.start) {
      declareMember(context, item, item.name, key, owner, members);
    }
  }
  context.members.set(owner, members);
}

/** `param`, `let` and `operation` of a schedule. */
function declareScheduleNames(context: FileContext, block: BlockDeclaration, owner: string): void {
  const members = new Map<string, SymbolInfo>();
  const reserved = reservedIn(block.body);
  for (const item of block.body?.entries ?? []) {
    if (item.kind !== 'entry' || item.name === undefined || item.name.end <= item.name.start) continue;
    const { key, name } = item;
    const kind = key.text;
    if (kind !== 'param' && kind !== 'let' && kind !== 'operation') continue;
    declareMember(context, item, name, kind, owner, members);
    const meaning = reserved(name.text);
    if (meaning === undefined) continue;
    context.report.report('name/reserved', name, { kind, name: name.text, is: meaning.is });
    context.unsound.add(owner);
    // Where it is used, its other meaning may be taken.
    context.used.add(memberId(kind, owner, name.text));
  }
  context.members.set(owner, members);
}

/** Declares the layers that `from` gives. */
function declareSource(
  context: FileContext,
  block: BlockDeclaration,
  owner: string,
  members: Map<string, SymbolInfo>,
  layersFrom: LayersFrom,
): 'unknown' | undefined {
  const from = block.body?.entries.find((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'from');
  if (from === undefined) return undefined;
  const layers = layersFrom(from);
  if (layers === undefined) return 'unknown';
  for (const { name, place, text } of layers) {
    const id = memberId('layer', owner, name);
    const info: SymbolInfo = {
      id,
      name,
      kind: 'layer',
      declaration: place,
      extent: place,
      foreign: true,
      container: owner,
      detail: text,
    };
    members.set(name, info);
    context.symbols.set(id, info);
  }
  return undefined;
}

function declareMember(
  context: FileContext,
  entry: Entry,
  name: Name,
  kind: MemberKind,
  owner: string,
  members: Map<string, SymbolInfo>,
): void {
  const earlier = members.get(name.text);
  if (earlier?.declaration !== undefined) {
    const related = [{ place: earlier.declaration, message: 'First declared here.' }];
    context.report.report('name/duplicate', name, { kind, name: name.text }, { related });
    return;
  }
  const id = memberId(kind, owner, name.text);
  const place = context.report.place(name);
  const info: SymbolInfo = {
    id,
    name: name.text,
    kind,
    declaration: place,
    extent: context.report.place(entry),
    container: owner,
    doc: entry.doc,
    ...(kind === 'let' && entry.parameters !== undefined ? { parameters: namesOf(entry.parameters) } : {}),
  };
  members.set(name.text, info);
  context.symbols.set(id, info);
  referTo(context, place, id);
}

const namesOf = (parameters: readonly Expression[]): readonly string[] =>
  parameters.flatMap((parameter) => (parameter.kind === 'name' ? [parameter.text] : []));

type MemberKind = 'layer' | 'stage' | 'param' | 'let' | 'operation';

/** Id of what is declared in a block: `layer:toy/block`. */
export const memberId = (kind: SymbolKind, owner: string, name: string): string =>
  `${kind}:${owner.slice(owner.indexOf(':') + 1)}/${name}`;

const reported: readonly SymbolKind[] = ['param', 'let', 'device', 'cluster', 'model', 'schedule'];

/** `name/unused` for names of a schedule that the schedule does not use: nobody else can. */
function reportUnusedMembers(context: FileContext, block: BlockDeclaration): void {
  const schedule = symbolId('schedule', block.name?.text ?? '');
  // Its name may replace one of a base that is not known.
  if (context.open.has(schedule)) return;
  const unused = new Map<string, { readonly name: Name; readonly kind: MemberKind }>();
  for (const item of block.body?.closed === true ? block.body.entries : []) {
    if (item.kind !== 'entry' || item.name === undefined || item.name.end <= item.name.start) continue;
    const { name, key } = item;
    if (key.text !== 'let' && key.text !== 'param' && key.text !== 'operation') continue;
    const id = memberId(key.text, schedule, name.text);
    const declaration = context.symbols.get(id)?.declaration;
    const isDeclared = declaration?.uri === context.uri && declaration.start === name.start;
    if (!isDeclared || context.used.has(id)) continue;
    unused.set(name.text, { name, kind: key.text });
  }
  if (unused.size === 0) return;
  // A name in text that was not understood may be a use.
  for (const { kind, text, start } of tokensOf(context.syntax, block)) {
    if (kind !== 'name' || context.references.has(start)) continue;
    if (unused.get(text)?.name.start !== start) unused.delete(text);
  }
  for (const { name, kind } of unused.values())
    context.report.report('name/unused', name, { kind, name: name.text }, { hint: { kind: 'remove' } });
}

/** `name/unused` for names of schedules that nothing uses. */
export function reportUnusedInSchedules(context: FileContext): void {
  // A name that a schedule takes over is used where the taker uses it. Takers are declared after what they take.
  const taken: { readonly id: string; readonly inherits: string }[] = [];
  for (const { id, inherits } of context.symbols.values()) if (inherits !== undefined) taken.push({ id, inherits });
  for (const { id, inherits } of taken.toReversed()) if (context.used.has(id)) context.used.add(inherits);
  for (const declaration of context.declarations)
    if (declaration.kind === 'block' && declaration.keyword.text === 'schedule')
      reportUnusedMembers(context, declaration);
}

/**
 * `name/unused` for declarations that nothing uses. A file without a pipeline is a library: all of it may be used elsewhere.
 * `unread`: names in text that was not understood, or under an unknown key. Each may be a use.
 */
export function reportUnused(context: FileContext, unread: () => Iterable<string>): void {
  const declarations = context.syntax.declarations;
  if (!declarations.some((declaration) => declaration.kind === 'block' && declaration.keyword.text === 'pipeline'))
    return;
  const unused = new Map<string, { readonly name: Name; readonly kind: SymbolKind }>();
  for (const declaration of declarations) {
    const found = named(declaration);
    if (found === undefined || !reported.includes(found.kind)) continue;
    const info = context.names.get(found.name.text);
    const isDeclaration = info?.declaration?.uri === context.uri && info.declaration.start === found.name.start;
    if (isDeclaration && !context.used.has(info.id)) unused.set(info.name, found);
  }
  if (unused.size === 0) return;
  for (const name of unread()) unused.delete(name);
  for (const { name, kind } of unused.values()) {
    context.report.report('name/unused', name, { kind, name: name.text }, { hint: { kind: 'remove' } });
  }
}
