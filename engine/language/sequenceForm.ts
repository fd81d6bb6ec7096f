/** What can only be a sequence of operations, before names have a meaning. */
import type { Expression } from '../../grammar/syntax.ts';
import { findFunction } from './functions.ts';

/** `F[0]`, or a function of operations such as `each(…)`. `if` may also choose between numbers. */
export const isSequence = (expression: Expression): boolean =>
  expression.kind === 'index' ||
  (expression.kind === 'call' &&
    expression.callee.text !== 'if' &&
    findFunction('operations', expression.callee.text) !== undefined);
