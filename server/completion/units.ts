import { CompletionItemKind } from 'vscode-languageserver';
import type { Dimension } from '../../engine/values/plan.ts';
import { exampleOf, findUnit, units } from '../../engine/language/units.ts';
import { figures } from '../../engine/language/figures.ts';
import { dimensionIn } from '../../engine/language/schema.ts';
import { keyAround, nestingAt, valueSchemaOf, type Cursor } from '../text/cursor.ts';
import type { View } from '../view.ts';
import type { Offer } from './offer.ts';

/** Units after a number: `4` → `4ms`, `4GiB`. Only units of the dimension that the place takes, the usual ones first. */
export function unitOffers(view: View, cursor: Cursor): readonly Offer[] {
  const typed = view.syntax.text.slice(cursor.word.start, cursor.offset);
  const number = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(typed)?.[0];
  if (number === undefined) return [];
  const dimensions = dimensionsAt(view, cursor);
  return units
    .filter((unit) => dimensions === undefined || dimensions.includes(unit.dimension))
    .map((unit) => ({
      label: `${number}${unit.name}`,
      kind: CompletionItemKind.Unit,
      detail: unit.doc,
    }))
    .sort((a, b) => Number(usual(b.label, number)) - Number(usual(a.label, number)));
}

const usualUnits = new Set(Object.values(exampleOf).map((example) => example.replace(/^[\d.]+/, '')));
const usual = (label: string, number: string): boolean => usualUnits.has(label.slice(number.length));

/** Empty if only plain numbers fit, undefined if any unit is allowed. */
export function dimensionsAt(view: View, cursor: Cursor): readonly Dimension[] | undefined {
  const block = cursor.blocks.at(-1);
  if (block?.name === 'expect') {
    const figure = figures.find((figureSchema) => figureSchema.name === comparedName(view, cursor));
    return figure === undefined ? undefined : [figure.dimension];
  }
  const start = Math.max(block?.body.start ?? 0, cursor.entry?.start ?? 0);
  const key = keyAround(cursor, nestingAt(view.syntax, cursor.index, start));
  if (key !== undefined) return key.sizes === undefined ? [] : [key.sizes];
  const value = valueSchemaOf(cursor);
  if (cursor.before?.text === '[' || cursor.before?.text === '(') return [];
  const dimension = dimensionIn(value, cursor.before?.text === '+' ? 'added' : 'first');
  if (dimension !== undefined) return [dimension];
  if (block === undefined && cursor.declaration?.kind === 'param' && cursor.before?.text !== '=')
    return dimensionOf(cursor);
  return block === undefined && (cursor.declaration?.kind === 'param' || cursor.declaration?.kind === 'let')
    ? undefined
    : [];
}

/** Of a param's own value, for its range and step. */
function dimensionOf({ declaration }: Cursor): readonly Dimension[] | undefined {
  if (declaration?.kind !== 'param' || declaration.value?.kind !== 'quantity') return undefined;
  const dimension = findUnit(declaration.value.unit)?.dimension;
  return dimension === undefined ? undefined : dimension === 'number' ? [] : [dimension];
}

/** The figure on the other side of `<`. */
function comparedName(view: View, cursor: Cursor): string | undefined {
  const tokens = view.syntax.tokens;
  for (let at = cursor.index - 1; at >= 0 && at > cursor.index - 12; at -= 1) {
    const token = tokens[at];
    if (token === undefined || token.text === '{') return undefined;
    if (token.kind === 'name' && figures.some((figure) => figure.name === token.text)) return token.text;
  }
  return undefined;
}
