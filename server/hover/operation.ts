import { table } from '../../engine/basics/table.ts';
import type { SyntaxNode } from '../../grammar/index.ts';
import type { View } from '../view.ts';
import type { Text } from './language.ts';
import { sections } from './markdown.ts';
import { inlineCode } from '../text/userText.ts';

const operations: Readonly<Record<string, string>> = table({
  F: 'Forward pass',
  B: 'Whole backward pass: input and weight gradient',
  I: 'Input gradient: the half of the backward pass that the previous stage waits for',
  W: 'Weight gradient: the half of the backward pass that no other operation waits for',
  U: 'Update of the weights of the stage, after the backward pass of this microbatch',
  R: 'Recomputation of what the backward pass of this microbatch needs',
});

/** `F[0..3]` in a row, or in a `let`. */
export function hoverOperation(view: View, path: readonly SyntaxNode[]): Text | undefined {
  const row = path.findLast((node) => node.kind === 'entry');
  if (row?.kind !== 'entry' || (row.key.text !== 'row' && row.key.text !== 'let')) return undefined;
  const call = path.findLast((node) => node.kind === 'index');
  const node = path.at(-1);
  if (call?.kind !== 'index' || node !== call.target) return undefined;
  const meaning = operations[call.target.text];
  if (meaning === undefined) return undefined;
  const which = inlineCode(view.syntax.text.slice(call.start, call.end));
  return {
    span: call,
    text: sections(`**${call.target.text}** — ${meaning}.`, `${which} runs these microbatches, in this order.`),
  };
}
