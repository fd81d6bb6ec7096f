import { literalOf } from '../../engine/language/literal.ts';
import { findUnit } from '../../engine/language/units.ts';
import type { ParamEditAnswer, ParamEditRequest } from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';
import { argumentEdit } from './argumentEdit.ts';
import { shortest } from './shortest.ts';

/** The edit that writes a param's value, in the unit that the file uses. `value` is in base units. */
export function paramEdit(view: View, { name, value }: ParamEditRequest): ParamEditAnswer {
  if (name.includes('.')) return argumentEdit(view, name, value);
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
