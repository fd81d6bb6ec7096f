import type { InlayHint, InlayHintParams } from 'vscode-languageserver';
import { holds, toSpan } from '../convert.ts';
import type { View } from '../view.ts';

/** What the file does not say and the engine derived. */
export function inlayHints(view: View, params: InlayHintParams): InlayHint[] {
  const within = toSpan(view.lines, params.range);
  return view.analysis.resolution.derived
    .filter((one) => holds(within, one.offset))
    .map((one) => ({
      position: view.lines.positionAt(one.offset),
      label: one.text.trim(),
      paddingLeft: true,
      ...(one.tooltip === undefined ? {} : { tooltip: one.tooltip }),
    }));
}
