/**
 * Expressions of a schedule that say which of them writes an operation. They are compiled a second time for it, so the expansion of
 * a plan pays nothing. No sequence looks at the stages of a list: here they hold what is asked for, and move with the operations.
 */
import type { Argument, Expression, Span } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import type { NamedNumber } from '../definitions/rowTracer.ts';
import type { Code } from './code.ts';
import { compile } from './compile.ts';
import type { Frame } from './frame.ts';
import type { Names } from './names.ts';
import { parameterSlot } from './operands.ts';

/** Expressions around an operation while it was written, outermost first; the last is the operation. */
export interface Writing {
  readonly expressions: readonly Expression[];
  readonly calls: readonly string[];
  readonly numbers: readonly NamedNumber[];
}

export interface Trace {
  /** Compiles as `compile` does; for `createNames`. */
  readonly compile: (names: Names, expression: Expression) => Code | undefined;
  writes(text: Span): boolean;
  /** Runs `expand`: afterwards the stages of the list are 1 where one of these texts wrote the operation, otherwise 0. */
  mark(texts: readonly Span[], expand: () => void): void;
  /** The same with the number of the writing of each operation, from 1. */
  number(expand: () => void): void;
  /** Runs `expand` and describes a writing by its number. `outer`: names of the row with their slots. */
  describe(writing: number, outer: readonly Bound[], expand: () => void): Writing | undefined;
}

/** A name that has a slot of the frame. */
export interface Bound {
  readonly name: string;
  readonly slot: number;
}

/** Numbers that are named at most. */
const mostNumbers = 16;

const keyOf = ({ start, end }: Span): string => `${start}-${end}`;

export function createTrace(): Trace {
  const texts = new Set<string>();
  const around: Expression[] = [];
  let marked: ReadonlySet<string> | undefined;
  let inside = 0;
  let writings = 0;
  let wanted = 0;
  let outerNames: readonly Bound[] = [];
  let found: Writing | undefined;

  function traced(names: Names, expression: Expression): Code | undefined {
    const code = compile(names, expression);
    if (code?.kind !== 'sequence' || expression.kind === 'group') return code;
    const key = keyOf(expression);
    texts.add(key);
    const { emit } = code;
    const enters = (frame: Frame): void => {
      around.push(expression);
      emit(frame);
      around.pop();
    };
    const operation = (frame: Frame): void => {
      const from = frame.out.length;
      emit(frame);
      writings += 1;
      const mark = marked === undefined ? writings : inside > 0 ? 1 : 0;
      frame.out.stages.fill(mark, from, frame.out.length);
      if (writings !== wanted || frame.failed) return;
      const expressions = [...around, expression];
      found = { expressions, ...namesOf(names, frame, outerNames, expressions) };
    };
    const write = expression.kind === 'index' ? operation : enters;
    return {
      ...code,
      emit(frame) {
        const here = marked?.has(key) === true;
        if (here) inside += 1;
        write(frame);
        if (here) inside -= 1;
      },
    };
  }

  function run(expand: () => void): void {
    around.length = 0;
    inside = 0;
    writings = 0;
    found = undefined;
    expand();
  }

  return {
    compile: traced,
    writes: (text) => texts.has(keyOf(text)),
    mark(of, expand) {
      marked = new Set(of.map(keyOf));
      run(expand);
      marked = undefined;
    },
    number: run,
    describe(writing, outer, expand) {
      wanted = writing;
      outerNames = outer;
      run(expand);
      wanted = 0;
      return found;
    },
  };
}

/** What the names on the path of an operation stand for while it is written. */
function namesOf(
  names: Names,
  frame: Frame,
  outer: readonly Bound[],
  expressions: readonly Expression[],
): Pick<Writing, 'calls' | 'numbers'> {
  const bound = new Map<string, NamedNumber>();
  const calls: string[] = [];
  const set = ({ name, slot }: Bound): void => {
    // An inner name of the same spelling is what the text means.
    bound.set(name, { name, value: frame.slots[slot], dimension: 'number' });
  };
  outer.forEach(set);
  for (const expression of expressions) {
    const called = letOf(names, expression);
    called?.parameters.forEach(set);
    if (called !== undefined)
      calls.push(
        signature(
          called.name,
          called.parameters.map(({ slot }) => frame.slots[slot]),
        ),
      );
    const loop = loopOf(names, expression);
    if (loop !== undefined) set(loop);
  }
  const used = new Map<string, NamedNumber>();
  for (const expression of expressions)
    for (const part of numbersIn(expression))
      for (const member of members(names, frame, part)) if (!bound.has(member.name)) used.set(member.name, member);
  const numbers = [...bound.values(), ...used.values()];
  return { calls, numbers: numbers.slice(0, mostNumbers) };
}

const signature = (name: string, values: readonly number[]): string =>
  values.length === 0 ? name : `${name}(${values.map((value) => String(value)).join(', ')})`;

/** The `let` that a name or a call stands for. */
function letOf(
  { context, lets }: Names,
  expression: Expression,
): { readonly name: string; readonly parameters: readonly Bound[] } | undefined {
  const name = expression.kind === 'call' ? expression.callee : expression;
  if (name.kind !== 'name') return undefined;
  const found = lets.get(context.links.get(name) ?? '');
  return found === undefined ? undefined : { name: name.text, parameters: found.parameters };
}

/** The name that an `each` binds. */
function loopOf(names: Names, expression: Expression): Bound | undefined {
  const [first] = expression.kind === 'call' && expression.callee.text === 'each' ? expression.arguments : [];
  const slot = first?.binds === true && first.name !== undefined ? parameterSlot(names, first.name) : undefined;
  return slot === undefined || first?.name === undefined ? undefined : { name: first.name.text, slot };
}

/** Numbers that decide what an expression writes: its range, its arguments, how many operations it takes. */
function numbersIn(expression: Expression): readonly Expression[] {
  const values = (given: readonly Argument[]) => given.map(({ value }) => value);
  if (expression.kind === 'index') return values(expression.arguments);
  if (expression.kind !== 'call') return [];
  const { callee, arguments: given } = expression;
  switch (callee.text) {
    case 'take':
    case 'drop':
    case 'repeat':
    case 'each':
    case 'if':
      return values(given.slice(0, 1));
    case 'zip':
    case 'fused':
      return [];
    default:
      return values(given);
  }
}

/** Members of the schedule that an expression of numbers uses: `warm(1)` is 5. */
function members(names: Names, frame: Frame, expression: Expression): readonly NamedNumber[] {
  const all: NamedNumber[] = [];
  walk(expression, (node) => {
    if (node.kind !== 'call' && node.kind !== 'name') return;
    const symbol = names.context.links.get(node.kind === 'call' ? node.callee : node);
    if (symbol === undefined || !(symbol.startsWith('let:') || symbol.startsWith('param:'))) return;
    if (names.context.symbols.get(symbol)?.container === undefined) return;
    // The callee of a call is no number; the call is one.
    const found = node.kind === 'name' && takesArguments(names, symbol) ? undefined : numberOf(names, frame, node);
    if (found === undefined) return;
    const given = node.kind === 'call' ? node.arguments.map(({ value }) => numberOf(names, frame, value)) : [];
    const called = signature(
      node.kind === 'call' ? node.callee.text : node.text,
      given.map((argument) => argument?.value ?? NaN),
    );
    all.push({ name: called, ...found });
  });
  return all;
}

const takesArguments = ({ lets }: Names, symbol: string): boolean => (lets.get(symbol)?.parameters.length ?? 0) > 0;

function numberOf(names: Names, frame: Frame, expression: Expression): Omit<NamedNumber, 'name'> | undefined {
  const code = names.compile(expression);
  return code?.kind === 'number' ? { value: code.at(frame), dimension: code.dimension } : undefined;
}
