import { check } from '../../engine/flow/check.ts';
import type { Figures } from '../../engine/fixes/effect.ts';
import { helpSteps, type HelpTopic } from '../../engine/fixes/help.ts';
import { apply, type Proposal, shownTitle } from '../../engine/fixes/proposal.ts';
import { checkOverrides } from '../../engine/language/overrides.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { HelpAnswer, HelpFix, HelpFigures, HelpRequest } from '../../webview/protocol/requests.ts';
import { lineChanges } from '../text/lineChanges.ts';
import type { trials } from '../searches/trials.ts';
import { rangeIn, type View } from '../view.ts';
import { applicable } from './plan.ts';

/** Fixes for what a preview shows: each is simulated with the preview's params, and its edits are for the file's newest text. */
export function* help(
  view: View,
  request: HelpRequest,
  searches: Searches,
  again: ReturnType<typeof trials>,
): Generator<unknown, HelpAnswer, void> {
  const { pipeline } = request;
  const { uri, version, options, files, syntax, analysis } = view;
  const overrides = applicable(analysis.resolution, request.overrides ?? {});
  if (checkOverrides(analysis.resolution, overrides).length > 0) return { version, fixes: [] };
  const shown =
    Object.keys(overrides).length === 0
      ? analysis
      : check({ uri, text: syntax.text, host: files, options, overrides, earlier: analysis, searches });
  yield;
  const found = yield* helpSteps(shown, pipeline, topicOf(request), again(searches));
  return { version, fixes: found.flatMap((proposal) => fixOf(view, proposal)) };
}

const topicOf = ({ about, device }: HelpRequest): HelpTopic => (about === 'memory' ? { about, device } : { about });

function fixOf(view: View, fix: Proposal): readonly HelpFix[] {
  const { edits, effect } = fix;
  if (effect === undefined) return [];
  const { before, after } = effect;
  const { text } = view.syntax;
  return [
    {
      title: shownTitle(fix),
      edits: edits.map((edit) => ({ range: rangeIn(view, edit), newText: edit.text })),
      effect: figuresOf(after),
      ...(before === undefined ? {} : { before: figuresOf(before) }),
      diff: lineChanges(text, apply(text, edits)),
    },
  ];
}

const figuresOf = ({ iteration, throughput, bubble, peak, capacity, fits }: Figures): HelpFigures => ({
  iteration,
  throughput,
  bubble,
  peak,
  capacity,
  fits,
});
