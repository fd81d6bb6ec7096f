/** Arithmetic, comparisons and choices over frames. */
import type { Binary, Call, Comparison, Expression } from '../../grammar/syntax.ts';
import { ofOne, ofTwo } from '../language/arithmetic.ts';
import type { FileContext } from '../language/context.ts';
import { alike, productOf, sumOf } from '../language/dimensions.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import { phraseOf } from '../language/units.ts';
import { type Code, depthOf, type NumberCode, type TruthCode, usesOf } from './code.ts';
import { type Frame, outside } from './frame.ts';

export const negated = ({ dimension, uses, depth, at }: NumberCode): NumberCode => ({
  kind: 'number',
  dimension,
  uses,
  depth: depth + 1,
  at: (frame) => -at(frame),
});

/** Two conditions. The second one runs only if the first one does not decide, so `n > 0 and 1 / n < 2` divides by no 0. */
export function joinedTruth(operator: 'and' | 'or', left: TruthCode, right: TruthCode): TruthCode {
  const [a, b] = [left.at, right.at];
  const common = { uses: usesOf([left, right]), depth: depthOf([left, right]) };
  const at: TruthCode['at'] = operator === 'and' ? (frame) => a(frame) && b(frame) : (frame) => a(frame) || b(frame);
  return { kind: 'truth', ...common, at };
}

/** A sum, product or comparison. */
export function binary(
  context: FileContext,
  node: Binary,
  left: NumberCode,
  right: NumberCode,
): NumberCode | TruthCode | undefined {
  const { operator } = node;
  // Conditions have been compiled by `joinedTruth`.
  if (operator === 'and' || operator === 'or') return undefined;
  const [a, b] = [left.at, right.at];
  const common = { uses: usesOf([left, right]), depth: depthOf([left, right]) };
  if (operator === '*' || operator === '/') {
    const dimension = productOf(left.dimension, right.dimension, operator === '*' ? 1 : -1);
    if (dimension === undefined) {
      const found = `${phraseOf[left.dimension]} ${operator === '*' ? 'times' : 'over'} ${phraseOf[right.dimension]}`;
      context.report.report('type/dimension', node, { expected: 'a product or quotient with a dimension', found });
      return undefined;
    }
    const at = operator === '*' ? (frame: Frame) => a(frame) * b(frame) : quotient(node, a, b);
    return { kind: 'number', dimension, ...common, at };
  }
  if (!alike(left.dimension, right.dimension))
    return wrongDimension(context, node.right, left.dimension, phraseOf[right.dimension]);
  if (operator === '+' || operator === '-') {
    const at = operator === '+' ? (frame: Frame) => a(frame) + b(frame) : (frame: Frame) => a(frame) - b(frame);
    return { kind: 'number', dimension: sumOf(left.dimension, right.dimension), ...common, at };
  }
  return { kind: 'truth', ...common, at: comparison(operator, a, b) };
}

type Compute = NumberCode['at'];

const quotient =
  ({ right }: Binary, a: Compute, b: Compute): Compute =>
  (frame) => {
    const divisor = b(frame);
    return divisor === 0 ? noDivisor(frame, right) : a(frame) / divisor;
  };

const noDivisor = (frame: Frame, at: Expression): number =>
  outside(frame, at, 'The divisor', '0', 'a number other than 0');

function comparison(operator: Comparison, a: Compute, b: Compute): TruthCode['at'] {
  switch (operator) {
    case '<':
      return (frame) => a(frame) < b(frame);
    case '<=':
      return (frame) => a(frame) <= b(frame);
    case '>':
      return (frame) => a(frame) > b(frame);
    case '>=':
      return (frame) => a(frame) >= b(frame);
    case '==':
      return (frame) => a(frame) === b(frame);
    case '!=':
      return (frame) => a(frame) !== b(frame);
  }
}

/** A call of a function of any expression. */
export function numeric(
  context: FileContext,
  call: Call,
  name: string,
  expressions: readonly Expression[],
  operands: readonly NumberCode[],
): NumberCode | undefined {
  const common = { kind: 'number', uses: usesOf(operands), depth: depthOf(operands) } as const;
  const [first, second] = operands;
  if (name === 'abs') return { ...common, dimension: first.dimension, at: (frame) => Math.abs(first.at(frame)) };
  if (name === 'min' || name === 'max') {
    const other = operands.findIndex(({ dimension }) => !alike(dimension, first.dimension));
    if (other >= 0)
      return wrongDimension(context, expressions[other], first.dimension, phraseOf[operands[other].dimension]);
    const dimension = operands.reduce((sum, operand) => sumOf(sum, operand.dimension), first.dimension);
    return { ...common, dimension, at: extreme(name === 'min' ? Math.min : Math.max, operands) };
  }
  const other = operands.findIndex(({ dimension }) => !alike(dimension, 'number'));
  if (other >= 0) return wrongDimension(context, expressions[other], 'number', phraseOf[operands[other].dimension]);
  if (name === 'mod' || name === 'div') {
    const compute = ofTwo[name];
    const at = (frame: Frame): number => {
      const divisor = second.at(frame);
      return divisor === 0 ? noDivisor(frame, expressions[1]) : compute(first.at(frame), divisor);
    };
    return { ...common, dimension: 'number', at };
  }
  const compute = ofOne[name];
  const at = (frame: Frame): number => {
    const value = first.at(frame);
    const found = compute(value);
    // A number that is not known yet gives none, as in all arithmetic.
    return Number.isFinite(found) || Number.isNaN(value)
      ? found
      : outside(frame, call, 'The value', 'not a number', 'a finite number');
  };
  return { ...common, dimension: 'number', at };
}

function extreme(pick: (a: number, b: number) => number, operands: readonly NumberCode[]): Compute {
  const [first, second] = operands;
  if (operands.length === 2) return (frame) => pick(first.at(frame), second.at(frame));
  return (frame) => {
    let best = first.at(frame);
    for (let index = 1; index < operands.length; index += 1) best = pick(best, operands[index].at(frame));
    return best;
  };
}

/** One of two codes of a kind. Only the one that is taken runs, so `if(n > 0, 1 / n, 0)` divides by no 0. */
export function choice(condition: TruthCode, yes: Code, no: Code): Code | undefined {
  const uses = usesOf([condition, yes, no]);
  const depth = depthOf([condition, yes, no]);
  if (yes.kind === 'number' && no.kind === 'number') {
    const dimension = sumOf(yes.dimension, no.dimension);
    return { kind: 'number', dimension, uses, depth, at: (frame) => (condition.at(frame) ? yes : no).at(frame) };
  }
  if (yes.kind === 'truth' && no.kind === 'truth')
    return { kind: 'truth', uses, depth, at: (frame) => (condition.at(frame) ? yes : no).at(frame) };
  if (yes.kind === 'range' && no.kind === 'range')
    return { ...yes, uses, depth, count: (frame) => (condition.at(frame) ? yes : no).count(frame) };
  if (yes.kind !== 'sequence' || no.kind !== 'sequence') return undefined;
  return {
    kind: 'sequence',
    uses,
    depth,
    size: (frame) => (condition.at(frame) ? yes : no).size(frame),
    emit: (frame) => (condition.at(frame) ? yes : no).emit(frame),
  };
}
