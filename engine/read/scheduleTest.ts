/** Reads the `expect` block of a schedule: the shapes to test, and what to test them for. */
import type { DeclaredSchedule } from '../definitions/schedule.ts';
import type { ScheduleTest, TestedShape } from '../definitions/scheduleTest.ts';
import { spellingHint } from '../findings/reporter.ts';
import type { Binary, BlockDeclaration, Call, Expression, Span } from '../../grammar/syntax.ts';
import { calleeOf } from '../language/callee.ts';
import { conjuncts } from '../../grammar/conjuncts.ts';
import { canonicalText } from '../language/canonical.ts';
import { fits } from '../language/dimensions.ts';
import { evaluate, wholeNumber, type Variables } from '../language/expressions.ts';
import { type FigureSchema, scheduleFigures } from '../language/figures.ts';
import { wholeRange } from '../language/values.ts';
import { mismatch, wrongDimension } from '../language/valueFaults.ts';
import { phraseOf } from '../language/units.ts';
import type { ExpectPlan } from '../values/plan.ts';
import { findPolicy } from '../policies/registry.ts';
import type { Policy, PolicyArguments } from '../policies/policy.ts';
import type { ReadContext } from './context.ts';
import { scheduleEvaluator } from './scheduleEvaluator.ts';
import { readArguments } from './scheduleUse.ts';
import { checkShareBound } from './shareBound.ts';
import { textPart } from './textPart.ts';

/** Names and the numbers that each takes. */
export type Axes = ReadonlyMap<string, readonly number[]>;

export interface TestDefinition {
  readonly axes: Axes;
  readonly checks: readonly TestCheck[];
}

/** What every shape must do. */
export type TestCheck =
  | { readonly kind: 'valid'; readonly at: Span }
  | {
      readonly kind: 'order';
      readonly at: Span;
      readonly policy: Policy;
      /** Arguments for a shape; `undefined` where they are wrong, which has been reported. */
      readonly args: (variables: Variables) => PolicyArguments | undefined;
      readonly text: string;
    }
  | {
      readonly kind: 'figure';
      readonly at: Span;
      readonly text: string;
      /** The comparison for a shape; `undefined` where it is wrong, which has been reported. */
      readonly expected: (variables: Variables) => Omit<ExpectPlan, 'path' | 'text'> | undefined;
    };

/** Shapes that are tested where the block says nothing else. */
const usual: readonly (readonly [string, number, number])[] = [
  ['devices', 1, 8],
  ['microbatches', 1, 16],
];

/** Most shapes of a test. */
const mostShapes = 20_000;

/** What the block says; `undefined` where anything is wrong, which has been reported. */
export function readTest(
  context: ReadContext,
  block: BlockDeclaration,
  schedule: DeclaredSchedule,
): TestDefinition | undefined {
  const before = context.report.errors();
  const checks: TestCheck[] = [];
  let over: Call | undefined;
  for (const item of block.body?.entries ?? []) {
    if (item.kind !== 'check') continue;
    const { condition } = item;
    if (condition.kind === 'call' && condition.callee.text === 'over') {
      if (over === undefined) over = condition;
      else context.report.report('key/duplicate', condition, { key: 'over', block: 'test' });
      continue;
    }
    for (const each of conjuncts(condition)) {
      const check = readCheck(context, each);
      if (check !== undefined) checks.push(check);
    }
  }
  const axes = readAxes(context, block.name ?? block.keyword, over, schedule);
  if (axes === undefined || context.report.errors() !== before) return undefined;
  // What is wrong with a comparison whatever the shape is reported here, once.
  const [first] = shapesOf(axes);
  if (first !== undefined) for (const check of checks) tryOn(check, variablesOf(schedule, first));
  return context.report.errors() === before ? { axes, checks } : undefined;
}

/** The test as plain data, if there is nothing wrong with it. */
export function scheduleTestOf(
  context: ReadContext,
  block: BlockDeclaration,
  schedule: DeclaredSchedule,
): ScheduleTest | undefined {
  const test = readTest(context, block, schedule);
  if (test === undefined) return undefined;
  // What could not be read is not tested, so the test would pass for less than it asks.
  if (context.syntax.errors.some(({ start }) => start >= block.start && start <= block.end)) return undefined;
  const shapes = [...test.axes.values()].reduce((product, values) => product * values.length, 1);
  const mean = (name: string): number => {
    const values = test.axes.get(name) ?? [1];
    return values.reduce((all, value) => all + value, 0) / values.length;
  };
  const weights = scheduleEvaluator.bind(schedule, {}).value?.weights;
  const iterations = weights === undefined || weights === 'flush' ? 1 : iterationsInStep;
  return {
    name: schedule.name,
    schedule: schedule.source,
    bases: schedule.bases,
    expect: textPart(context, block),
    axes: Array.from(test.axes, ([name, values]) => ({ name, values })),
    shapes,
    operations: Math.ceil(operationsOfEach * iterations * shapes * mean('devices') * mean('microbatches')),
    options: context.options,
  };
}

/** Operations for each device and microbatch of a usual schedule. */
const operationsOfEach = 4;
/** Iterations of a schedule without a flush, at least. */
const iterationsInStep = 16;

const tooManyShapes = ({ report }: ReadContext, at: Span, shapes: number): void =>
  report.report('limit/too-large', at, {
    what: 'Shapes of this test',
    figure: shapes.toLocaleString('en-US'),
    limit: mostShapes.toLocaleString('en-US'),
  });

/** Every combination; devices change slowest, so that small shapes come first. */
export function* shapesOf(axes: Axes): Generator<TestedShape> {
  const names = [...axes.keys()];
  const lists = [...axes.values()];
  if (lists.some((list) => list.length === 0)) return;
  const at = new Int32Array(lists.length);
  for (;;) {
    const values = Object.fromEntries(names.map((name, axis) => [name, lists[axis][at[axis]]]));
    const { devices = 1, microbatches = 1, ...args } = values;
    yield { devices, microbatches, args };
    let axis = lists.length - 1;
    while (axis >= 0 && at[axis] + 1 === lists[axis].length) at[axis--] = 0;
    if (axis < 0) return;
    at[axis] += 1;
  }
}

/** Numbers of the names that a comparison may use. Defaults that depend on the shape are left to the caller. */
export const variablesOf = (
  { parameters }: Pick<DeclaredSchedule, 'parameters'>,
  { devices, microbatches, args }: TestedShape,
  stages = devices,
  values: Readonly<Record<string, number>> = {},
): Variables =>
  new Map<string, number>([
    ...parameters.map(({ name }): [string, number] => [name, args[name] ?? values[name] ?? 1]),
    ['stages', stages],
    ['devices', devices],
    ['microbatches', microbatches],
  ]);

function tryOn(check: TestCheck, variables: Variables): void {
  if (check.kind === 'figure') check.expected(variables);
  else if (check.kind === 'order') check.args(variables);
}

/** Some numbers that a name takes: `count` of them, from the first on. */
interface Numbers {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** Nothing is written out before all shapes are counted. */
function readAxes(
  context: ReadContext,
  at: Span,
  over: Call | undefined,
  { parameters }: DeclaredSchedule,
): Axes | undefined {
  const axes = new Map<string, readonly Numbers[]>(
    usual.map(([name, from, to]) => [name, [{ first: from, step: 1, count: to - from + 1 }]]),
  );
  const names = [...usual.map(([name]) => name), ...parameters.map(({ name }) => name)];
  const given = new Set<string>();
  for (const { name, value } of over?.arguments ?? []) {
    if (name === undefined) {
      context.report.report('type/mismatch', value, { expected: '`devices = 2..8`', found: 'a value without a name' });
      return undefined;
    }
    if (!names.includes(name.text)) {
      const nearest = context.report.nearest(name.text, names);
      context.report.report(
        'key/unknown',
        name,
        { key: name.text, block: 'call to over', nearest },
        { hint: spellingHint(nearest) },
      );
      return undefined;
    }
    if (given.has(name.text)) context.report.report('key/duplicate', name, { key: name.text, block: 'call to over' });
    given.add(name.text);
    const least = usual.some(([usualName]) => usualName === name.text) ? 1 : 0;
    const numbers = numbersOf(context, value, name.text, least);
    if (numbers === undefined) return undefined;
    axes.set(name.text, numbers);
  }
  const countOf = (parts: readonly Numbers[]): number => parts.reduce((sum, { count }) => sum + count, 0);
  const shapes = [...axes.values()].reduce((product, parts) => product * countOf(parts), 1);
  if (shapes > mostShapes) {
    tooManyShapes(context, at, shapes);
    return undefined;
  }
  return new Map(Array.from(axes, ([name, parts]) => [name, parts.flatMap(writtenOut)]));
}

const writtenOut = ({ first, step, count }: Numbers): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index * step);

/** A number, a range with or without a step, or a list of them. */
function numbersOf(
  context: ReadContext,
  expression: Expression,
  name: string,
  least: number,
): readonly Numbers[] | undefined {
  if (expression.kind === 'group') return numbersOf(context, expression.inner, name, least);
  if (expression.kind === 'list') {
    const parts = expression.items.map((item) => numbersOf(context, item, name, least));
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  }
  if (expression.kind !== 'range') {
    const number = wholeNumber(context, expression, `"${name}"`, { min: least });
    return number === undefined ? undefined : [{ first: number, step: 1, count: 1 }];
  }
  const value = evaluate(context, expression);
  if (value?.kind !== 'range') return undefined;
  const { step = 1 } = value;
  const range = wholeRange({ ...value, step: undefined });
  if (range === undefined || !Number.isSafeInteger(step) || step < 1)
    return mismatch(context, expression, 'a range of whole numbers that counts up', value);
  if (range.first < least || range.last < range.first) {
    context.report.report('value/range', expression, {
      what: 'The range',
      value: `from ${range.first} to ${range.last}`,
      allowed: `at least one number, and none below ${least}`,
    });
    return undefined;
  }
  return [{ first: range.first, step, count: Math.floor((range.last - range.first) / step) + 1 }];
}

function readCheck(context: ReadContext, condition: Expression): TestCheck | undefined {
  if (condition.kind === 'group') return readCheck(context, condition.inner);
  if (condition.kind === 'name' && condition.text === 'valid') return { kind: 'valid', at: condition };
  if (condition.kind !== 'binary') return undefined;
  const { operator } = condition;
  if (operator === 'and' || operator === 'or') {
    context.report.report('type/mismatch', condition, {
      expected: 'one comparison, or several with `and` between them',
      found: `\`${operator}\``,
    });
    return undefined;
  }
  if (operator === '+' || operator === '-' || operator === '*' || operator === '/') return undefined;
  if (condition.left.kind === 'name' && condition.left.text === 'order') return orderCheck(context, condition);
  return figureCheck(context, condition, operator);
}

/** `order == zb_h1`. */
function orderCheck(context: ReadContext, condition: Binary): TestCheck | undefined {
  const { right } = condition;
  if (condition.operator !== '==') {
    context.report.report('type/mismatch', condition, {
      expected: '`order == …`',
      found: `\`order ${condition.operator} …\``,
    });
    return undefined;
  }
  const name = calleeOf(right);
  const symbol = name === undefined ? undefined : context.links.get(name);
  const policy = name !== undefined && symbol?.startsWith('policy:') === true ? findPolicy(name.text) : undefined;
  if (policy !== undefined) {
    const args = (variables: Variables): PolicyArguments | undefined =>
      right.kind === 'call' ? readArguments(context, right, policy, variables) : {};
    return { kind: 'order', at: condition, policy, args, text: canonicalText(context.syntax, right) };
  }
  // An unknown name has been reported.
  if (right.kind !== 'missing' && (name === undefined || symbol !== undefined))
    context.report.report('type/mismatch', right, {
      expected: 'a built-in schedule such as `1f1b`',
      found: `\`${canonicalText(context.syntax, right)}\``,
    });
  return undefined;
}

const flipped = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' } as const;

function figureCheck(context: ReadContext, condition: Binary, operator: ExpectPlan['operator']): TestCheck | undefined {
  const left = figureOf(context, condition.left);
  const right = figureOf(context, condition.right);
  const figure = left ?? right;
  if (left !== undefined && right !== undefined) {
    context.report.report('type/mismatch', condition.right, {
      expected: 'a value to compare with',
      found: 'another figure',
    });
    return undefined;
  }
  if (figure === undefined) {
    const name = calleeOf(condition.left);
    if (name === undefined || context.links.has(name))
      context.report.report('type/mismatch', condition.left, {
        expected: 'a figure such as `in_flight`',
        found: 'a value',
      });
    return undefined;
  }
  const [figureSide, valueSide] =
    left === undefined ? [condition.right, condition.left] : [condition.left, condition.right];
  const restricted = restrictions(context, figureSide, figure);
  if (restricted === undefined) return undefined;
  const kept = left === undefined ? flipped[operator] : operator;
  if (!checkShareBound(context, condition, figure, kept, valueSide)) return undefined;
  const text = canonicalText(context.syntax, condition);
  const expected = (variables: Variables): Omit<ExpectPlan, 'path' | 'text'> | undefined => {
    const bound = evaluate(context, valueSide, variables);
    if (bound === undefined) return undefined;
    if (bound.kind !== 'measure') return mismatch(context, valueSide, phraseOf[figure.dimension], bound);
    if (!fits(bound.dimension, figure.dimension))
      return wrongDimension(context, valueSide, figure.dimension, phraseOf[bound.dimension]);
    const by: { stage?: number; device?: number } = {};
    for (const [key, at] of restricted) {
      const most = (variables.get(`${key}s`) ?? 1) - 1;
      // The range follows from the shape, so the message names it.
      const shape = `p = ${variables.get('devices') ?? 1}, m = ${variables.get('microbatches') ?? 1}`;
      const index = wholeNumber(context, at, `With ${shape}, the number of the ${key}`, { max: most, variables });
      if (index === undefined) return undefined;
      by[key] = index;
    }
    return { figure: figure.name, ...by, operator: kept, bound: bound.value, dimension: figure.dimension };
  };
  return { kind: 'figure', at: condition, text, expected };
}

function figureOf(context: ReadContext, side: Expression): FigureSchema | undefined {
  if (side.kind === 'group') return figureOf(context, side.inner);
  const name = calleeOf(side);
  if (name === undefined || context.links.get(name) !== `variable:${name.text}`) return undefined;
  return scheduleFigures.find((figure) => figure.name === name.text);
}

/** `(device = 0)`, `(stage = stages - 1)`. */
function restrictions(
  context: ReadContext,
  side: Expression,
  figure: FigureSchema,
): readonly (readonly ['stage' | 'device', Expression])[] | undefined {
  if (side.kind === 'group') return restrictions(context, side.inner, figure);
  if (side.kind !== 'call') return [];
  const found: (readonly ['stage' | 'device', Expression])[] = [];
  for (const argument of side.arguments) {
    const key = figure.by.find((each) => each === (argument.name?.text ?? figure.by[0]));
    if (key === undefined) {
      context.report.report('key/unknown', argument.name ?? argument, {
        key: argument.name?.text ?? '',
        block: `figure ${figure.name}`,
        nearest: context.report.nearest(argument.name?.text ?? '', figure.by),
      });
      return undefined;
    }
    found.push([key, argument.value]);
  }
  return found;
}
