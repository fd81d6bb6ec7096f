import type { BinaryOperator } from '../syntax.ts';

/** From loose to tight: or, and, comparison, range, sum, product. */
const strengths: Readonly<Record<BinaryOperator | '..' | '..<', number>> = {
  or: 1,
  and: 2,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '==': 3,
  '!=': 3,
  '..': 4,
  '..<': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
};
export type Operator = keyof typeof strengths;
export const comparison = 3;

export const isRange = (operator: Operator): operator is '..' | '..<' => operator === '..' || operator === '..<';
export const strength = (operator: Operator): number => strengths[operator];
