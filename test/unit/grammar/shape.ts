import type { SyntaxFile, SyntaxNode, SyntaxFault } from '../../../grammar/index.ts';
import { children } from '../../../grammar/walk.ts';

/** A tree as text without places: what two texts of the same meaning have in common. */
export const shape = (node: SyntaxNode): string => {
  const below = (nodes: readonly SyntaxNode[] = []): string => nodes.map(shape).join(' ');
  const part = (label: string, nodes: readonly SyntaxNode[] | undefined): string =>
    nodes === undefined ? '' : ` ${label}(${below(nodes)})`;
  const optional = (node: SyntaxNode | undefined): readonly SyntaxNode[] | undefined => node && [node];
  switch (node.kind) {
    case 'file':
      return node.declarations.map(shape).join('\n');
    case 'name':
      return node.text;
    case 'quantity':
      return `${node.value}${node.unit}`;
    case 'string':
      return JSON.stringify(node.value);
    case 'missing':
      return '?';
    case 'skipped':
      return '<skipped>';
    case 'unary':
      return `(- ${shape(node.operand)})`;
    case 'binary':
      return `(${node.operator} ${shape(node.left)} ${shape(node.right)})`;
    case 'range':
      return `(${node.exclusive ? '..<' : '..'} ${shape(node.from)} ${shape(node.to)}${part('step', optional(node.step))})`;
    case 'call':
      return `${node.callee.text}(${below(node.arguments)})`;
    case 'index':
      return `${node.target.text}[${below(node.arguments)}]`;
    case 'argument':
      return node.name === undefined
        ? shape(node.value)
        : `${node.name.text}${node.binds === true ? ' in ' : '='}${shape(node.value)}`;
    case 'list':
      return `[${below(node.items)}]`;
    case 'group':
      return `(${shape(node.inner)})`;
    case 'check':
      return `check ${shape(node.condition)}`;
    case 'body':
      return `{${below(node.entries)}${node.closed ? '' : ' unclosed'}}`;
    case 'entry': {
      const parts = `${part('index', node.index)}${part('parameters', node.parameters)}${part('ends', node.ends)}`;
      const head = `${doc(node)}${node.key.text}${node.name === undefined ? '' : ` ${node.name.text}`}${parts}`;
      const more = `${part('range', optional(node.range))}${part('step', optional(node.step))}${part('condition', optional(node.condition))}`;
      return `<${head}${part('values', node.values)}${more}${node.body === undefined ? '' : ` ${shape(node.body)}`}>`;
    }
    case 'import':
      return `${doc(node)}import${part('names', node.names)}${part('path', optional(node.path))}`;
    case 'param':
    case 'let': {
      const more =
        node.kind === 'param' ? `${part('range', optional(node.range))}${part('step', optional(node.step))}` : '';
      return `${doc(node)}${node.kind} ${node.name?.text}${part('value', optional(node.value))}${more}`;
    }
    case 'block':
      return `${doc(node)}${node.keyword.text} ${node.name?.text} ${node.body === undefined ? '' : shape(node.body)}`;
  }
};

const doc = ({ doc: text }: { readonly doc?: string }): string =>
  text === undefined ? '' : `/${JSON.stringify(text)}/ `;

export const faultsOf = ({ errors, text }: SyntaxFile): readonly string[] =>
  errors.map(
    ({ start, end, message }: SyntaxFault) => `${start}-${end} ${JSON.stringify(text.slice(start, end))} ${message}`,
  );

/** The complaints about a tree that is not as the contract of the tree says; none for a good one. */
export const brokenPromises = (file: SyntaxFile): readonly string[] => {
  const complaints: string[] = [];
  const { tokens, comments, text, errors } = file;
  const pieces = [...tokens, ...comments].toSorted((a, b) => a.start - b.start);
  let end = 0;
  for (const piece of pieces) {
    if (piece.start < end) complaints.push(`overlapping pieces at ${piece.start}`);
    if (!/^\s*$/.test(text.slice(end, piece.start))) complaints.push(`lost text before ${piece.start}`);
    if (text.slice(piece.start, piece.end) !== piece.text) complaints.push(`wrong text at ${piece.start}`);
    end = piece.end;
  }
  if (!/^\s*$/.test(text.slice(end))) complaints.push('lost text at the end');
  errors.forEach((fault, i) => {
    if (fault.start > fault.end || fault.end > text.length) complaints.push(`fault outside the text: ${fault.message}`);
    if (fault.start < (errors[i - 1]?.start ?? 0)) complaints.push('faults out of order');
    if (!/^[A-Z].*\.$/su.test(fault.message)) complaints.push(`not a sentence: ${fault.message}`);
  });

  const leaves = new Map<number, number>();
  const waiting: SyntaxNode[] = [file];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const below = children(node);
    waiting.push(...below);
    const { kind } = node;
    let last = node.kind === 'file' ? -1 : node.first - 1;
    let before = node.kind === 'file' ? 0 : node.start;
    for (const child of below) {
      if (child.kind === 'file') continue;
      if (child.first <= last) complaints.push(`${child.kind} before its place in ${kind} at ${child.start}`);
      if (child.start < before) complaints.push(`${child.kind} starts before its place in ${kind} at ${child.start}`);
      last = Math.max(last, child.last);
      before = child.end;
    }
    if (node.kind === 'file') continue;
    const { first, last: final, start, end: stop } = node;
    if (last > final || before > stop) complaints.push(`${kind} at ${start} does not hold its children`);
    if (final >= first && (tokens[first]?.start !== start || tokens[final]?.end !== stop))
      complaints.push(`${kind}: span`);
    if (final < first && (final !== first - 1 || start !== stop)) complaints.push(`${kind} at ${start}: empty span`);
    if (below.length === 0 && kind !== 'body') {
      for (let i = first; i <= final; i++) leaves.set(i, (leaves.get(i) ?? 0) + 1);
    }
  }
  for (const [token, count] of leaves) if (count > 1) complaints.push(`token ${token} in ${count} leaves`);
  // Without a fault every value is some leaf's; what recovery passed over inside a node is nobody's.
  if (errors.length === 0) {
    tokens.forEach((token, i) => {
      if (token.kind !== 'punctuation' && !leaves.has(i) && !/^(?:import|param|let|in|step|from)$/.test(token.text)) {
        complaints.push(`nobody holds ${token.text}`);
      }
    });
  }
  if (errors.length === 0 && tokens.some(({ kind }) => kind === 'error'))
    complaints.push('an error token without a fault');
  return complaints;
};
