/** Conditions of a rule, as functions of what a device knows at the moment. */
import { table } from '../../basics/table.ts';
import type { RuleExpression, RuleRead } from '../../values/plan.ts';

/** A number now; a comparison is 1 or 0. */
export type Reading = () => number;

type Compute = (a: number, b: number) => number;

const truth = (value: boolean): number => (value ? 1 : 0);

/** A division by 0 gives a value that no comparison holds for, so its guard does not hold. */
const ofTwo: Readonly<Record<string, Compute>> = table({
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => (b === 0 ? NaN : a / b),
  mod: (a, b) => (b === 0 ? NaN : a - b * Math.floor(a / b)),
  div: (a, b) => (b === 0 ? NaN : Math.floor(a / b)),
  min: Math.min,
  max: Math.max,
  and: (a, b) => truth(a === 1 && b === 1),
  or: (a, b) => truth(a === 1 || b === 1),
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b && !Number.isNaN(a) && !Number.isNaN(b)),
});

const ofOne: Readonly<Record<string, (value: number) => number>> = table({
  negate: (value) => -value,
  // A guard that has no value does not hold, and neither does its opposite.
  not: (value) => truth(value === 0),
  ceil: Math.ceil,
  floor: Math.floor,
  round: Math.round,
  abs: Math.abs,
  sqrt: Math.sqrt,
  log2: Math.log2,
});

/** An expression as a function; `read` gives a function for each thing that it reads. */
export function reading(expression: RuleExpression, read: (what: RuleRead) => Reading): Reading {
  if (typeof expression === 'number') return () => expression;
  if ('read' in expression) return read(expression);
  const operands = expression.to.map((operand) => reading(operand, read));
  const [first, second, third] = operands;
  const { apply } = expression;
  if (apply === 'if') return () => (first() === 1 ? second() : third());
  if (operands.length === 1) {
    const compute = apply in ofOne ? ofOne[apply] : (value: number): number => value;
    return () => compute(first());
  }
  const compute = ofTwo[apply];
  if (operands.length === 2) return () => compute(first(), second());
  return () => {
    let value = first();
    for (let index = 1; index < operands.length; index += 1) value = compute(value, operands[index]());
    return value;
  };
}

/** What an expression reads, each once, in the order in which it is written. */
export function readsOf(expression: RuleExpression): readonly RuleRead[] {
  const found = new Map<string, RuleRead>();
  const visit = (part: RuleExpression): void => {
    if (typeof part === 'number') return;
    if ('read' in part) found.set(readName(part), part);
    else part.to.forEach(visit);
  };
  visit(expression);
  return [...found.values()];
}

/** `held(1)`, `next(B, 2)`. */
export const readName = ({ read, kind, stage }: RuleRead): string =>
  `${read}(${[kind, stage].filter((part) => part !== undefined).join(', ')})`;
