/** Gives an expression a name: a `let`, or a `param` with a slider for a number. */
import { nodeAt, type Span, type SyntaxFile, type SyntaxNode } from '../../grammar/index.ts';
import type { Analysis } from '../flow/check.ts';
import type { Edit } from './proposal.ts';
import type { Rewriting } from './rewriting.ts';
import { documentedStart, freeName, lineBreak, lineStart } from './source.ts';

const extractable: ReadonlySet<SyntaxNode['kind']> = new Set([
  ...['quantity', 'call', 'group', 'unary', 'binary', 'index'],
] as SyntaxNode['kind'][]);

/** Offered for a selected expression, and for a number at the cursor. The value of a `let` or `param` has a name already. */
export function extractions({ syntax }: Analysis, span: Span): readonly Rewriting[] {
  const path = nodeAt(syntax, span.start);
  const at = path.findLastIndex((node) => extractable.has(node.kind) && isMeant(node, span));
  const node = path[at];
  const around = syntax.declarations.find(({ start, end }) => start <= span.start && span.start <= end);
  if (node === undefined || node.kind === 'file' || around?.kind !== 'block') return [];
  const name = freeName(syntax, nameFor(path.slice(0, at)));
  const value = syntax.text.slice(node.start, node.end);
  const edits = (keyword: string): readonly Edit[] => {
    const place = documentedStart(syntax.text, around);
    const end = lineBreak(syntax.text);
    return [
      { start: place, end: place, text: `${keyword} ${name} = ${value}${end}${gapBefore(syntax, place) ? '' : end}` },
      { start: node.start, end: node.end, text: name },
    ];
  };
  const asLet = { title: `Extract to let "${name}"`, kind: 'extract', edits: edits('let') } as const;
  const asParam = { title: `Extract to param "${name}"`, kind: 'extract', edits: edits('param') } as const;
  return node.kind === 'quantity' ? [asLet, asParam] : [asLet];
}

/** The selected text, or a number that the cursor touches. */
function isMeant(node: SyntaxNode, { start, end }: Span): boolean {
  if (node.kind === 'file') return false;
  return start === end ? node.kind === 'quantity' : node.start === start && node.end === end;
}

/** `block_forward` of `layer block { forward = … }`: the nearest name around it, and the key or the argument. */
function nameFor(path: readonly SyntaxNode[]): string {
  const argument = path.findLast((node) => node.kind === 'argument');
  const entry = path.findLast((node) => node.kind === 'entry');
  const owners = path.flatMap((node) =>
    (node.kind === 'entry' || node.kind === 'block') && node.name ? [node.name.text] : [],
  );
  const key =
    argument?.kind === 'argument' && argument.name !== undefined
      ? argument.name.text
      : entry?.kind === 'entry'
        ? entry.key.text
        : 'value';
  return [owners.at(-1), key]
    .filter((part) => part !== undefined)
    .join('_')
    .replace(/^(?=\d)/, '_');
}

/** Whether a `let` or `param` is right before, which a new one joins without an empty line. */
function gapBefore({ declarations, text }: SyntaxFile, place: number): boolean {
  const before = declarations.findLast(({ end }) => end <= place);
  return (before?.kind === 'let' || before?.kind === 'param') && lineStart(text, place) - before.end <= 2;
}
