import type {
  Argument,
  Block,
  BlockDeclaration,
  Declaration,
  Entry,
  Expression,
  LetDeclaration,
  Name,
  SyntaxFile,
  SyntaxNode,
} from './syntax.ts';

/** How far a node is moved: its offsets, and the numbers of its tokens. */
export interface Move {
  readonly offset: number;
  readonly tokens: number;
}

export type Tree = Exclude<SyntaxNode, SyntaxFile>;
type Copied = (node: SyntaxNode, copy: SyntaxNode) => void;

/** A copy of a node at another place of a text that holds the node's text there. `copied` sees each node with its copy. */
export function moved<Node extends Tree>(node: Node, by: Move, copied?: Copied): Node {
  // A copy has the kind of its node.
  const copy = copyOf(node, by, copied) as Node;
  copied?.(node, copy);
  return copy;
}

/** A whole file is copied at a keystroke. Copies that are written out here take a quarter of the time of a loop over keys. */
function copyOf(node: Tree, by: Move, copied: Copied | undefined): Tree {
  const first = node.first + by.tokens;
  const last = node.last + by.tokens;
  const start = node.start + by.offset;
  const end = node.end + by.offset;
  switch (node.kind) {
    case 'name':
      return { kind: 'name', first, last, start, end, text: node.text };
    case 'quantity':
      return { kind: 'quantity', first, last, start, end, value: node.value, unit: node.unit };
    case 'string':
      return { kind: 'string', first, last, start, end, value: node.value };
    case 'missing':
      return { kind: 'missing', first, last, start, end };
    case 'skipped':
      return { kind: 'skipped', first, last, start, end };
    case 'entry':
      return entry(node, by, copied);
    case 'body': {
      const { closed } = node;
      return { kind: 'body', first, last, start, end, entries: all(node.entries, by, copied), closed };
    }
    case 'check':
      return { kind: 'check', first, last, start, end, condition: moved<Expression>(node.condition, by, copied) };
    case 'list':
      return { kind: 'list', first, last, start, end, items: all(node.items, by, copied) };
    case 'group':
      return { kind: 'group', first, last, start, end, inner: moved<Expression>(node.inner, by, copied) };
    case 'call': {
      const callee = moved(node.callee, by, copied);
      return { kind: 'call', first, last, start, end, callee, arguments: all(node.arguments, by, copied) };
    }
    case 'index': {
      const target = moved(node.target, by, copied);
      return { kind: 'index', first, last, start, end, target, arguments: all(node.arguments, by, copied) };
    }
    case 'argument':
      return argument(node, by, copied);
    case 'unary': {
      const { operator } = node;
      return { kind: 'unary', first, last, start, end, operator, operand: moved<Expression>(node.operand, by, copied) };
    }
    case 'binary': {
      const { operator } = node;
      const operatorToken = node.operatorToken + by.tokens;
      const left = moved<Expression>(node.left, by, copied);
      const right = moved<Expression>(node.right, by, copied);
      return { kind: 'binary', first, last, start, end, operator, operatorToken, left, right };
    }
    case 'range': {
      const from = moved<Expression>(node.from, by, copied);
      const to = moved<Expression>(node.to, by, copied);
      const { exclusive, step } = node;
      const range = { kind: 'range', first, last, start, end, from, to, exclusive } as const;
      return step === undefined ? range : { ...range, step: moved<Expression>(step, by, copied) };
    }
    default:
      return declaration(node, by, copied);
  }
}

function entry(node: Entry, by: Move, copied: Copied | undefined): Entry {
  const copy: { -readonly [Key in keyof Entry]: Entry[Key] } = { ...node };
  copy.first += by.tokens;
  copy.last += by.tokens;
  copy.start += by.offset;
  copy.end += by.offset;
  const { key, name, index, parameters, parameterNames, ends, values, range, step, condition, body } = node;
  copy.key = moved(key, by, copied);
  if (name !== undefined) copy.name = moved(name, by, copied);
  if (index !== undefined) copy.index = all(index, by, copied);
  if (parameters !== undefined) copy.parameters = all(parameters, by, copied);
  if (parameterNames !== undefined) copy.parameterNames = parameterNames.map((each) => each && moved(each, by, copied));
  if (ends !== undefined) copy.ends = [moved<Expression>(ends[0], by, copied), moved<Expression>(ends[1], by, copied)];
  if (values !== undefined) copy.values = all(values, by, copied);
  if (range !== undefined) copy.range = moved<Expression>(range, by, copied);
  if (step !== undefined) copy.step = moved<Expression>(step, by, copied);
  if (condition !== undefined) copy.condition = moved<Expression>(condition, by, copied);
  if (body !== undefined) copy.body = moved(body, by, copied);
  return copy;
}

function argument(node: Argument, by: Move, copied: Copied | undefined): Argument {
  const copy: { -readonly [Key in keyof Argument]: Argument[Key] } = { ...node };
  copy.first += by.tokens;
  copy.last += by.tokens;
  copy.start += by.offset;
  copy.end += by.offset;
  if (node.name !== undefined) copy.name = moved(node.name, by, copied);
  copy.value = moved<Expression>(node.value, by, copied);
  return copy;
}

function declaration(node: Declaration, by: Move, copied: Copied | undefined): Declaration {
  const place = {
    first: node.first + by.tokens,
    last: node.last + by.tokens,
    start: node.start + by.offset,
    end: node.end + by.offset,
  };
  const name = (one: Name | undefined): Name | undefined => one && moved(one, by, copied);
  const value = (one: Expression | undefined): Expression | undefined => one && moved<Expression>(one, by, copied);
  switch (node.kind) {
    case 'import': {
      const { names, path, settings } = node;
      const copy = { ...node, ...place, names: names && all(names, by, copied), path: path && moved(path, by, copied) };
      return settings === undefined ? copy : { ...copy, settings: moved(settings, by, copied) };
    }
    case 'param': {
      const { range, step } = node;
      return {
        ...node,
        ...place,
        name: name(node.name),
        value: value(node.value),
        range: value(range),
        step: value(step),
      };
    }
    case 'let':
      if (copied === undefined) return new MovedLet(node, by);
      return { kind: 'let', ...place, doc: node.doc, name: name(node.name), value: value(node.value) };
    case 'block': {
      if (copied === undefined) return new MovedBlock(node, by);
      const { kind, doc, keyword, body } = node;
      return {
        ...{ kind, ...place, doc },
        ...{ keyword: moved(keyword, by, copied), name: name(node.name), body: body && moved(body, by, copied) },
      };
    }
    case 'skipped':
      return { ...node, ...place };
  }
}

/**
 * Every edit moves all that is below it, and hardly any of that is looked at before the next edit: a part is copied when it is asked
 * for. A class gives all objects the same getters: making getters for each object takes longer than copying its parts.
 */
abstract class MovedDeclaration<Node extends BlockDeclaration | LetDeclaration> {
  readonly first: number;
  readonly last: number;
  readonly start: number;
  readonly end: number;
  readonly doc?: string;
  /** As it was read: what moves again is moved from there. */
  readonly read: Node;

  constructor(node: Node | MovedDeclaration<Node>, by: Move) {
    this.first = node.first + by.tokens;
    this.last = node.last + by.tokens;
    this.start = node.start + by.offset;
    this.end = node.end + by.offset;
    this.doc = node.doc;
    this.read = node instanceof MovedDeclaration ? node.read : node;
  }

  protected there<Part extends Tree | undefined>(part: Part): Part {
    const { first, start } = this.read;
    return part && moved(part, { offset: this.start - start, tokens: this.first - first });
  }
}

class MovedBlock extends MovedDeclaration<BlockDeclaration> implements BlockDeclaration {
  readonly kind = 'block';
  #keyword?: Name;
  #name?: Name;
  #body?: Block;

  get keyword(): Name {
    return (this.#keyword ??= this.there(this.read.keyword));
  }

  get name(): Name | undefined {
    return (this.#name ??= this.there(this.read.name));
  }

  get body(): Block | undefined {
    return (this.#body ??= this.there(this.read.body));
  }
}

class MovedLet extends MovedDeclaration<LetDeclaration> implements LetDeclaration {
  readonly kind = 'let';
  #name?: Name;
  #value?: Expression;

  get name(): Name | undefined {
    return (this.#name ??= this.there(this.read.name));
  }

  get value(): Expression | undefined {
    return (this.#value ??= this.there(this.read.value));
  }
}

/**
 * The declaration as it was read: the same object for as long as edits do no more than move it. What follows from its text alone can be
 * kept by it.
 */
export const asRead = (declaration: Declaration): Declaration =>
  declaration instanceof MovedBlock || declaration instanceof MovedLet ? declaration.read : declaration;

function all<Node extends Tree>(nodes: readonly Node[], by: Move, copied: Copied | undefined): readonly Node[] {
  const copies: Node[] = [];
  for (let at = 0; at < nodes.length; at += 1) copies.push(moved(nodes[at], by, copied));
  return copies;
}
