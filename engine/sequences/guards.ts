/**
 * Conditions of a rule. What they read is known only while the rule runs, so the numbers around it are filled in and the rest
 * stays an expression of the plan.
 */
import type { Call, Expression, Name } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import { callArguments } from '../language/builtins.ts';
import { alike, sumOf } from '../language/dimensions.ts';
import { findFunction, type FunctionSchema } from '../language/functions.ts';
import type { Word } from '../language/kinds.ts';
import { phraseOf } from '../language/units.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import type { Dimension, RuleExpression, RuleOperation, RuleRead } from '../values/plan.ts';
import { type NumberCode, none } from './code.ts';
import { type Frame, outside } from './frame.ts';
import { mostParts, tooManyParts, wrongCount } from './letText.ts';
import type { Names } from './names.ts';
import { binary, numeric } from './numbers.ts';
import { compileNumber, mismatched, wrong } from './operands.ts';

/** An expression of a rule: `at` gives what is left of it once the numbers of a shape are known. */
export interface RuleCode {
  readonly kind: 'number' | 'truth';
  readonly dimension: Dimension;
  /** Parts of what is left, at most. */
  readonly parts: number;
  readonly at: (frame: Frame) => RuleExpression;
}

const dimensionOf: Readonly<Record<RuleRead['read'], Dimension>> = {
  held: 'number',
  away: 'number',
  loaded: 'number',
  pending: 'number',
  done: 'number',
  next: 'time',
  time: 'time',
  bytes: 'bytes',
  activation: 'bytes',
  weights: 'bytes',
  gradients: 'bytes',
};

/** Compiles conditions of operations of these kinds. */
export interface RuleNames {
  readonly names: Names;
  /** `all`: whatever the language knows and the schedule declares. */
  readonly letters: readonly RuleOperation[] | 'all';
  /** Arguments of names that the condition uses, by the symbol of the parameter: those that are known only while the rule runs. */
  readonly given?: ReadonlyMap<string, RuleCode>;
  /** Which functions it may use. Default: functions of a guard. */
  readonly context?: 'cost';
  /** Words that read something of a stage. Default: none. */
  readonly words?: readonly Word[];
  /** Slot of the stage that these words are for. */
  readonly stage?: number;
}

/** `undefined` where it is wrong, which has been reported. */
export function compileRule(rule: RuleNames, node: Expression): RuleCode | undefined {
  const { names } = rule;
  if (node.kind === 'group') return compileRule(rule, node.inner);
  if (!readsRun(rule, node)) return known(names, node);
  switch (node.kind) {
    case 'name':
      return named(rule, node);
    case 'unary': {
      const operand = ruleNumber(rule, node.operand);
      if (operand === undefined) return undefined;
      return {
        ...operand,
        parts: operand.parts + 1,
        at: (frame) => ({ apply: 'negate', to: [operand.at(frame)] }),
      };
    }
    case 'binary': {
      if (node.operator === 'and' || node.operator === 'or') {
        const [a, b] = [ruleTruth(rule, node.left), ruleTruth(rule, node.right)];
        return a && b && applied('truth', node.operator, [a, b]);
      }
      const [left, right] = [ruleNumber(rule, node.left), ruleNumber(rule, node.right)];
      if (left === undefined || right === undefined) return undefined;
      const code = binary(names.context, node, stand(left), stand(right));
      return code && applied(code.kind === 'truth' ? 'truth' : code, node.operator, [left, right]);
    }
    case 'call':
      return callOf(rule, node);
    default:
      return wrong(names, node, 'a comparison of numbers');
  }
}

/** Whether a part of it is known only while the rule runs. */
function readsRun({ names, context: asked, words, given }: RuleNames, node: Expression): boolean {
  const { context, texts } = names;
  const where = asked ?? 'guard';
  let found = false;
  walk(node, (part) => {
    const callee = part.kind === 'call' ? context.links.get(part.callee) : undefined;
    if (callee?.startsWith(`function:${where} `) === true) found = true;
    const symbol = part.kind === 'name' ? context.links.get(part) : undefined;
    if (symbol !== undefined && given?.has(symbol) === true) found = true;
    if (symbol !== undefined && asked === undefined && texts.get(symbol)?.readsRun === true) found = true;
    // A word is no name.
    if (part.kind === 'name' && !context.links.has(part) && words?.some(({ name }) => name === part.text) === true)
      found = true;
  });
  return found;
}

/** A name that stands for what is read while the rule runs. */
function named(rule: RuleNames, name: Name): RuleCode | undefined {
  const symbol = rule.names.context.links.get(name);
  if (symbol === undefined) return wordOf(rule, name);
  return rule.given?.get(symbol) ?? replaced(rule, name, symbol, []);
}

/** Bytes of the stage that the operation belongs to. */
function wordOf({ stage }: RuleNames, { text }: Name): RuleCode {
  const read = text as RuleRead['read'];
  return {
    kind: 'number',
    dimension: dimensionOf[read],
    parts: 1,
    at: ({ slots }) => ({ read, stage: stage === undefined ? 0 : slots[stage] }),
  };
}

/** What the core computes before the run. */
function known(names: Names, node: Expression): RuleCode | undefined {
  const code = names.compile(node);
  if (code === undefined) return undefined;
  if (code.kind === 'number') return { kind: 'number', dimension: code.dimension, parts: 1, at: code.at };
  if (code.kind === 'truth')
    return { kind: 'truth', dimension: 'number', parts: 1, at: (frame) => (code.at(frame) ? 1 : 0) };
  return mismatched(names, node, 'a number or a comparison', code);
}

/** A number in place of one that is known later: for checks of dimensions. */
const stand = ({ dimension }: RuleCode): NumberCode => ({
  kind: 'number',
  dimension,
  uses: none,
  depth: 1,
  at: () => NaN,
});

function ruleNumber(rule: RuleNames, node: Expression): RuleCode | undefined {
  const code = compileRule(rule, node);
  if (code === undefined || code.kind === 'number') return code;
  rule.names.context.report.report('type/mismatch', node, { expected: 'a number', found: 'a comparison' });
  return undefined;
}

function applied(result: NumberCode | 'truth', apply: string, operands: readonly RuleCode[]): RuleCode {
  const at = (frame: Frame): RuleExpression => ({ apply, to: operands.map((operand) => operand.at(frame)) });
  const parts = partsOf(operands);
  return result === 'truth'
    ? { kind: 'truth', dimension: 'number', parts, at }
    : { kind: 'number', dimension: result.dimension, parts, at };
}

const partsOf = (operands: readonly RuleCode[]): number => operands.reduce((sum, { parts }) => sum + parts, 1);

function callOf(rule: RuleNames, call: Call): RuleCode | undefined {
  const { names } = rule;
  const { context } = names;
  const name = call.callee.text;
  const symbol = context.links.get(call.callee);
  if (symbol === undefined) return undefined;
  if (symbol.startsWith(`function:${rule.context ?? 'guard'} `)) return readOf(rule, call);
  if (symbol.startsWith('let:') && rule.context === undefined) {
    const values = argumentsOf(rule, call, symbol);
    return values && replaced(rule, call, symbol, values);
  }
  const schema = symbol.startsWith('function:') ? findFunction('value', name) : undefined;
  if (schema?.context !== 'value')
    return wrong(names, call, `a function of numbers; \`${name}\` takes only what is known before the schedule runs`);
  const expressions = callArguments(context, call, schema);
  if (expressions === undefined) return undefined;
  if (name === 'if') return chosen(rule, expressions);
  if (name === 'not') {
    const condition = ruleTruth(rule, expressions[0]);
    return condition && applied('truth', name, [condition]);
  }
  const operands = expressions.map((expression) => ruleNumber(rule, expression));
  if (!operands.every((operand) => operand !== undefined)) return undefined;
  const code = numeric(context, call, name, expressions, operands.map(stand));
  return code && applied(code, name, operands);
}

function chosen(rule: RuleNames, [test, then, otherwise]: readonly Expression[]): RuleCode | undefined {
  const { context } = rule.names;
  const condition = ruleTruth(rule, test);
  const yes = compileRule(rule, then);
  const no = compileRule(rule, otherwise);
  if (condition === undefined || yes === undefined || no === undefined) return undefined;
  if (yes.kind !== no.kind) {
    const words = { number: 'a number', truth: 'a comparison' };
    context.report.report('type/mismatch', otherwise, { expected: words[yes.kind], found: words[no.kind] });
    return undefined;
  }
  if (!alike(yes.dimension, no.dimension))
    return wrongDimension(context, otherwise, yes.dimension, phraseOf[no.dimension]);
  const operands = [condition, yes, no];
  return {
    kind: yes.kind,
    dimension: sumOf(yes.dimension, no.dimension),
    parts: partsOf(operands),
    at: (frame) => ({ apply: 'if', to: operands.map((operand) => operand.at(frame)) }),
  };
}

/** A comparison, or `if` between comparisons. */
export function ruleTruth(rule: RuleNames, node: Expression): RuleCode | undefined {
  const code = compileRule(rule, node);
  if (code === undefined || code.kind === 'truth') return code;
  rule.names.context.report.report('type/mismatch', node, {
    expected: 'a comparison such as `held(s) < 4`',
    found: 'a number',
  });
  return undefined;
}

/** `held(s)`, `pending(F)`, `next(B, s)`. */
function readOf(rule: RuleNames, call: Call): RuleCode | undefined {
  const { names, letters } = rule;
  const { context } = names;
  const schema = findFunction(rule.context ?? 'guard', call.callee.text);
  const expressions = schema && callArguments(context, call, schema);
  if (schema === undefined || expressions === undefined) return undefined;
  const read = schema.name as RuleRead['read'];
  const hasKind = schema.parameters[0].name === 'kind';
  const [first] = expressions;
  const known = letters === 'all' ? allLetters(names, schema) : letters;
  const kind = hasKind && first.kind === 'name' ? known.find((letter) => letter === first.text) : undefined;
  if (hasKind && kind === undefined) {
    // An unknown kind has been reported where it was looked up.
    const unknown = first.kind === 'name' && schema.parameters[0].words?.includes(first.text) === false;
    if (first.kind === 'missing' || unknown) return undefined;
    const expected = known.map((letter) => `\`${letter}\``).join(' or ');
    return wrong(names, first, `an operation of this schedule: ${expected}`);
  }
  const stageAt = schema.parameters.length > Number(hasKind) ? expressions[Number(hasKind)] : undefined;
  if (stageAt !== undefined && readsRun(rule, stageAt))
    return wrong(names, stageAt, 'the number of a stage, which is known before the schedule runs');
  const stage = stageAt === undefined ? undefined : compileNumber(names, stageAt, 'number');
  if (stageAt !== undefined && stage === undefined) return undefined;
  const at = (frame: Frame): RuleRead => ({
    read,
    ...(kind === undefined ? {} : { kind }),
    ...(stage === undefined || stageAt === undefined ? {} : { stage: stageOf(frame, stage, stageAt) }),
  });
  return { kind: 'number', dimension: dimensionOf[read], parts: 1, at };
}

const allLetters = ({ declared }: Names, { parameters }: FunctionSchema): readonly RuleOperation[] => [
  ...(parameters[0].words ?? []),
  ...[...declared.keys()].map((symbol) => symbol.slice(symbol.lastIndexOf('/') + 1)),
];

/** Arguments of a `let`, in the order of its parameters; `undefined` where they do not fit, which is reported. */
function argumentsOf({ names }: RuleNames, call: Call, symbol: string): readonly Expression[] | undefined {
  const { parameters = [] } = names.texts.get(symbol) ?? {};
  const values: Expression[] = [];
  for (const { name, value } of call.arguments) {
    const place = name === undefined ? values.length : parameters.findIndex((each) => each.name === name.text);
    values[place < 0 || place in values ? parameters.length : place] = value;
  }
  return values;
}

/** The text of a `let` in the place of its name. */
function replaced(
  rule: RuleNames,
  at: Call | Name,
  symbol: string,
  values: readonly Expression[],
): RuleCode | undefined {
  const { names } = rule;
  const text = names.texts.get(symbol);
  // What it stands for is no number and no comparison, or it is wrong: that has been reported.
  if (text === undefined) return known(names, at);
  if (text.wrong === true) return undefined;
  const { parameters } = text;
  if (values.length !== parameters.length || values.includes(undefined as never))
    return wrongCount(names, at, parameters);
  const operands = values.map((value) => ruleNumber(rule, value));
  if (!operands.every((operand) => operand !== undefined)) return undefined;
  const odd = operands.findIndex(({ dimension }) => dimension !== 'number');
  if (odd >= 0) return wrongDimension(names.context, values[odd], 'number', phraseOf[operands[odd].dimension]);
  const read: (RuleExpression | undefined)[] = [];
  const given = new Map<string, RuleCode>();
  for (const [index, operand] of operands.entries())
    if (readsRun(rule, values[index]))
      given.set(parameters[index].symbol, { ...operand, at: () => read[index] ?? NaN });
  const body = compileRule({ ...rule, given }, text.value);
  if (body === undefined) return undefined;
  if (body.parts > mostParts) return tooManyParts(names, at, body.parts);
  return {
    ...body,
    at(frame) {
      // All arguments first: one of them may be a call of the same name.
      for (const [index, operand] of operands.entries()) read[index] = operand.at(frame);
      for (const [index, { slot }] of parameters.entries()) {
        const value = read[index];
        frame.slots[slot] = typeof value === 'number' ? value : NaN;
      }
      return body.at(frame);
    },
  };
}

function stageOf(frame: Frame, stage: NumberCode, at: Expression): number {
  const found = stage.at(frame);
  const [stages] = frame.slots;
  if (Number.isInteger(found) && found >= 0 && found < stages) return found;
  return outside(frame, at, 'The stage', String(found), `a whole number from 0 to ${stages - 1}`);
}
