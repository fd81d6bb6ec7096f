/** A schedule declaration, compiled: its parameters, conditions and functions, and frames to run them on. */
import type { Entry, Expression, Span } from '../../grammar/syntax.ts';
import type { Reporter } from '../findings/reporter.ts';
import { detail, type FileContext } from '../language/context.ts';
import type { Dimension } from '../values/plan.ts';
import { show } from '../basics/quantities.ts';
import { type Code, depthOf, kindWords, none, type NumberCode, type TruthCode } from './code.ts';
import { compileCondition, compileNumber, compileSequence, parameterSlot } from './operands.ts';
import { compile } from './compile.ts';
import { joined } from './combine.ts';
import { type Frame, newFrame, outside, stepsOfText } from './frame.ts';
import { compileRule } from './guards.ts';
import { letText, mostParts, tooManyParts } from './letText.ts';
import {
  type BaseRows,
  createNames,
  declaredIn,
  type GivenName,
  inOrder,
  type LetText,
  type Member,
  membersOf,
  type Names,
  readNumbers,
  slotOf,
} from './names.ts';

/** Calls on the deepest path of an expression: deeper ones could overflow the stack. */
const deepest = 2_000;

/** A `param` of the schedule. */
export interface Parameter {
  readonly name: string;
  readonly symbol: string;
  readonly doc?: string;
  readonly dimension: Dimension;
  readonly entry: Entry;
  readonly slot: number;
  /** Its default; NaN where that is wrong for these numbers, or not known yet. */
  readonly value: (frame: Frame) => number;
  /** Least and greatest value; absent where the entry has no range. */
  readonly bounds?: (frame: Frame) => { readonly min: number; readonly max: number };
  /** Absent where the entry has no step. */
  readonly step?: (frame: Frame) => number;
}

/** A `require` of the schedule. */
export interface Condition {
  readonly expression: Expression;
  readonly text: string;
  /** Of the pipeline's numbers those that it reads, also through names. */
  readonly reads: ReadonlySet<GivenName>;
  readonly holds: TruthCode['at'];
}

export interface CompiledSchedule {
  readonly name: string;
  readonly names: Names;
  readonly members: readonly Member[];
  readonly parameters: readonly Parameter[];
  readonly conditions: readonly Condition[];
}

/** The numbers that a schedule is given: NaN for those that are not known yet. */
export interface GivenNumbers {
  readonly stages: number;
  readonly devices: number;
  readonly microbatches: number;
  /** Consecutive iterations. Default: 1. */
  readonly iterations?: number;
}

/**
 * Compiles what the entries `param`, `let` and `require` say. What is wrong has been reported and is left out. `compiler`: for a
 * trace.
 */
export function compileSchedule(
  context: FileContext,
  schedule: {
    readonly name: string;
    readonly symbol: string;
    /** Rows of the schedules that it takes over, for `base(d)`. */
    readonly baseRows?: BaseRows['written'];
  },
  entries: readonly Entry[],
  compiler = compile,
): CompiledSchedule {
  const names = createNames(context, compiler);
  for (const [index, { symbol }] of declaredIn(context, schedule.symbol, entries).entries())
    names.declared.set(symbol, index);
  const members = inOrder(context, membersOf(context, schedule.symbol, entries));
  // Slots of all parameters come first, in the order in which they are written.
  const parameters: Parameter[] = [];
  for (const member of members) {
    if (member.kind === 'let') compileLet(names, member);
    else {
      const parameter = compileParameter(names, member);
      if (parameter !== undefined) parameters.push(parameter);
    }
  }
  parameters.sort((a, b) => a.entry.start - b.entry.start);
  const conditions = entries.flatMap((entry): readonly Condition[] => {
    const { condition: expression } = entry;
    const code = expression === undefined ? undefined : compileCondition(names, expression);
    if (expression === undefined || code === undefined || tooDeep(names, expression, code)) return [];
    const text = context.syntax.text.slice(expression.start, expression.end).replace(/\s+/g, ' ');
    return [{ expression, text, reads: readNumbers(context, expression, members), holds: code.at }];
  });
  names.base = { written: schedule.baseRows ?? new Map(), compiled: new Map() };
  return { name: schedule.name, names, members, parameters, conditions };
}

/** A frame for these numbers. Arguments are those that a pipeline gives; other parameters have their defaults. */
export function frameOf(
  { name, names, parameters }: CompiledSchedule,
  { stages, devices, microbatches, iterations = 1 }: GivenNumbers,
  args: ReadonlyMap<string, number>,
  report: Reporter,
): Frame {
  const slots = new Float64Array(names.slots.size).fill(NaN);
  slots.set([stages, devices, microbatches, Number.isNaN(microbatches) ? NaN : iterations]);
  const { operations } = names.context.options.limits;
  const frame = newFrame(slots, report, { operations, schedule: name });
  for (const { name: given, slot } of parameters) {
    slots[slot] = args.get(given) ?? NaN;
    frame.computed[slot] = Number.isNaN(slots[slot]) ? 0 : 1;
  }
  return frame;
}

/** Whether a condition reads only numbers that are known. */
export const isKnown = ({ reads }: Condition, numbers: GivenNumbers): boolean =>
  ![...reads].some((name) => Number.isNaN(numbers[name] ?? numbers.microbatches));

/** A function of an entry's parameters, such as `in_flight(s)`. */
export interface CompiledFunction {
  readonly code: NumberCode;
  readonly slots: readonly number[];
}

/** The number of an entry `key(x) = …`. */
export function numberFunction(names: Names, { parameters = [], values = [] }: Entry): CompiledFunction | undefined {
  const slots = slotsOf(names, parameters);
  const [value] = values;
  const code = value === undefined ? undefined : compileNumber(names, value);
  return code === undefined || tooDeep(names, value, code) ? undefined : { code, slots };
}

export const slotsOf = (names: Names, parameters: readonly Expression[]): readonly number[] =>
  parameters.flatMap((parameter) => (parameter.kind === 'name' ? (parameterSlot(names, parameter) ?? []) : []));

/** Whether a code is nested too deeply to run; says so. */
export function tooDeep({ context }: Names, at: Span, { depth }: Pick<Code, 'depth'>): boolean {
  if (depth <= deepest) return false;
  context.report.report('type/mismatch', at, {
    expected: `names that use each other at most ${deepest.toLocaleString('en-US')} levels deep`,
    found: `${depth.toLocaleString('en-US')} levels`,
  });
  return true;
}

function compileLet(names: Names, { entry, symbol }: Member): void {
  const { parameters = [], values = [] } = entry;
  const slots = parameters.flatMap((parameter) => {
    const slot = parameter.kind === 'name' ? parameterSlot(names, parameter) : undefined;
    if (slot !== undefined && parameter.kind === 'name')
      return [{ name: parameter.text, symbol: names.context.links.get(parameter) ?? '', slot }];
    if (parameter.kind !== 'missing')
      names.context.report.report('type/mismatch', parameter, {
        expected: 'the name of a parameter',
        found: 'a value',
      });
    return [];
  });
  if (slots.length !== parameters.length) return;
  const [only] = values;
  const text = only === undefined || values.length > 1 ? undefined : letText(names, only, slots);
  if (text !== undefined) names.texts.set(symbol, text);
  if (text?.readsRun === true) return checkText(names, symbol, text);
  const code = valueOf(names, values);
  if (code === undefined || tooDeep(names, entry.name ?? entry.key, code)) return;
  const signature = slots.length === 0 ? '' : `(${slots.map(({ name }) => name).join(', ')}), `;
  detail(names.context, symbol, `${signature}${kindWords[code.kind]}`);
  const steps = 1 + stepsOfText(entry);
  names.lets.set(symbol, { code: slots.length === 0 ? kept(names, symbol, code) : code, parameters: slots, steps });
}

/** Reports what is wrong with a name that a rule reads while it runs, wherever it is used. */
function checkText(names: Names, symbol: string, text: LetText): void {
  const { value, parameters, size } = text;
  const code = size > mostParts ? tooManyParts(names, value, size) : compileRule({ names, letters: 'all' }, value);
  if (code === undefined) return void names.texts.set(symbol, { ...text, wrong: true });
  const signature = parameters.length === 0 ? '' : `(${parameters.map(({ name }) => name).join(', ')}), `;
  detail(names.context, symbol, `${signature}${kindWords[code.kind]} while a rule runs`);
}

/** One value of any kind; several are joined operations. */
function valueOf(names: Names, values: readonly Expression[]): Code | undefined {
  const [only] = values;
  if (values.length === 1) return names.compile(only);
  const parts = values.map((value) => compileSequence(names, value));
  return parts.every((part) => part !== undefined) ? joined(parts) : undefined;
}

/** What has no parameters is the same as long as its frame: a number or comparison is computed once, and so is the length of a sequence. */
function kept(names: Names, symbol: string, code: Code): Code {
  const slot = slotOf(names, symbol);
  switch (code.kind) {
    case 'number':
      return { ...code, uses: none, depth: code.depth + 1, at: once(slot, code.at) };
    case 'truth': {
      const holds = once(slot, (frame) => Number(code.at(frame)));
      return { ...code, uses: none, depth: code.depth + 1, at: (frame) => holds(frame) === 1 };
    }
    case 'sequence':
      return { ...code, size: once(slot, code.size) };
    case 'range':
      return code;
  }
}

/** Computes a number of a frame once. */
const once =
  (slot: number, at: NumberCode['at']): NumberCode['at'] =>
  (frame) => {
    const { slots, computed } = frame;
    if (computed[slot] === 1) return slots[slot];
    slots[slot] = at(frame);
    computed[slot] = 1;
    return slots[slot];
  };

function compileParameter(names: Names, { entry, symbol }: Member): Parameter | undefined {
  const [value] = entry.values ?? [];
  const { range, step, name, doc } = entry;
  const code = value === undefined ? undefined : compileNumber(names, value);
  const rangeCode = range === undefined ? undefined : boundsOf(names, range);
  const stepCode = step === undefined ? undefined : compileNumber(names, step, code?.dimension);
  if (code === undefined || name === undefined || tooDeep(names, name, code)) return undefined;
  if ((range !== undefined && rangeCode === undefined) || (step !== undefined && stepCode === undefined))
    return undefined;
  const slot = slotOf(names, symbol);
  const { dimension } = code;
  const bounds = rangeCode?.at;
  const value0 = (frame: Frame): number => {
    const found = code.at(frame);
    if (bounds === undefined || Number.isNaN(found)) return found;
    const { min, max } = bounds(frame);
    if (!(found < min || found > max)) return found;
    const allowed = `from ${show(min, dimension)} to ${show(max, dimension)}`;
    return outside(frame, value, `The default of "${name.text}"`, show(found, dimension), allowed);
  };
  const at = once(slot, value0);
  const depth = depthOf(rangeCode === undefined ? [code] : [code, rangeCode]);
  names.params.set(symbol, { kind: 'number', dimension, uses: none, depth, at });
  return {
    name: name.text,
    symbol,
    ...(doc === undefined ? {} : { doc }),
    dimension,
    entry,
    slot,
    value: at,
    ...(bounds === undefined ? {} : { bounds }),
    ...(stepCode === undefined ? {} : { step: stepCode.at }),
  };
}

/** The two ends of `in a..b`, which need not be whole. */
function boundsOf(
  names: Names,
  range: Expression,
): { readonly depth: number; readonly at: NonNullable<Parameter['bounds']> } | undefined {
  if (range.kind === 'group') return boundsOf(names, range.inner);
  if (range.kind === 'missing') return undefined;
  if (range.kind !== 'range' || range.step !== undefined) {
    names.context.report.report('type/mismatch', range, {
      expected: 'a range such as `1..64`',
      found: 'something else',
    });
    return undefined;
  }
  const from = compileNumber(names, range.from);
  const to = from === undefined ? undefined : compileNumber(names, range.to, from.dimension);
  if (from === undefined || to === undefined) return undefined;
  const less = range.exclusive ? 1 : 0;
  return {
    depth: depthOf([from, to]),
    at: (frame) => ({ min: from.at(frame), max: to.at(frame) - less }),
  };
}
