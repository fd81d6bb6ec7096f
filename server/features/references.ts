import type { Location, ReferenceParams } from 'vscode-languageserver';
import { toOffset } from '../text/convert.ts';
import { usesOf } from '../uses.ts';
import { locate, referenceAt, type View } from '../view.ts';

/** Every use of the name under the cursor, in this file and in the files of the workspace that import it. */
export function references(view: View, params: ReferenceParams): Location[] | null {
  const found = referenceAt(view, toOffset(view.lines, params.position));
  if (found === undefined) return null;
  const { declaration } = found.symbol;
  return usesOf(view, found.symbol).flatMap((use) =>
    use.places
      .filter(
        (place) =>
          params.context.includeDeclaration || place.uri !== declaration?.uri || place.start !== declaration.start,
      )
      .flatMap((place) => locate(view, place) ?? []),
  );
}
