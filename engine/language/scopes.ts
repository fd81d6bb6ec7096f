/** Names that are known in a part of a file only. */
import type { Name, NodeBase } from '../../grammar/syntax.ts';
import { type FileContext, referTo, symbolId } from './context.ts';
import { reservedEverywhere, scheduleNumbers } from './reservedNames.ts';
import type { SymbolInfo } from './resolution.ts';

/** What a name of a part of a file means, by its text. A `Map` is one. */
export interface Locals {
  readonly get: (name: string) => string | undefined;
  readonly has: (name: string) => boolean;
  readonly keys: () => Iterable<string>;
  readonly entries: () => Iterable<[string, string]>;
}

/** Names in addition to those around them. Those are not copied: a schedule of many names has as many entries. */
export function withLocals(outer: Locals | undefined, own: ReadonlyMap<string, string>): Locals {
  if (outer === undefined) return own;
  return {
    get: (name) => own.get(name) ?? outer.get(name),
    has: (name) => own.has(name) || outer.has(name),
    *keys() {
      yield* outer.keys();
      yield* own.keys();
    },
    *entries() {
      yield* outer.entries();
      yield* own.entries();
    },
  };
}

/** What names may mean in addition to the names of the file: parameters and variables of a schedule, members of a model. */
export interface Scope {
  readonly locals?: Locals;
  /** Layers of the model; absent where the model is not known, then names are not looked up. */
  readonly layers?: ReadonlyMap<string, SymbolInfo>;
  readonly modelName?: string;
  /** Other names may come from a schedule that is not known. */
  readonly open?: true;
  /** The declaration around: its id and its first token. */
  readonly around?: { readonly id: string; readonly first: number };
  /** The left side of the entry that makes a name its parameter, such as `after(j)`; `undefined` for other names. */
  readonly parametersFor?: (name: string) => string | undefined;
}

export const noScope: Scope = {};

/** Id of a name of a part of a declaration. An edit outside the declaration does not change it. */
export const localId = (kind: 'parameter' | 'switch', { around }: Scope, { first }: NodeBase, name: string): string =>
  around === undefined ? `${kind}:/${first}/${name}` : `${kind}:${around.id}/${first - around.first}/${name}`;

/** Deeper expressions are left unlinked; the parser allows far less. */
export const deepest = 1000;

/** The given names, and those that the schedule itself declares. */
export function scheduleLocals(context: FileContext, schedule: string | undefined): ReadonlyMap<string, string> {
  const locals = new Map<string, string>();
  for (const { name, doc } of scheduleNumbers) {
    const id = symbolId('variable', name);
    if (!context.symbols.has(id)) context.symbols.set(id, { id, name, kind: 'variable', doc });
    locals.set(name, id);
  }
  const members = schedule === undefined ? undefined : context.members.get(schedule);
  for (const [name, { id }] of members ?? []) locals.set(name, id);
  return locals;
}

/** A name that an entry or a loop of a schedule declares for its own expressions. One with another meaning there is reported. */
export function declareVariable(...parameters: Parameters<typeof declareParameter>): void {
  const [context, name, , container] = parameters;
  const reserved = reservedEverywhere(name.text);
  if (reserved !== undefined) {
    context.report.report('name/reserved', name, { kind: 'parameter', name: name.text, is: reserved.is });
    context.unsound.add(container ?? '');
  }
  declareParameter(...parameters);
}

/** A name that an entry declares for its own expressions. */
export function declareParameter(
  context: FileContext,
  name: Name,
  id: string,
  container: string | undefined,
  doc: string,
): void {
  const declaration = context.report.place(name);
  context.symbols.set(id, { id, name: name.text, kind: 'parameter', container, declaration, doc });
  referTo(context, declaration, id);
  context.links.set(name, id);
}
