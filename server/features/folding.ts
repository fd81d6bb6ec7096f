import { FoldingRangeKind, type FoldingRange } from 'vscode-languageserver';
import { walk, type Span } from '../../grammar/index.ts';
import type { SyntaxView } from '../view.ts';

/** Blocks and lists over several lines, runs of comments, runs of imports. */
export function folding(view: SyntaxView): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  const line = (offset: number) => view.lines.positionAt(offset).line;
  const add = (span: Span, kind?: FoldingRangeKind, closing = 0): void => {
    const startLine = line(span.start);
    const endLine = line(span.end) - closing;
    if (endLine > startLine) ranges.push({ startLine, endLine, ...(kind === undefined ? {} : { kind }) });
  };
  walk(view.syntax, (node) => {
    // The line of the closing brace stays in view.
    if (node.kind === 'body') add(node, undefined, node.closed ? 1 : 0);
    if (node.kind === 'list') add(node, undefined, 1);
  });
  const adjacent = (a: Span, b: Span) => line(b.start) - line(a.end) <= 1;
  for (const run of runs(view.syntax.comments, adjacent)) add(run, FoldingRangeKind.Comment);
  const imports = view.syntax.declarations.filter((declaration) => declaration.kind === 'import');
  for (const run of runs(imports, adjacent)) add(run, FoldingRangeKind.Imports);
  return ranges;
}

/** Joins neighbours that belong together. */
function runs(spans: readonly Span[], areJoined: (a: Span, b: Span) => boolean): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of spans) {
    const last = joined.at(-1);
    if (last !== undefined && areJoined(last, { start, end })) joined[joined.length - 1] = { start: last.start, end };
    else joined.push({ start, end });
  }
  return joined;
}
