import type { SyntaxNode } from './syntax.ts';

/** How far a node is moved: its offsets, and the numbers of its tokens. */
export interface Move {
  readonly offset: number;
  readonly tokens: number;
}

/** A copy of a node at another place of a text that holds the node's text there. `copied` sees each node with its copy. */
export function moved<Node extends SyntaxNode>(
  node: Node,
  by: Move,
  copied: (node: SyntaxNode, copy: SyntaxNode) => void,
): Node {
  const copy: Record<string, unknown> = {};
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    return typeof value === 'object' && value !== null ? moved(value as SyntaxNode, by, copied) : value;
  };
  for (const [key, value] of Object.entries(node)) {
    if (key === 'start' || key === 'end') copy[key] = Number(value) + by.offset;
    else if (key === 'first' || key === 'last' || key === 'operatorToken') copy[key] = Number(value) + by.tokens;
    else copy[key] = part(value);
  }
  copied(node, copy as unknown as SyntaxNode);
  return copy as unknown as Node;
}
