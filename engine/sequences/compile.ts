/** Compiles expressions of a schedule: numbers, comparisons, ranges and operations. Types and dimensions are checked here, once. */
import type { Call, Expression, Name } from '../../grammar/syntax.ts';
import { callArguments } from '../language/builtins.ts';
import { evaluate } from '../language/expressions.ts';
import { findFunction } from '../language/functions.ts';
import { findUnit, scaled } from '../language/units.ts';
import { describe } from '../language/values.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import { alike } from '../language/dimensions.ts';
import { phraseOf } from '../language/units.ts';
import { baseRow, baseSymbol } from './baseRow.ts';
import { type Code, depthOf, kindWords, none, type NumberCode, type SequenceCode, usesOf } from './code.ts';
import { combine, joined } from './combine.ts';
import { counts, type Frame, stepsOfText } from './frame.ts';
import { wrongCount } from './letText.ts';
import { givenNames, type LetCode, type Names } from './names.ts';
import { isSequence } from '../language/sequenceForm.ts';
import { binary, choice, joinedTruth, negated, numeric } from './numbers.ts';
import { compileCondition, compileNumber, mismatched, wrong } from './operands.ts';
import { layerTime } from './layerTime.ts';
import { operation } from './operations.ts';
import { rangeOf } from './ranges.ts';

/** The code of an expression; `undefined` where it is wrong, which has been reported. */
export function compile(names: Names, expression: Expression): Code | undefined {
  const code = compiled(names, expression);
  return code?.kind === 'sequence' ? paid(expression, code) : code;
}

/** Operations of a long text count its steps, each time that they are written. */
function paid(at: Expression, code: SequenceCode): SequenceCode {
  const steps = stepsOfText(at);
  if (steps < longText) return code;
  const { size, emit } = code;
  return {
    ...code,
    size: (frame) => (counts(frame, at, steps) ? size(frame) : 0),
    emit(frame) {
      if (counts(frame, at, steps)) emit(frame);
    },
  };
}

/** In steps. Shorter texts are paid for by what they write. */
const longText = 16;

function compiled(names: Names, expression: Expression): Code | undefined {
  switch (expression.kind) {
    case 'missing':
      return undefined;
    case 'group':
      return names.compile(expression.inner);
    case 'quantity': {
      const unit = findUnit(expression.unit);
      const value = unit === undefined ? NaN : scaled(expression.value, unit.scale);
      // What is too large for a number has been reported where it is written.
      if (unit === undefined || !Number.isFinite(value)) return undefined;
      return { kind: 'number', dimension: unit.dimension, uses: none, depth: 1, at: () => value };
    }
    case 'name':
      return named(names, expression);
    case 'unary': {
      const operand = compileNumber(names, expression.operand);
      return operand === undefined ? undefined : negated(operand);
    }
    case 'binary': {
      if (expression.operator === 'and' || expression.operator === 'or') {
        const [a, b] = [compileCondition(names, expression.left), compileCondition(names, expression.right)];
        return a === undefined || b === undefined ? undefined : joinedTruth(expression.operator, a, b);
      }
      if (expression.operator === '+' && (isSequence(expression.left) || isSequence(expression.right))) {
        names.context.report.report('type/mismatch', expression, {
          expected: 'a comma between sequences of operations, as `a, b` or `[a, b]`',
          found: '`+`',
        });
        return undefined;
      }
      const [left, right] = [compileNumber(names, expression.left), compileNumber(names, expression.right)];
      return left === undefined || right === undefined ? undefined : binary(names.context, expression, left, right);
    }
    case 'range':
      return rangeOf(names, expression);
    case 'index':
      return operation(names, expression);
    case 'list':
      return combine(names, expression, 'list', expression.items);
    case 'call':
      return called(names, expression);
    case 'string':
      return wrong(names, expression, 'a number or operations');
  }
}

function named(names: Names, name: Name): Code | undefined {
  const symbol = names.context.links.get(name);
  if (symbol === undefined) return undefined;
  if (symbol.startsWith(baseSymbol)) return wrongCount(names, name, [{ name: 'd' }]);
  const slot = names.slots.get(symbol);
  if (symbol.startsWith('parameter:') && slot !== undefined)
    return { kind: 'number', dimension: 'number', uses: new Set([slot]), depth: 1, at: ({ slots }) => slots[slot] };
  if (slot !== undefined && slot < givenNames.length)
    return { kind: 'number', dimension: 'number', uses: none, depth: 1, at: ({ slots }) => slots[slot] };
  const isMember = names.context.symbols.get(symbol)?.container !== undefined;
  if (isMember) return names.params.get(symbol) ?? letCalled(names, name, symbol, []);
  const value = evaluate(names.context, name);
  if (value === undefined) return undefined;
  if (value.kind !== 'measure') {
    names.context.report.report('type/mismatch', name, { expected: 'a number', found: describe(value) });
    return undefined;
  }
  return { kind: 'number', dimension: value.dimension, uses: none, depth: 1, at: () => value.value };
}

function called(names: Names, call: Call): Code | undefined {
  const { callee } = call;
  const { context } = names;
  const symbol = context.links.get(callee);
  if (symbol === undefined) return undefined;
  if (symbol.startsWith('let:')) return letOfCall(names, call, symbol);
  if (symbol.startsWith(baseSymbol)) return baseRow(names, call, symbol);
  if (!symbol.startsWith('function:')) {
    context.report.report('type/mismatch', call, {
      expected: 'a function',
      found: `\`${callee.text}\`, which is a number`,
    });
    return undefined;
  }
  if (symbol.startsWith('function:duration ')) return layerTime(names, call);
  if (callee.text === 'if') return chosen(names, call);
  if (findFunction('operations', callee.text) !== undefined) return combine(names, call, callee.text, call.arguments);
  const known = findFunction('value', callee.text);
  const expressions = known === undefined ? undefined : callArguments(context, call, known);
  if (known === undefined || expressions === undefined) return undefined;
  if (known.context !== 'value') return wrong(names, call, 'a number');
  if (known.name === 'not') return negation(names, expressions[0]);
  const operands = expressions.map((expression) => compileNumber(names, expression));
  if (!operands.every((operand) => operand !== undefined)) return undefined;
  return numeric(context, call, known.name, expressions, operands);
}

function negation(names: Names, expression: Expression): Code | undefined {
  const code = compileCondition(names, expression);
  return code && { ...code, depth: code.depth + 1, at: (frame) => !code.at(frame) };
}

/** `if` chooses between numbers, comparisons or operations; both branches are of one kind. Operations need no second branch. */
function chosen(names: Names, call: Call): Code | undefined {
  const known = findFunction(call.arguments.length === 2 ? 'operations' : 'value', 'if');
  const expressions = known === undefined ? undefined : callArguments(names.context, call, known);
  if (expressions === undefined) return undefined;
  const [first, second, third] = expressions;
  const condition = compileCondition(names, first);
  const yes = names.compile(second);
  if (third === undefined && yes !== undefined && yes.kind !== 'sequence') {
    const value = findFunction('value', 'if');
    // Says that a number has no second branch.
    if (value !== undefined) callArguments(names.context, call, value);
    return undefined;
  }
  const no = third === undefined ? joined([]) : names.compile(third);
  if (condition === undefined || yes === undefined || no === undefined) return undefined;
  if (yes.kind !== no.kind) return mismatched(names, third, `${kindWords[yes.kind]}, as where the condition holds`, no);
  if (yes.kind === 'number' && no.kind === 'number' && !alike(yes.dimension, no.dimension))
    return wrongDimension(names.context, third, yes.dimension, phraseOf[no.dimension]);
  return choice(condition, yes, no);
}

/** `w(d)` of a user's `let`. */
function letOfCall(names: Names, call: Call, symbol: string): Code | undefined {
  const found = names.lets.get(symbol);
  if (found === undefined) return onlyInConditions(names, call, symbol);
  const values: Expression[] = [];
  for (const { name, value } of call.arguments) {
    const place = name === undefined ? values.length : found.parameters.findIndex((each) => each.name === name.text);
    if (place < 0 || place in values) return wrongCount(names, call, found.parameters);
    values[place] = value;
  }
  return letCalled(names, call, symbol, values);
}

function letCalled(names: Names, at: Expression, symbol: string, values: readonly Expression[]): Code | undefined {
  const found = names.lets.get(symbol);
  if (found === undefined) return onlyInConditions(names, at, symbol);
  if (values.length !== found.parameters.length || values.includes(undefined as never))
    return wrongCount(names, at, found.parameters);
  if (values.length === 0) return found.code;
  const operands = values.map((value) => compileNumber(names, value, 'number'));
  if (!operands.every((operand) => operand !== undefined)) return undefined;
  return withArguments(at, found, operands);
}

/** Reports a name of what a device knows while a rule runs, where that is not known yet. What has no code has been reported. */
function onlyInConditions(names: Names, at: Expression, symbol: string): undefined {
  if (names.texts.get(symbol)?.readsRun !== true) return undefined;
  const { text } = at.kind === 'call' ? at.callee : at.kind === 'name' ? at : { text: '' };
  names.context.report.report('type/mismatch', at, {
    expected: 'what is known before the schedule runs',
    found: `\`${text}\`, which only a condition of \`allow\` can use: it reads the state of a device`,
  });
  return undefined;
}

/** Sets parameters, all operands first: one of them may be a call of the same `let`. False after too many steps. */
function setting(
  at: Expression,
  { parameters, steps }: LetCode,
  operands: readonly NumberCode[],
): (frame: Frame) => boolean {
  const slots = parameters.map(({ slot }) => slot);
  const [first, second] = operands;
  const [slot, other] = slots;
  if (operands.length === 1)
    return (frame) => {
      frame.slots[slot] = first.at(frame);
      return counts(frame, at, steps);
    };
  if (operands.length === 2)
    return (frame) => {
      const value = first.at(frame);
      frame.slots[other] = second.at(frame);
      frame.slots[slot] = value;
      return counts(frame, at, steps);
    };
  const values = new Float64Array(operands.length);
  return (frame) => {
    for (let index = 0; index < values.length; index += 1) values[index] = operands[index].at(frame);
    for (let index = 0; index < values.length; index += 1) frame.slots[slots[index]] = values[index];
    return counts(frame, at, steps);
  };
}

/** A `let` with its parameters set. It never calls itself, so its parameters keep their values until it has ended. */
function withArguments(at: Expression, found: LetCode, operands: readonly NumberCode[]): Code {
  const { code, parameters } = found;
  const slots = parameters.map(({ slot }) => slot);
  const uses = new Set([...usesOf(operands), ...[...code.uses].filter((slot) => !slots.includes(slot))]);
  const depth = depthOf([code, ...operands]);
  const set = setting(at, found, operands);
  switch (code.kind) {
    case 'number':
      return { ...code, uses, depth, at: (frame) => (set(frame) ? code.at(frame) : NaN) };
    case 'truth':
      return { ...code, uses, depth, at: (frame) => set(frame) && code.at(frame) };
    case 'range':
      return { ...code, uses, depth, count: (frame) => (set(frame) ? code.count(frame) : 0) };
    case 'sequence':
      return {
        ...code,
        uses,
        depth,
        size: (frame) => (set(frame) ? code.size(frame) : 0),
        emit(frame) {
          if (set(frame)) code.emit(frame);
        },
      };
  }
}
