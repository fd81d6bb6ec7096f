/** An edit that removes what a finding says has no effect: the argument of a call, or the entry. */
import type { SyntaxFile } from '../../../grammar/syntax.ts';
import type { Edit } from '../proposal.ts';
import { replaced, withoutItem, withoutNode } from './edits.ts';
import { siteAt } from './site.ts';

export function withoutIdle(
  syntax: SyntaxFile,
  place: { readonly start: number; readonly end: number },
): Edit | undefined {
  const { path, entry } = siteAt(syntax, place.start);
  const call = path.findLast((node) => node.kind === 'call');
  if (call?.kind === 'call' && call.start < place.start) {
    const at = call.arguments.findIndex(({ start, end }) => start <= place.start && place.end <= end);
    if (call.arguments.length === 1 && at === 0) return replaced(call, call.callee.text);
    return withoutItem(call.arguments, at);
  }
  return entry === undefined ? undefined : withoutNode(syntax, entry);
}
