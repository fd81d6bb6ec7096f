/** Values that are a name, with arguments or without: `1f1b`, `wsp(distance = 1)`. */
import type { Expression, Name } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { mismatch } from '../language/valueFaults.ts';

/** The name of `name` or `name(…)`; undefined for anything else. */
export const calleeOf = (expression: Expression): Name | undefined =>
  expression.kind === 'name' ? expression : expression.kind === 'call' ? expression.callee : undefined;

/** The same; for anything else a `type/mismatch` that says what was expected. */
export function readCallee(context: ReadContext, expression: Expression, expected: string): Name | undefined {
  const name = calleeOf(expression);
  if (name !== undefined) return name;
  const value = evaluate(context, expression);
  return value === undefined ? undefined : mismatch(context, expression, expected, value);
}
