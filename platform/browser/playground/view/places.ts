/** Places of the protocol and places in the editor's text. */
import type { Text } from '@codemirror/state';
import type { Position, Range } from '../../../../webview/protocol/requests.ts';

export function offsetOf(text: Text, { line, character }: Position): number {
  if (line >= text.lines) return text.length;
  const { from, to } = text.line(line + 1);
  return Math.min(from + character, to);
}

export function positionOf(text: Text, offset: number): Position {
  const { number, from } = text.lineAt(offset);
  return { line: number - 1, character: offset - from };
}

export const spanOf = (text: Text, { start, end }: Range): { readonly from: number; readonly to: number } => ({
  from: offsetOf(text, start),
  to: offsetOf(text, end),
});
