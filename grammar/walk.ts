import type { SyntaxFile, SyntaxNode } from './syntax.ts';

const present = (...nodes: readonly (SyntaxNode | undefined)[]): readonly SyntaxNode[] =>
  nodes.filter((node) => node !== undefined);

/** The nodes right below, in order of position. */
export const children = (node: SyntaxNode): readonly SyntaxNode[] => {
  switch (node.kind) {
    case 'file':
      return node.declarations;
    case 'import':
      return present(...(node.names ?? []), node.path, node.settings);
    case 'param':
      return present(node.name, node.value, node.range, node.step);
    case 'let':
      return present(node.name, node.value);
    case 'block':
      return present(node.keyword, node.name, node.body);
    case 'body':
      return node.entries;
    case 'entry': {
      const { key, name, index = [], parameters = [], ends = [], values = [], range, step, condition, body } = node;
      return present(key, name, ...index, ...parameters, ...ends, ...values, range, step, condition, body);
    }
    case 'check':
      return [node.condition];
    case 'list':
      return node.items;
    case 'group':
      return [node.inner];
    case 'call':
      return [node.callee, ...node.arguments];
    case 'index':
      return [node.target, ...node.arguments];
    case 'argument':
      return present(node.name, node.value);
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'range':
      return present(node.from, node.to, node.step);
    case 'skipped':
    case 'name':
    case 'quantity':
    case 'string':
    case 'missing':
      return [];
  }
};

/** Visits a node and all below it, each before its children, in order of position; `visit` answers false to leave out what is below. */
export const walk = (
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined) => boolean | void,
): void => {
  const waiting: { readonly node: SyntaxNode; readonly parent: SyntaxNode | undefined }[] = [
    { node, parent: undefined },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node: parent } = next;
    if (visit(parent, next.parent) === false) continue;
    for (const child of children(parent).toReversed()) waiting.push({ node: child, parent });
  }
};

const span = (node: SyntaxNode): { readonly start: number; readonly end: number } =>
  node.kind === 'file' ? { start: 0, end: node.text.length } : node;

/**
 * The nodes that hold `offset`, from the file down to the innermost. The end of a node belongs to it, so that a cursor right
 * behind a name is still on it. If two nodes touch, the node that begins at the cursor is taken.
 */
export const nodeAt = (file: SyntaxFile, offset: number): SyntaxNode[] => {
  const path: SyntaxNode[] = [];
  let here: SyntaxNode | undefined = file;
  while (here !== undefined) {
    path.push(here);
    here = children(here).findLast((child) => span(child).start <= offset && offset <= span(child).end);
  }
  return path;
};
