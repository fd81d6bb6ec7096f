import type { InlayHint, InlayHintParams } from 'vscode-languageserver';
import type { DerivedValue } from '../../engine/language/resolution.ts';
import { iterationTime } from '../../engine/basics/quantities.ts';
import { holds, toOffset, toSpan } from '../text/convert.ts';
import { exchangesIn, periodWords } from '../hover/exchange.ts';
import { printable } from '../text/printable.ts';
import { measuredNote, measuredWords } from '../../engine/analyze/figureWords.ts';
import { paths } from '../../engine/values/plan.ts';
import type { Span } from '../../grammar/index.ts';
import type { ClientAbilities, View } from '../view.ts';

/** What the file does not say and the engine derived. The text over a hint may be long: an editor that asks for it gets it then. */
export function inlayHints(view: View, { range }: InlayHintParams, { resolvesTips }: HintAbilities): InlayHint[] {
  const hints = hintsIn(view, toSpan(view.lines, range));
  if (!resolvesTips) return hints;
  return hints.map(({ tooltip, ...hint }) => (tooltip === undefined ? hint : { ...hint, data: { uri: view.uri } }));
}

type HintAbilities = Pick<ClientAbilities, 'resolvesTips'>;

/** The hint with the text over it, as long as the hint is still there. */
export function resolveInlayHint(view: View, hint: InlayHint): InlayHint {
  const at = toOffset(view.lines, hint.position);
  const found = hintsIn(view, { start: at, end: at }).find(({ label }) => label === hint.label);
  return found?.tooltip === undefined ? hint : { ...hint, tooltip: found.tooltip };
}

function hintsIn(view: View, within: Span): InlayHint[] {
  const derived = view.analysis.resolution.derived
    .filter(({ offset }) => holds(within, offset))
    .map((value): InlayHint => {
      const tooltip = [value.tooltip, simulated(view, value)].filter((line) => line !== undefined);
      return {
        position: view.lines.positionAt(value.offset),
        label: printable(value.text.trim()),
        paddingLeft: true,
        ...(tooltip.length === 0 ? {} : { tooltip: tooltip.join('\n').split('\n').map(printable).join('\n') }),
      };
    });
  const exchanges = exchangesIn(view)
    .filter(({ offset }) => holds(within, offset))
    .map(({ offset, report }): InlayHint => ({
      position: view.lines.positionAt(offset),
      label: periodWords(report),
      paddingLeft: true,
      tooltip: 'The iteration, and the least that any order and any pieces allow.',
    }));
  return [...derived, ...exchanges, ...measuredHints(view, within)];
}

/** At the run of a pipeline: how far it was from the simulation, or that it is still being read. */
const measuredHints = ({ analysis, lines }: View, within: Span): InlayHint[] =>
  analysis.pipelines.flatMap(({ plan, run }) => {
    const report = run?.report.measured;
    const place = plan.measured && analysis.resolution.origins.get(paths.key(plan.name, 'measured'));
    if (place === undefined || place.uri !== analysis.uri || !holds(within, place.end)) return [];
    const position = lines.positionAt(place.end);
    if (report !== undefined)
      return [{ position, label: measuredWords(report), paddingLeft: true, tooltip: measuredNote(report) }];
    return plan.measured?.pending === true ? [{ position, label: 'being read …', paddingLeft: true }] : [];
  });

/** What the simulation makes of a plan: the planner's own figure leaves out part of the costs. */
function simulated({ analysis }: View, { planned }: DerivedValue): string | undefined {
  if (planned === undefined) return undefined;
  const report = analysis.pipelines.find(({ plan }) => plan.name === planned.pipeline)?.run?.report;
  return report === undefined ? undefined : `Simulated ${iterationTime(report.iteration)}.`;
}
