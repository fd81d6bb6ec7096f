import type { Location, ReferenceParams } from 'vscode-languageserver';
import { toOffset, toRange } from '../text/convert.ts';
import type { NameIndex } from '../names/fileNames.ts';
import { usesOf } from '../names/uses.ts';
import { referenceAt, type View } from '../view.ts';

/** Every use of the name under the cursor, in this file and in the files of the workspace that import it. */
export function* references(
  view: View,
  params: ReferenceParams,
  index: NameIndex,
): Generator<void, Location[] | null, void> {
  const found = referenceAt(view, toOffset(view.lines, params.position));
  if (found === undefined) return null;
  const { declaration } = found.symbol;
  const locations: Location[] = [];
  for (const { uri, text, places } of yield* usesOf(index, view, found.symbol)) {
    yield;
    const lines = uri === view.uri ? view.lines : view.files.linesIn(text);
    for (const place of places)
      if (params.context.includeDeclaration || uri !== declaration?.uri || place.start !== declaration.start)
        locations.push({ uri, range: toRange(lines, place) });
  }
  return locations;
}
