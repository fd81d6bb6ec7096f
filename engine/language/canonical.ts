import { tokensOf } from '../../grammar/index.ts';
import type { NodeBase, Span, SyntaxFile } from '../../grammar/syntax.ts';

const spaced: ReadonlySet<string> = new Set(['+', '-', '*', '/', '<', '<=', '>', '>=', '==', '!=', '=', 'and', 'or']);
const opening: ReadonlySet<string> = new Set(['(', '[', ',', '..', '..<']);

/** The tokens of an expression in one spelling, whatever white space and comments are between them. */
export function canonicalText(file: SyntaxFile, node: NodeBase): string {
  let text = '';
  let before: string | undefined;
  for (const { text: token } of tokensOf(file, node)) {
    const sign = token === '-' && (before === undefined || spaced.has(before) || opening.has(before));
    if (spaced.has(token) && !sign) text += ` ${token} `;
    else text += token === ',' ? ', ' : token;
    before = token;
  }
  return text.trim();
}

/** The beginning of a node as code, for \`found …\` in messages. */
export const asWritten = ({ syntax }: { readonly syntax: SyntaxFile }, { start, end }: Span): string =>
  `\`${syntax.text.slice(start, Math.min(end, start + mostWritten))}\``;

const mostWritten = 40;
