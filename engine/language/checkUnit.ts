/** Quantities with units that do not exist. */
import type { Quantity } from '../../grammar/syntax.ts';
import type { Dimension } from '../values/plan.ts';
import type { FileContext } from './context.ts';
import type { ValueSchema } from './schema.ts';
import { countsLike, findUnit, nearestUnit, unitsLike } from './units.ts';

/** `dimension`: what the key takes, if that is one dimension. Units of it are suggested rather than others that are spelled alike. */
export function checkUnit(
  context: FileContext,
  quantity: Quantity,
  dimension: Dimension | undefined,
  orTokens = false,
): void {
  if (findUnit(quantity.unit) !== undefined) return;
  const nearest = nearestUnit(quantity.unit);
  const fits = dimension === undefined || nearest === undefined || findUnit(nearest)?.dimension === dimension;
  const token = context.syntax.tokens[quantity.last];
  const digits = token === undefined ? '' : token.text.slice(0, token.text.length - quantity.unit.length);
  if (dimension === 'number') return noUnit(context, quantity, orTokens);
  const near = fits ? (nearest === undefined ? [] : [nearest]) : unitsLike(quantity.unit, dimension).slice(0, 2);
  context.report.report(
    'syntax/unit',
    quantity,
    {
      text: `Unknown unit "${quantity.unit}".${near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`}`,
    },
    near.length === 0 ? {} : { hint: { kind: 'spelling', suggestions: near.map((name) => digits + name) } },
  );
}

/** Whether a number of tokens may be written in place of the value. */
export const takesTokens = (schema: ValueSchema | undefined): boolean =>
  schema?.kind === 'quantity' && schema.orTokens === true;

/** `8K` where a plain number is expected; or a number of tokens. */
function noUnit(context: FileContext, quantity: Quantity, orTokens: boolean): void {
  const [unit] = orTokens ? unitsLike(quantity.unit, 'tokens') : [];
  const tokens = unit !== undefined && findUnit(unit)?.dimension === 'tokens' ? [`${quantity.value}${unit}`] : [];
  const suggestions = [...tokens, ...countsLike(quantity.value, quantity.unit).map(String)];
  const meant = suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`;
  const text = `Unknown unit "${quantity.unit}". This is a plain number${orTokens ? ', or a number of tokens' : ''}.${meant}`;
  context.report.report(
    'syntax/unit',
    quantity,
    { text },
    suggestions.length === 0 ? {} : { hint: { kind: 'spelling', suggestions } },
  );
}
