import type { Expression, Quantity } from '../../grammar/index.ts';
import { findUnit } from '../../engine/language/units.ts';
import type { ParamEditAnswer, ParamEditRequest } from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';

/** The edit that writes a param's value, in the unit that the file uses. `value` is in base units. */
export function paramEdit(view: View, { name, value }: ParamEditRequest): ParamEditAnswer {
  const found = view.syntax.declarations.find(
    (declaration) => declaration.kind === 'param' && declaration.name?.text === name,
  );
  if (found?.kind !== 'param' || !Number.isFinite(value)) return null;
  const literal = literalOf(found.value);
  const unit = literal === undefined ? undefined : findUnit(literal.quantity.unit);
  if (literal === undefined || unit === undefined) return null;
  return {
    range: rangeIn(view, literal.whole),
    newText: `${shortest(value, unit.scale)}${literal.quantity.unit}`,
    version: view.version,
  };
}

function literalOf(
  value: Expression | undefined,
): { readonly whole: Expression; readonly quantity: Quantity } | undefined {
  if (value?.kind === 'quantity') return { whole: value, quantity: value };
  return value?.kind === 'unary' && value.operand.kind === 'quantity'
    ? { whole: value, quantity: value.operand }
    : undefined;
}

/** The shortest number that times `scale` is `value`: 0.004 of 0.001 is 4, not 4.000000000000001. */
function shortest(value: number, scale: number): string {
  for (let digits = 1; digits <= 17; digits += 1) {
    const rounded = Number((value / scale).toPrecision(digits));
    if (rounded * scale === value) return String(rounded);
  }
  return String(Number((value / scale).toPrecision(15)));
}
