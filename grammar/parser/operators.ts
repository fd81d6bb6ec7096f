import type { BinaryOperator } from '../syntax.ts';

/** From loose to tight: comparison, range, sum, product. */
const strengths: Readonly<Record<BinaryOperator | '..' | '..<', number>> = {
  '<': 1,
  '<=': 1,
  '>': 1,
  '>=': 1,
  '==': 1,
  '!=': 1,
  '..': 2,
  '..<': 2,
  '+': 3,
  '-': 3,
  '*': 4,
  '/': 4,
};
export type Operator = keyof typeof strengths;
export const comparison = 1;

export const isRange = (operator: Operator): operator is '..' | '..<' => operator === '..' || operator === '..<';
export const strength = (operator: Operator): number => strengths[operator];
