import { literalOf } from '../../engine/language/literal.ts';
import { settingsName } from '../../engine/language/settingsName.ts';
import { findUnit } from '../../engine/language/units.ts';
import type { Expression } from '../../grammar/index.ts';
import type { ParamEditAnswer, ParamEditRequest } from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';
import { argumentEdit } from './argumentEdit.ts';
import { shortest } from './shortest.ts';

/** The edit that writes a param's value, in the unit that the file uses. `value` is in base units. */
export function paramEdit(view: View, { name, value }: ParamEditRequest): ParamEditAnswer {
  const setting = settingNamed(view, name);
  if (setting === undefined && name.includes('.')) return argumentEdit(view, name, value);
  const found = view.syntax.declarations.find(
    (declaration) => declaration.kind === 'param' && declaration.name?.text === name,
  );
  if (!Number.isFinite(value)) return null;
  const literal = literalOf(found?.kind === 'param' ? found.value : setting);
  const unit = literal === undefined ? undefined : findUnit(literal.quantity.unit);
  if (literal === undefined || unit === undefined) return null;
  return {
    range: rangeIn(view, literal.whole),
    newText: `${shortest(value, unit.scale)}${literal.quantity.unit}`,
    version: view.version,
  };
}

/** The value that an import sets for a param, `with { nodes = 8 }`: under the name of the param, or as `dgx_h100.nodes`. */
function settingNamed({ syntax }: View, name: string): Expression | undefined {
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'import') continue;
    const { names } = declaration;
    for (const item of declaration.settings?.entries ?? []) {
      if (item.kind !== 'entry') continue;
      const { text } = item.key;
      const imported = names === undefined || names.some((each) => each.text === text);
      if (name === (imported ? text : `${settingsName(declaration)}.${text}`)) return item.values?.[0];
    }
  }
  return undefined;
}
