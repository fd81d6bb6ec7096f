import type { InlayHint, InlayHintParams } from 'vscode-languageserver';
import type { DerivedValue } from '../../engine/language/resolution.ts';
import { iterationTime } from '../../engine/basics/quantities.ts';
import { holds, toSpan } from '../text/convert.ts';
import { exchangesIn, periodWords } from '../hover/exchange.ts';
import { printable } from '../text/printable.ts';
import { measuredNote, measuredWords } from '../../engine/analyze/figureWords.ts';
import { paths } from '../../engine/values/plan.ts';
import type { Span } from '../../grammar/index.ts';
import type { View } from '../view.ts';

/** What the file does not say and the engine derived. */
export function inlayHints(view: View, params: InlayHintParams): InlayHint[] {
  const within = toSpan(view.lines, params.range);
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
