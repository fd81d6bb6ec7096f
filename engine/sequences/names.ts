/** Names of a schedule while its expressions are compiled: slots for numbers, and what each `let` and `param` is. */
import type { Entry, Expression, Index, Name, SyntaxNode } from '../../grammar/syntax.ts';
import { children, walk } from '../../grammar/walk.ts';
import type { FileContext } from '../language/context.ts';
import { memberId } from '../language/declare.ts';
import { scheduleNumbers } from '../language/reservedNames.ts';
import { circleNames, orderByNeed } from '../basics/ordering.ts';
import type { Code, NumberCode, SequenceCode } from './code.ts';

/** Numbers that every schedule is given; their slots are their positions. */
export const givenNames = scheduleNumbers.map(({ name }) => name);
export type GivenName = (typeof scheduleNumbers)[number]['name'];

/** A `let` with the slots of its parameters. */
export interface LetCode {
  readonly code: Code;
  /** Of one call. */
  readonly steps: number;
  readonly parameters: readonly { readonly name: string; readonly slot: number }[];
}

/** A `let` that stands for one expression, as it is written. Conditions of a rule replace its name by it. */
export interface LetText {
  readonly value: Expression;
  readonly parameters: readonly { readonly name: string; readonly symbol: string; readonly slot: number }[];
  /** It reads what a device knows only while a rule runs, itself or through other names. */
  readonly readsRun: boolean;
  /** Parts of the expression once names of other `let`s are replaced. */
  readonly size: number;
  /** An error in it has been reported. */
  readonly wrong?: true;
}

/** A row of a schedule that is taken over. */
export interface BaseRow {
  /** Of its parameter; of a row for one device, the device. */
  readonly on: { readonly slot: number } | { readonly device: NumberCode };
  readonly code: SequenceCode;
}

/** Rows of the base by the symbol of `base`, and those that have been compiled. */
export interface BaseRows {
  readonly written: ReadonlyMap<string, readonly Entry[]>;
  readonly compiled: Map<string, readonly BaseRow[] | undefined>;
}

/** What compiling needs to know; filled while the members of the schedule are compiled, each after those that it uses. */
export interface Names {
  readonly context: FileContext;
  /** The code of an expression; `undefined` where it is wrong, which has been reported. */
  compile(expression: Expression): Code | undefined;
  readonly compiler: (names: Names, expression: Expression) => Code | undefined;
  /** The operations are waited for, not run: an E need not say who keeps its activations. */
  readonly waits?: true;
  /** Slots of parameters and of members without parameters, by symbol. */
  readonly slots: Map<string, number>;
  readonly lets: Map<string, LetCode>;
  readonly texts: Map<string, LetText>;
  readonly params: Map<string, NumberCode>;
  /** Rows of what the schedule takes over; only while rows are compiled. */
  base?: BaseRows;
  /** Number of each operation that the schedule declares, by symbol. */
  readonly declared: Map<string, number>;
}

export function createNames(
  context: FileContext,
  compile: (names: Names, expression: Expression) => Code | undefined,
): Names {
  const names: Names = {
    context,
    compile: (expression) => compile(names, expression),
    compiler: compile,
    slots: new Map(givenNames.map((name, slot) => [`variable:${name}`, slot])),
    lets: new Map(),
    texts: new Map(),
    params: new Map(),
    declared: new Map(),
  };
  return names;
}

/** The same names, for operations that another waits for. */
export function namesOfWaits(names: Names): Names {
  const waiting: Names = { ...names, waits: true, compile: (expression) => names.compiler(waiting, expression) };
  return waiting;
}

/** The slot of a symbol; the next free one where it has none yet. */
export function slotOf({ slots }: Names, symbol: string): number {
  const known = slots.get(symbol);
  if (known !== undefined) return known;
  slots.set(symbol, slots.size);
  return slots.size - 1;
}

/** A `param` or `let` entry with its symbol. */
export interface Member {
  readonly entry: Entry;
  readonly symbol: string;
  readonly kind: 'param' | 'let';
}

/** The members of a schedule that have the name they ask for. */
export function membersOf(context: FileContext, schedule: string, entries: readonly Entry[]): readonly Member[] {
  return entries.flatMap((entry): readonly Member[] => {
    const kind = entry.key.text;
    if ((kind !== 'let' && kind !== 'param') || entry.name === undefined) return [];
    const symbol = memberId(kind, schedule, entry.name.text);
    return isDeclared(context, entry.name, symbol) ? [{ entry, symbol, kind }] : [];
  });
}

/** Whether a name is the one that declares the symbol. */
function isDeclared({ symbols, report }: FileContext, name: Name, symbol: string): boolean {
  const declared = symbols.get(symbol)?.declaration;
  const { uri, start } = report.place(name);
  return declared?.start === start && declared.uri === uri;
}

/** Members in an order in which each comes after those that it uses. Those that use themselves are reported; their code lacks a part. */
export function inOrder(context: FileContext, members: readonly Member[]): readonly Member[] {
  const index = new Map(members.map(({ symbol }, at) => [symbol, at]));
  const { order, circles } = orderByNeed(members.length, (at) => needs(context, members[at].entry, index));
  for (const circle of circles) {
    const names = circle.map((member) => members[member].entry.name ?? members[member].entry.key);
    const related = names
      .slice(1, 12)
      .map((name) => ({ place: context.report.place(name), message: 'Part of the cycle.' }));
    context.report.report('name/cycle', names[0], { circle: circleNames(names.map(({ text }) => text)) }, { related });
  }
  return order.map((at) => members[at]);
}

/** Entries of the operations that a schedule declares, with their symbols; without those whose name is taken. */
export function declaredIn(
  context: FileContext,
  schedule: string,
  entries: readonly Entry[],
): readonly { readonly entry: Entry; readonly symbol: string }[] {
  return entries.flatMap((entry) => {
    if (entry.key.text !== 'operation' || entry.name === undefined) return [];
    const symbol = memberId('operation', schedule, entry.name.text);
    return isDeclared(context, entry.name, symbol) ? [{ entry, symbol }] : [];
  });
}

function needs(context: FileContext, entry: Entry, index: ReadonlyMap<string, number>): readonly number[] {
  const found: number[] = [];
  for (const part of partsOf(entry)) {
    walk(part, (node) => {
      const symbol = node.kind === 'name' ? context.links.get(node) : undefined;
      const at = symbol === undefined ? undefined : index.get(symbol);
      if (at !== undefined) found.push(at);
    });
  }
  return found;
}

/** Numbers of the pipeline that an expression reads, also through names of the schedule. */
export function readNumbers(
  context: FileContext,
  expression: Expression,
  members: readonly Member[],
): ReadonlySet<GivenName> {
  const found = new Set<GivenName>();
  for (const node of nodesUsed(context, [expression], members)) {
    const symbol = node.kind === 'name' ? context.links.get(node) : undefined;
    const given = givenNames.find((name) => symbol === `variable:${name}`);
    if (given !== undefined) found.add(given);
  }
  return found;
}

/** The first operation with this letter that expressions write, also through names of the schedule. */
export function operationIn(
  context: FileContext,
  expressions: readonly Expression[],
  members: readonly Member[],
  letter: string,
): Index | undefined {
  for (const node of nodesUsed(context, expressions, members))
    if (node.kind === 'index' && context.links.get(node.target) === `variable:${letter}`) return node;
  return undefined;
}

/** Nodes of expressions, then of the members of the schedule that they use: each member once. */
function* nodesUsed(
  context: FileContext,
  expressions: readonly Expression[],
  members: readonly Member[],
): Generator<SyntaxNode> {
  const entries = new Map(members.map(({ symbol, entry }) => [symbol, entry]));
  const left: SyntaxNode[] = [...expressions].reverse();
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    yield node;
    left.push(...children(node).toReversed());
    const symbol = node.kind === 'name' ? context.links.get(node) : undefined;
    const entry = symbol === undefined ? undefined : entries.get(symbol);
    if (symbol !== undefined) entries.delete(symbol);
    if (entry !== undefined) left.unshift(...partsOf(entry));
  }
}

const partsOf = ({ values = [], range, step }: Entry): readonly Expression[] =>
  [...values, range, step].filter((part) => part !== undefined);
