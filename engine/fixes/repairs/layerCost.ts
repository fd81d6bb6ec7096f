import { parametersOf } from '../../findings/finding.ts';
import { entriesOf, valueOf } from '../source.ts';
import { withEntry, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** Adds times: the times of another layer of the model, usual times, or zero in writing. */
export const layerNoCost: Repairer = { repairs };

const mostLayers = 2;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const { text } = syntax;
  const { entry, within } = siteAt(syntax, finding.place.start);
  if (parametersOf(finding, 'layer/no-cost') === undefined || entry?.body === undefined || within === undefined) return;
  const { body } = entry;
  let left = mostLayers;
  for (const other of entriesOf(within, 'layer')) {
    if (other === entry || other.body === undefined || left <= 0) continue;
    const forward = valueOf(other.body, 'forward');
    const backward = valueOf(other.body, 'backward');
    if (forward?.kind !== 'quantity' || backward?.kind !== 'quantity') continue;
    left -= 1;
    const times = `forward = ${text.slice(forward.start, forward.end)}  backward = ${text.slice(backward.start, backward.end)}`;
    yield { what: `Take the times of "${other.name?.text ?? ''}": ${times}`, edits: [withEntry(text, body, times)] };
  }
  const usual = 'forward = 4ms  backward = 8ms';
  yield { what: `Add ${usual}`, edits: [withEntry(text, body, usual)] };
  const none = 'forward = 0ms  backward = 0ms';
  yield { what: `Write that it takes no time: ${none}`, edits: [withEntry(text, body, none)], last: true };
  yield { what: `Remove layer "${entry.name?.text ?? ''}"`, edits: [withoutNode(syntax, entry)], last: true };
}
