/** Edits of the text of `slot(F, s) = …` that add a number to it: the smallest first. Pure. */
import type { Edit } from '../../engine/fixes/proposal.ts';
import type { Call, Expression, Quantity, Span } from '../../grammar/index.ts';

/** Branches that are tried. */
const mostBranches = 16;

/**
 * Edits that add `delta` to the slots of some stages: one for each branch of an `if` that decides them, and one for all. Which stages
 * a branch has is for the caller to find out.
 */
export function ruleEdits(expression: Expression, delta: number): readonly Edit[] {
  const leaves = leavesOf(expression).slice(0, mostBranches);
  const found = leaves.map((leaf) => addedTo(leaf, delta));
  return leaves.length > 1 ? [...found, addedTo(expression, delta)] : found;
}

/** The edit that adds `delta` to the slot of one stage. `parameter`: the name of the stage in the entry. */
export function stageEdit(expression: Expression, parameter: string, stage: number, delta: number): Edit {
  const earlier = stageTerm(expression, parameter, stage);
  if (earlier === undefined) return inserted(expression.end, ` + if(${parameter} == ${stage}, ${delta}, 0)`);
  const sum = signed(earlier.number) + delta;
  return sum === 0
    ? { start: earlier.before, end: expression.end, text: '' }
    : { start: earlier.number.start, end: earlier.number.end, text: String(sum) };
}

/** What decides the number: the branches of an `if`, however nested. */
function leavesOf(expression: Expression): readonly Expression[] {
  if (expression.kind === 'group') return leavesOf(expression.inner);
  if (!isIf(expression)) return [expression];
  return expression.arguments.slice(1).flatMap(({ value }) => leavesOf(value));
}

const isIf = (expression: Expression): expression is Call =>
  expression.kind === 'call' && expression.callee.text === 'if' && expression.arguments.length === 3;

/** Adds to the number at either end of a sum, or a new number behind it. */
function addedTo(expression: Expression, delta: number): Edit {
  const literal = wholeLiteral(expression);
  if (literal !== undefined) return replaced(expression, String(literal + delta));
  if (expression.kind === 'binary' && (expression.operator === '+' || expression.operator === '-')) {
    const sign = expression.operator === '+' ? 1 : -1;
    const right = wholeLiteral(expression.right);
    if (right !== undefined) {
      const sum = sign * right + delta;
      const tail = { start: expression.left.end, end: expression.end };
      if (sum === 0) return replaced(tail, '');
      // Only the number changes as long as it has its sign.
      if (Math.sign(sum) === sign) return replaced(expression.right, String(Math.abs(sum)));
      return replaced(tail, ` ${sum < 0 ? '-' : '+'} ${Math.abs(sum)}`);
    }
    const left = wholeLiteral(expression.left);
    if (left !== undefined && left + delta > 0) return replaced(expression.left, String(left + delta));
    if (left !== undefined && left + delta === 0 && expression.operator === '+')
      return replaced({ start: expression.left.start, end: expression.right.start }, '');
  }
  return inserted(expression.end, ` ${delta < 0 ? '-' : '+'} ${Math.abs(delta)}`);
}

interface StageTerm {
  /** Where the sum before it ends. */
  readonly before: number;
  readonly number: Expression;
}

/** The last term of a sum, if it is `if(s == stage, N, 0)`. */
function stageTerm(expression: Expression, parameter: string, stage: number): StageTerm | undefined {
  if (expression.kind !== 'binary' || expression.operator !== '+' || !isIf(expression.right)) return undefined;
  const [condition, number, other] = expression.right.arguments.map(({ value }) => value);
  const isStage =
    condition.kind === 'binary' &&
    condition.operator === '==' &&
    condition.left.kind === 'name' &&
    condition.left.text === parameter &&
    wholeLiteral(condition.right) === stage;
  if (!isStage || wholeLiteral(other) !== 0 || wholeLiteral(number) === undefined) return undefined;
  return { before: expression.left.end, number };
}

/** A whole number without a unit, with its sign. */
function wholeLiteral(expression: Expression): number | undefined {
  if (expression.kind === 'quantity') return plain(expression);
  const negated =
    expression.kind === 'unary' && expression.operand.kind === 'quantity' ? plain(expression.operand) : undefined;
  return negated === undefined ? undefined : -negated;
}

const signed = (expression: Expression): number => wholeLiteral(expression) ?? 0;
const plain = ({ value, unit }: Quantity): number | undefined =>
  unit === '' && Number.isInteger(value) ? value : undefined;

const replaced = ({ start, end }: Span, text: string): Edit => ({ start, end, text });
const inserted = (at: number, text: string): Edit => ({ start: at, end: at, text });
