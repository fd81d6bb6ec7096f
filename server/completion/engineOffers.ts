import { findEngine, refusalWords } from '../../engine/engines/registry.ts';
import { wordRefusal } from '../../engine/engines/words.ts';
import { valueOf } from '../../engine/fixes/source.ts';
import type { Cursor } from '../text/cursor.ts';
import type { View } from '../view.ts';
import type { Offer } from './offer.ts';

/** The offers with what the engine of the pipeline does not run last, each with the reason. */
export function byEngine(view: View, cursor: Cursor, found: readonly Offer[]): readonly Offer[] {
  const [outer] = cursor.blocks;
  if (outer?.name !== 'pipeline' || cursor.before?.text !== '=') return found;
  const written = valueOf(outer.body, 'engine');
  const name = written?.kind === 'name' ? written.text : view.options.engine;
  const engine = name === undefined ? undefined : findEngine(name);
  const key = view.syntax.tokens[cursor.index - 2]?.text;
  if (engine === undefined || key === undefined) return found;
  const runs: Offer[] = [];
  const refused: Offer[] = [];
  for (const offer of found) {
    const refusal = wordRefusal(engine, key, offer.label);
    if (refusal === undefined) runs.push(offer);
    else refused.push(withReason(offer, `${refusalWords(refusal)}.`));
  }
  return [...runs, ...refused];
}

/** An offer that an engine does not run. */
export const withReason = (offer: Offer, reason: string): Offer => ({
  ...offer,
  doc: [reason, ...(offer.doc === undefined ? [] : [offer.doc])].join('\n\n'),
});
