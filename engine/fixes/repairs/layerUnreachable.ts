import type { Entry, SyntaxFile } from '../../../grammar/syntax.ts';
import { parametersOf } from '../../findings/finding.ts';
import type { Edit } from '../proposal.ts';
import { entriesOf } from '../source.ts';
import { inserted, withEntry, withoutItem, withoutNode } from './edits.ts';
import { afterOf, itemsOf, layerOf } from './layerCycle.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { bodiesOf, siteAt } from './site.ts';

/** A later layer that uses the output; or the model without the layer. */
export const layerUnreachable: Repairer = { repairs };

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const layer = parametersOf(finding, 'layer/unreachable')?.layer;
  const { entry, within } = siteAt(syntax, finding.place.start);
  if (layer === undefined || entry === undefined || within === undefined) return;
  const later = entriesOf(within, 'layer').filter(({ start }) => start > entry.start);
  for (const user of new Set([later.at(-1), later.at(0)]))
    if (user !== undefined)
      yield { what: `Let "${user.name?.text ?? ''}" use "${layer}"`, edits: [using(syntax, user, layer)] };
  const gone = layerOf(layer);
  if (gone === layer)
    yield {
      what: `Remove layer "${gone}"`,
      edits: [withoutNode(syntax, entry), ...mentions(syntax, gone)],
      last: true,
    };
}

/** Adds a layer to the `after` of another. A layer without one follows the layer above it, and still has to. */
function using(syntax: SyntaxFile, user: Entry, layer: string): Edit | undefined {
  if (user.body === undefined) return undefined;
  const after = afterOf(user.body);
  if (after === undefined) return withEntry(syntax.text, user.body, `after = [${layer}]`);
  const last = itemsOf(after).at(-1);
  return last === undefined ? undefined : inserted(last.end, `, ${layer}`);
}

/** The layer out of every list that names it. */
function mentions(syntax: SyntaxFile, layer: string): readonly (Edit | undefined)[] {
  const out: (Edit | undefined)[] = [];
  for (const { body } of bodiesOf(syntax)) {
    for (const entry of [...entriesOf(body, 'layers'), ...entriesOf(body, 'after')]) {
      const items = itemsOf(entry);
      const index = items.findIndex((item) => item.kind === 'name' && item.text === layer);
      if (index >= 0) out.push(items.length === 1 ? withoutNode(syntax, entry) : withoutItem(items, index));
    }
  }
  return out;
}
