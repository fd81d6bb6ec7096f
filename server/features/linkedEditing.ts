import type { LinkedEditingRangeParams, LinkedEditingRanges } from 'vscode-languageserver';
import type { NameIndex } from '../names/fileNames.ts';
import { usesOf } from '../names/uses.ts';
import { toOffset } from '../text/convert.ts';
import { rangeIn, referenceAt, type View } from '../view.ts';

/**
 * All places of a name that the file declares, to be edited together. Nothing if another file uses the name, which such an edit would
 * leave behind: a rename changes that too.
 */
export function* linkedEditing(
  view: View,
  params: LinkedEditingRangeParams,
  index: NameIndex,
): Generator<void, LinkedEditingRanges | null, void> {
  const symbol = referenceAt(view, toOffset(view.lines, params.position))?.symbol;
  const declaration = symbol?.declaration;
  if (symbol === undefined || declaration?.uri !== view.uri || symbol.replaces !== undefined) return null;
  const [own, ...others] = yield* usesOf(index, view, symbol);
  const places = (own?.places ?? []).filter(({ start, end }) => view.syntax.text.slice(start, end) === symbol.name);
  if (others.length > 0 || places.length < 2) return null;
  return { ranges: places.map((place) => rangeIn(view, place)), wordPattern: '[A-Za-z_0-9]+' };
}
