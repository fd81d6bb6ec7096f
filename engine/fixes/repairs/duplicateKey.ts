import { parametersOf } from '../../findings/finding.ts';
import { withoutItem, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** Without the second or without the first of the two: the titles state what that changes. */
export const keyDuplicate: Repairer = { repairs };

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const key = parametersOf(finding, 'key/duplicate')?.key ?? '';
  const { path, entry } = siteAt(syntax, finding.place.start);
  const call = path.findLast((node) => node.kind === 'call');
  if (call?.kind === 'call') {
    const at = call.arguments.findIndex(({ start, end }) => start <= finding.place.start && finding.place.end <= end);
    const first = call.arguments.findIndex(({ name }) => name?.text === key);
    yield { what: `Remove the second "${key}"`, edits: [withoutItem(call.arguments, at)] };
    if (first >= 0 && first !== at)
      yield { what: `Remove the first "${key}"`, edits: [withoutItem(call.arguments, first)] };
    return;
  }
  if (entry === undefined) return;
  yield { what: `Remove the second "${key}"`, edits: [withoutNode(syntax, entry)] };
  const [first] = finding.related;
  const other = first?.place.uri === analysis.uri ? siteAt(syntax, first.place.start).entry : undefined;
  if (other !== undefined) yield { what: `Remove the first "${key}"`, edits: [withoutNode(syntax, other)] };
}
