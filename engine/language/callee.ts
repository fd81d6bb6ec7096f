/** Values that are a name, with arguments or without: `1f1b`, `wsp(distance = 1)`. */
import type { Expression, Name } from '../../grammar/syntax.ts';
import type { FileContext } from './context.ts';
import { evaluate } from './expressions.ts';
import { mismatch } from './valueFaults.ts';

/** The name of `name` or `name(…)`; undefined for anything else. */
export const calleeOf = (expression: Expression): Name | undefined =>
  expression.kind === 'name' ? expression : expression.kind === 'call' ? expression.callee : undefined;

/** The same; for anything else a `type/mismatch` that says what was expected. */
export function readCallee(context: FileContext, expression: Expression, expected: string): Name | undefined {
  const name = calleeOf(expression);
  if (name !== undefined) return name;
  const value = evaluate(context, expression);
  return value === undefined ? undefined : mismatch(context, expression, expected, value);
}
