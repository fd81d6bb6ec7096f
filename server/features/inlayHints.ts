import type { InlayHint, InlayHintParams } from 'vscode-languageserver';
import type { DerivedValue } from '../../engine/language/resolution.ts';
import { time } from '../../engine/quantities.ts';
import { holds, toSpan } from '../convert.ts';
import { printable } from '../printable.ts';
import type { View } from '../view.ts';

/** What the file does not say and the engine derived. */
export function inlayHints(view: View, params: InlayHintParams): InlayHint[] {
  const within = toSpan(view.lines, params.range);
  return view.analysis.resolution.derived
    .filter(({ offset }) => holds(within, offset))
    .map((derived) => ({
      position: view.lines.positionAt(derived.offset),
      label: printable(derived.text.trim()) + simulated(view, derived),
      paddingLeft: true,
      ...(derived.tooltip === undefined ? {} : { tooltip: derived.tooltip.split('\n').map(printable).join('\n') }),
    }));
}

/** What became of a plan: the planner's own figure leaves out what the simulation does not. */
function simulated({ analysis }: View, { planned }: DerivedValue): string {
  const report = analysis.pipelines.find(({ plan }) => plan.name === planned?.pipeline)?.run?.report;
  return report === undefined ? '' : `, simulated ${time(report.iteration)}`;
}
