import { simulated } from '../../engine/fixes/outcome.ts';
import { apply } from '../../engine/fixes/proposal.ts';
import { writtenCompletion } from '../../engine/fixes/repairs/complete.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { CompletionAnswer, CompletionRequest } from '../../webview/protocol/requests.ts';
import type { trials } from '../searches/trials.ts';
import { rangeIn, type View } from '../view.ts';

/** Edits that write the missing operations of a pipeline. The changed file is simulated first. */
export function* completionAnswer(
  view: View,
  { pipeline }: CompletionRequest,
  searches: Searches,
  again: ReturnType<typeof trials>,
): Generator<unknown, CompletionAnswer, void> {
  const found = writtenCompletion(view.analysis, pipeline)?.edits;
  const edits = found?.flatMap((edit) => edit ?? []) ?? [];
  if (edits.length === 0 || edits.length !== found?.length) return null;
  yield;
  const changed = again(searches)(apply(view.syntax.text, edits));
  if (changed.pending.includes(pipeline)) return null;
  if (simulated(changed, pipeline) === undefined) return null;
  return { version: view.version, edits: edits.map((edit) => ({ range: rangeIn(view, edit), newText: edit.text })) };
}
