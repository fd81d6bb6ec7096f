/** Texts that write the operations of rows. */
import { packedLength } from '../../engine/basics/packed.ts';
import { show } from '../../engine/basics/quantities.ts';
import type { NamedNumber, RowTracer } from '../../engine/definitions/rowTracer.ts';
import type { RowPlan } from '../../engine/values/plan.ts';
import type { Span, SyntaxNode } from '../../grammar/index.ts';

export const operationsOf = (rows: readonly RowPlan[]): number =>
  rows.reduce((sum, { kinds }) => sum + packedLength(kinds), 0);

/** The innermost text around a position that writes operations: an expression, or all values of a `let` whose name is there. */
export function writingTexts(tracer: RowTracer, around: readonly SyntaxNode[]): readonly Span[] {
  for (const node of around.toReversed()) {
    if (node.kind === 'file' || node.kind === 'body' || node.kind === 'block') return [];
    if (tracer.writes(node)) return [node];
    if (node.kind === 'entry')
      return node.key.text === 'let' ? (node.values ?? []).filter((value) => tracer.writes(value)) : [];
  }
  return [];
}

/** `d = 1, g = 0, warm(1) = 5`. */
export const numbersText = (numbers: readonly NamedNumber[]): string =>
  numbers.map(({ name, value, dimension }) => `${name} = ${show(value, dimension)}`).join(', ');
