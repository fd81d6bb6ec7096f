import {
  InsertTextFormat,
  type CompletionItem,
  type CompletionList,
  type CompletionParams,
} from 'vscode-languageserver';
import { importItems } from '../completion/imports.ts';
import type { Offer } from '../completion/offer.ts';
import { offers } from '../completion/offers.ts';
import { cursorAt } from '../cursor.ts';
import { toOffset } from '../convert.ts';
import { rangeIn, type ClientAbilities, type View } from '../view.ts';

/** Everything allowed at the cursor, the most likely first. Empty if nothing fits. */
export function completion(view: View, params: CompletionParams, abilities: ClientAbilities): CompletionList | null {
  const offset = toOffset(view.lines, params.position);
  const imported = importItems(view, offset);
  if (imported !== undefined) return list(view, imported.offers, imported.span, abilities);
  const cursor = cursorAt(view.syntax, offset);
  if (cursor === undefined) return null;
  const found = offers(view, cursor);
  // A space asks only where a value is due; elsewhere it would open a list at every pause.
  if (params.context?.triggerCharacter === ' ' && found.some((offer) => offer.unasked !== true)) return null;
  return found.length === 0 ? null : list(view, found, cursor.word, abilities);
}

function list(
  view: View,
  found: readonly Offer[],
  span: { readonly start: number; readonly end: number },
  abilities: ClientAbilities,
): CompletionList {
  const range = rangeIn(view, span);
  const items = found.map((offer, index): CompletionItem => {
    const snippet = abilities.snippets && offer.snippet !== undefined;
    return {
      label: offer.label,
      kind: offer.kind,
      ...(offer.detail === undefined ? {} : { detail: offer.detail }),
      ...(offer.doc === undefined ? {} : { documentation: { kind: 'markdown', value: offer.doc } }),
      sortText: String(index).padStart(4, '0'),
      filterText: offer.filter ?? offer.label,
      textEdit: { range, newText: snippet ? (offer.snippet ?? '') : (offer.text ?? offer.label) },
      insertTextFormat: snippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    };
  });
  return { isIncomplete: false, items };
}
