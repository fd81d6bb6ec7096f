/**
 * Conditions of a rule. What they read is known only while the rule runs, so the numbers around it are filled in and the rest
 * stays an expression of the plan.
 */
import type { Call, Expression, Name } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import { callArguments } from '../language/builtins.ts';
import { alike, sumOf } from '../language/dimensions.ts';
import { findFunction } from '../language/functions.ts';
import type { Word } from '../language/kinds.ts';
import { phraseOf } from '../language/units.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import type { Dimension, RuleExpression, RuleOperation, RuleRead } from '../values/plan.ts';
import { type NumberCode, none } from './code.ts';
import { type Frame, outside } from './frame.ts';
import type { Names } from './names.ts';
import { binary, numeric } from './numbers.ts';
import { compileNumber, mismatched, wrong } from './operands.ts';

/** An expression of a rule: `at` gives what is left of it once the numbers of a shape are known. */
export interface RuleCode {
  readonly kind: 'number' | 'truth';
  readonly dimension: Dimension;
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
  readonly letters: readonly RuleOperation[];
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
      return wordOf(rule, node);
    case 'unary': {
      const operand = ruleNumber(rule, node.operand);
      return operand && { ...operand, at: (frame) => ({ apply: 'negate', to: [operand.at(frame)] }) };
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
function readsRun({ names: { context }, context: asked, words }: RuleNames, node: Expression): boolean {
  const where = asked ?? 'guard';
  let found = false;
  walk(node, (part) => {
    const callee = part.kind === 'call' ? context.links.get(part.callee) : undefined;
    if (callee?.startsWith(`function:${where} `) === true) found = true;
    // A word is no name.
    if (part.kind === 'name' && !context.links.has(part) && words?.some(({ name }) => name === part.text) === true)
      found = true;
  });
  return found;
}

/** Bytes of the stage that the operation belongs to. */
function wordOf({ stage }: RuleNames, { text }: Name): RuleCode {
  const read = text as RuleRead['read'];
  return {
    kind: 'number',
    dimension: dimensionOf[read],
    at: ({ slots }) => ({ read, stage: stage === undefined ? 0 : slots[stage] }),
  };
}

/** What the core computes before the run. */
function known(names: Names, node: Expression): RuleCode | undefined {
  const code = names.compile(node);
  if (code === undefined) return undefined;
  if (code.kind === 'number') return { kind: 'number', dimension: code.dimension, at: code.at };
  if (code.kind === 'truth') return { kind: 'truth', dimension: 'number', at: (frame) => (code.at(frame) ? 1 : 0) };
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
  return result === 'truth'
    ? { kind: 'truth', dimension: 'number', at }
    : { kind: 'number', dimension: result.dimension, at };
}

function callOf(rule: RuleNames, call: Call): RuleCode | undefined {
  const { names } = rule;
  const { context } = names;
  const name = call.callee.text;
  const symbol = context.links.get(call.callee);
  if (symbol === undefined) return undefined;
  if (symbol.startsWith(`function:${rule.context ?? 'guard'} `)) return readOf(rule, call);
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
  const kind = hasKind && first.kind === 'name' ? letters.find((letter) => letter === first.text) : undefined;
  if (hasKind && kind === undefined) {
    // An unknown kind has been reported where it was looked up.
    const unknown = first.kind === 'name' && schema.parameters[0].words?.includes(first.text) === false;
    if (first.kind === 'missing' || unknown) return undefined;
    const expected = letters.map((letter) => `\`${letter}\``).join(' or ');
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
  return { kind: 'number', dimension: dimensionOf[read], at };
}

function stageOf(frame: Frame, stage: NumberCode, at: Expression): number {
  const found = stage.at(frame);
  const [stages] = frame.slots;
  if (Number.isInteger(found) && found >= 0 && found < stages) return found;
  return outside(frame, at, 'The stage', String(found), `a whole number from 0 to ${stages - 1}`);
}
