import type { Expression, Quantity } from '../../grammar/syntax.ts';

/** A number that is written out: the whole expression, with its sign, and the number; undefined for any other expression. */
export function literalOf(
  value: Expression | undefined,
): { readonly whole: Expression; readonly quantity: Quantity } | undefined {
  if (value?.kind === 'quantity') return { whole: value, quantity: value };
  return value?.kind === 'unary' && value.operand.kind === 'quantity'
    ? { whole: value, quantity: value.operand }
    : undefined;
}
