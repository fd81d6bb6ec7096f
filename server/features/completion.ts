import {
  InsertTextFormat,
  type CancellationToken,
  type CompletionItem,
  type CompletionList,
  type CompletionParams,
  MarkupContent,
} from 'vscode-languageserver';
import type { ChoiceLists } from '../completion/choiceLists.ts';
import { choiceOffers, choiceTexts, isChoiceData } from '../completion/choiceOffers.ts';
import { byEngine } from '../completion/engineOffers.ts';
import { importItems } from '../completion/imports.ts';
import type { Offer } from '../completion/offer.ts';
import { offers } from '../completion/offers.ts';
import { valueSlotAt } from '../completion/slot.ts';
import { cursorAt } from '../text/cursor.ts';
import { toOffset } from '../text/convert.ts';
import type { Session } from '../session.ts';
import { rangeIn, type ClientAbilities, type View } from '../view.ts';

/** Everything allowed at the cursor, the most likely first. Empty if nothing fits. */
export async function completion(
  view: View,
  params: CompletionParams,
  { abilities, choices }: Pick<Session, 'abilities' | 'choices'>,
): Promise<CompletionList | null> {
  const offset = toOffset(view.lines, params.position);
  const imported = importItems(view, offset);
  if (imported !== undefined) return list(view, imported.offers, imported.span, abilities);
  const cursor = cursorAt(view.syntax, offset);
  if (cursor === undefined) return null;
  const found = byEngine(view, cursor, offers(view, cursor));
  // A space or a brace asks only where a value is due; elsewhere it would open a list at every pause.
  const pauses = params.context?.triggerCharacter === ' ' || params.context?.triggerCharacter === '{';
  if (pauses && found.some((offer) => offer.unasked !== true)) return null;
  if (found.length === 0) return null;
  const slot = valueSlotAt(view.syntax, cursor);
  if (slot === undefined) return list(view, found, cursor.word, abilities);
  const known = await choices.at(view, slot);
  const span = known.choices.length === 0 ? cursor.word : slot;
  return { ...list(view, choiceOffers(view.uri, found, known), span, abilities), isIncomplete: known.open };
}

/** The rest of an item: the figures of a schedule, a rule of exchange or a collective, once they are simulated. */
export async function resolveCompletion(
  item: CompletionItem,
  choices: ChoiceLists,
  token: CancellationToken,
): Promise<CompletionItem> {
  const { data, detail, documentation } = item;
  if (!isChoiceData(data)) return item;
  const found = await choices.outcome(data.uri, data.list, data.value, token);
  if (found === undefined) return item;
  const doc = MarkupContent.is(documentation) ? documentation.value : documentation;
  const texts = choiceTexts(found.choice, found.outcome, { detail, doc });
  return { ...item, detail: texts.detail, documentation: { kind: 'markdown', value: texts.doc } };
}

/** Commands of VS Code. Other editors have none for it: they open lists as one types. */
const opened = {
  values: { title: 'Show values', command: 'editor.action.triggerSuggest' },
  parameters: { title: 'Show parameters', command: 'editor.action.triggerParameterHints' },
} as const;

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
      ...(abilities.labelDetails && offer.description !== undefined
        ? { labelDetails: { description: offer.description } }
        : {}),
      kind: offer.kind,
      ...(offer.detail === undefined ? {} : { detail: offer.detail }),
      ...(offer.doc === undefined ? {} : { documentation: { kind: 'markdown', value: offer.doc } }),
      sortText: String(index).padStart(4, '0'),
      filterText: offer.filter ?? offer.label,
      textEdit: { range, newText: snippet ? (offer.snippet ?? '') : (offer.text ?? offer.label) },
      insertTextFormat: snippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      ...(offer.opens === undefined || !abilities.previews ? {} : { command: opened[offer.opens] }),
      ...(offer.edits === undefined
        ? {}
        : { additionalTextEdits: offer.edits.map((edit) => ({ range: rangeIn(view, edit), newText: edit.text })) }),
      ...(offer.data === undefined ? {} : { data: offer.data }),
    };
  });
  return { isIncomplete: false, items };
}
