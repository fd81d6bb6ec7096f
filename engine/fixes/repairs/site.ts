/** The nodes around a finding, and what the schema says of them. */
import { nodeAt, type Block, type BlockDeclaration, type Entry, type Expression } from '../../../grammar/index.ts';
import type { SyntaxFile, SyntaxNode } from '../../../grammar/syntax.ts';
import { blocks, findKey, keysOf, type BlockName, type KeySchema } from '../../language/schema.ts';

export interface Site {
  readonly path: readonly SyntaxNode[];
  /** The declaration around it. */
  readonly declaration?: BlockDeclaration;
  /** The innermost body around it, the name of its schema, and what has that body. */
  readonly body?: Block;
  readonly block?: BlockName;
  readonly owner?: BlockDeclaration | Entry;
  /** The innermost entry around it, and its key in the body that has the entry. */
  readonly entry?: Entry;
  readonly key?: KeySchema;
  /** The body that has the entry, and the name of its schema. */
  readonly within?: Block;
  readonly withinBlock?: BlockName;
}

/** The nodes around an offset. Of nodes that touch there, those that begin at it. */
export function siteAt(syntax: SyntaxFile, offset: number): Site {
  const path = nodeAt(syntax, offset);
  let site: Site = { path };
  let owner: BlockDeclaration | Entry | undefined;
  let block: BlockName | undefined;
  for (const node of path) {
    if (node.kind === 'block') {
      owner = node;
      block = node.keyword.text in blocks ? (node.keyword.text as BlockName) : undefined;
      site = { ...site, declaration: node };
    } else if (node.kind === 'body') site = { ...site, body: node, block, owner };
    else if (node.kind === 'entry') {
      const key: KeySchema | undefined = block === undefined ? undefined : findKey(block, node.key.text);
      site = { ...site, entry: node, key, within: site.body, withinBlock: block };
      owner = node;
      block = key?.block;
    }
  }
  return site;
}

/** The body of the block whose name or keyword begins at `offset`, with its schema. */
export function bodyNamedAt(
  syntax: SyntaxFile,
  offset: number,
): { readonly body: Block; readonly block: BlockName; readonly owner: BlockDeclaration | Entry } | undefined {
  const { declaration, entry, key } = siteAt(syntax, offset);
  if (entry?.body !== undefined && key?.block !== undefined && offset <= entry.body.start)
    return { body: entry.body, block: key.block, owner: entry };
  if (declaration?.body === undefined || !(declaration.keyword.text in blocks)) return undefined;
  return { body: declaration.body, block: declaration.keyword.text as BlockName, owner: declaration };
}

export interface BodyOf {
  readonly block: BlockName;
  readonly body: Block;
  readonly label: string;
}

/** Every body of the file, blocks in blocks included, in order of position. */
export function* bodiesOf(syntax: SyntaxFile): Generator<BodyOf> {
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.body === undefined) continue;
    const block = declaration.keyword.text;
    if (!(block in blocks)) continue;
    yield* bodiesIn(declaration.body, block as BlockName, labelOf(declaration));
  }
}

function* bodiesIn(body: Block, block: BlockName, label: string): Generator<BodyOf> {
  yield { block, body, label };
  for (const item of body.entries) {
    const inner = item.kind === 'entry' ? keysOf(block).get(item.key.text)?.block : undefined;
    if (item.kind === 'entry' && item.body !== undefined && inner !== undefined)
      yield* bodiesIn(item.body, inner, labelOf(item));
  }
}

/** `device "small"`, `"layer block"`. */
export const labelOf = (node: BlockDeclaration | Entry): string => {
  const [keyword, name] = node.kind === 'block' ? [node.keyword.text, node.name] : [node.key.text, node.name];
  return name === undefined || name.end <= name.start ? `the ${keyword}` : `${keyword} "${name.text}"`;
};

/** The innermost expression that spans exactly these offsets. */
export const expressionAt = (path: readonly SyntaxNode[], start: number, end: number): Expression | undefined =>
  path.findLast((node): node is Expression => isExpression(node) && node.start === start && node.end === end);

const expressionKinds: readonly string[] = [
  'quantity',
  'string',
  'name',
  'list',
  'group',
  'call',
  'index',
  'unary',
  'binary',
  'range',
  'missing',
];
const isExpression = (node: SyntaxNode): node is Expression => expressionKinds.includes(node.kind);
