import type { InlayHint, InlayHintParams } from 'vscode-languageserver';
import type { DerivedValue } from '../../engine/language/resolution.ts';
import { time } from '../../engine/quantities.ts';
import { holds, toSpan } from '../convert.ts';
import type { View } from '../view.ts';

/** What the file does not say and the engine derived. */
export function inlayHints(view: View, params: InlayHintParams): InlayHint[] {
  const within = toSpan(view.lines, params.range);
  return view.analysis.resolution.derived
    .filter((one) => holds(within, one.offset))
    .map((one) => ({
      position: view.lines.positionAt(one.offset),
      label: one.text.trim() + simulated(view, one),
      paddingLeft: true,
      ...(one.tooltip === undefined ? {} : { tooltip: one.tooltip }),
    }));
}

/** What became of a plan: the planner's own figure leaves out what the simulation does not. */
function simulated({ analysis }: View, { planned }: DerivedValue): string {
  const report = analysis.pipelines.find(({ plan }) => plan.name === planned?.pipeline)?.run?.report;
  return report === undefined ? '' : `, simulated ${time(report.iteration)}`;
}
