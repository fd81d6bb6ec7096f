import { DocumentHighlightKind, type DocumentHighlight, type DocumentHighlightParams } from 'vscode-languageserver';
import { toOffset } from '../text/convert.ts';
import { placesOf, rangeIn, referenceAt, type View } from '../view.ts';

/** Every use of the name under the cursor in the file; its declaration as a write. */
export function documentHighlight(view: View, params: DocumentHighlightParams): DocumentHighlight[] | null {
  const found = referenceAt(view, toOffset(view.lines, params.position));
  if (found === undefined) return null;
  const { declaration } = found.symbol;
  return placesOf(view, found.symbol.id).map((place) => ({
    range: rangeIn(view, place),
    kind:
      declaration?.uri === place.uri && declaration.start === place.start
        ? DocumentHighlightKind.Write
        : DocumentHighlightKind.Read,
  }));
}
