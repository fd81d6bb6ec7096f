import type { SelectionRange, SelectionRangeParams } from 'vscode-languageserver';
import { nodeAt, type Span } from '../../grammar/index.ts';
import { holds, toOffset } from '../text/convert.ts';
import { rangeIn, type SyntaxView } from '../view.ts';

/** For each position the spans around it, innermost first: name, expression, entry, block, declaration, file. */
export function selectionRanges(view: SyntaxView, params: SelectionRangeParams): SelectionRange[] {
  return params.positions.map((position) => {
    const offset = toOffset(view.lines, position);
    let selected: SelectionRange = { range: rangeIn(view, { start: 0, end: view.syntax.text.length }) };
    let outer: Span = { start: 0, end: view.syntax.text.length };
    for (const span of spansAt(view, offset)) {
      const inside = span.start >= outer.start && span.end <= outer.end && holds(span, offset);
      if (!inside || (span.start === outer.start && span.end === outer.end)) continue;
      outer = { start: span.start, end: span.end };
      selected = { range: rangeIn(view, span), parent: selected };
    }
    return selected;
  });
}

function* spansAt(view: SyntaxView, offset: number): Generator<Span> {
  for (const node of nodeAt(view.syntax, offset)) if (node.kind !== 'file') yield node;
  const comment = view.syntax.comments.find((candidate) => holds(candidate, offset));
  if (comment !== undefined) yield comment;
}
