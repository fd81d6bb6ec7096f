/** The position of the cursor in the language: what completion may offer there, and which call it is in. */
import type { BlockName, KeySchema, ValueSchema } from '../../engine/language/schema.ts';
import { findKey } from '../../engine/language/schema.ts';
import type { Block, BlockDeclaration, Entry, Span, SyntaxFile, Token } from '../../grammar/index.ts';

export interface Cursor {
  readonly offset: number;
  /** What is being typed: the token that holds or touches the offset. Empty if that is neither a name nor a quantity. */
  readonly word: Span;
  readonly wordKind: 'name' | 'quantity' | 'none';
  /** Last token before the word. */
  readonly before?: Token;
  /** Index of the first token at or after the word's start. */
  readonly index: number;
  /** Blocks around it, outermost first. */
  readonly blocks: readonly Surrounding[];
  /** The declaration that the offset is in or behind. */
  readonly declaration?: SyntaxFile['declarations'][number];
  /** The entry of the innermost block that the offset is in or behind. */
  readonly entry?: Entry;
}

export interface Surrounding {
  readonly name: BlockName;
  readonly body: Block;
  readonly declaration: BlockDeclaration;
}

/** Undefined in comments and strings. */
export function cursorAt(syntax: SyntaxFile, offset: number): Cursor | undefined {
  if (
    syntax.comments.some(
      (comment) =>
        comment.start < offset && (offset < comment.end || (offset === comment.end && comment.kind !== 'block')),
    )
  )
    return undefined;
  const at = lastBefore(syntax.tokens, offset);
  const token = syntax.tokens[at];
  if (token?.kind === 'string' && offset < token.end) return undefined;
  const touching = token !== undefined && token.end >= offset && (token.kind === 'name' || token.kind === 'quantity');
  const index = touching ? at : at + 1;
  const place = surrounding(syntax, touching ? token.start : offset);
  return {
    offset,
    word: touching ? token : { start: offset, end: offset },
    wordKind: !touching ? 'none' : token.kind === 'name' ? 'name' : 'quantity',
    before: syntax.tokens[index - 1],
    index,
    ...place,
  };
}

/** Index of the last token that starts before the offset; −1 where there is none. */
function lastBefore(tokens: readonly Token[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const token = tokens[middle];
    if (token !== undefined && token.start < offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A block that is not closed reaches to the next thing that the parser found. */
const insideOf = (body: Block | undefined, offset: number): body is Block =>
  body !== undefined && body.start < offset && (!body.closed || offset < body.end);

function surrounding(syntax: SyntaxFile, offset: number): Pick<Cursor, 'blocks' | 'declaration' | 'entry'> {
  const declaration = syntax.declarations.findLast((candidate) => candidate.start < offset);
  if (declaration?.kind !== 'block' || !insideOf(declaration.body, offset)) return { blocks: [], declaration };
  const name = declaration.keyword.text as BlockName;
  const blocks: Surrounding[] = [{ name, body: declaration.body, declaration }];
  for (;;) {
    const { body, name: outer } = blocks.at(-1) ?? { body: declaration.body, name };
    const entry = body.entries.findLast((blockItem) => blockItem.start < offset && blockItem.kind !== 'skipped');
    if (entry?.kind !== 'entry' || !insideOf(entry.body, offset))
      return { blocks, declaration, entry: entry?.kind === 'entry' ? entry : undefined };
    const inner = findKey(outer, entry.key.text)?.block;
    if (inner === undefined) return { blocks, declaration, entry };
    blocks.push({ name: inner, body: entry.body, declaration });
  }
}

/** A call whose parentheses hold the position. */
export interface CallAt {
  readonly callee: Token;
  /** Tokens of the argument that the position is in, before the position. */
  readonly argument: readonly Token[];
  /** Arguments before it. */
  readonly position: number;
  /** Names of the arguments given by name. */
  readonly given: readonly string[];
}

export interface Nesting {
  /** Innermost first. */
  readonly calls: readonly CallAt[];
  /** The position is inside `name[ … ]`. */
  readonly indexed: boolean;
}

/** Brackets around the token at `index`, back to `from` (an offset): the start of the entry. */
export function nestingAt(syntax: SyntaxFile, index: number, from: number): Nesting {
  const calls: CallAt[] = [];
  let indexed = false;
  let depth = 0;
  let commas: number[] = [];
  for (let at = index - 1; at >= 0; at -= 1) {
    const token = syntax.tokens[at];
    if (token === undefined || token.start < from) break;
    if (token.kind !== 'punctuation') continue;
    if (token.text === ')' || token.text === ']') depth += 1;
    else if (token.text === ',' && depth === 0) commas.push(at);
    else if (token.text === '(' || token.text === '[') {
      if (depth > 0) {
        depth -= 1;
        continue;
      }
      const callee = syntax.tokens[at - 1];
      const applied = callee?.kind === 'name' && callee.start >= from;
      if (applied && token.text === '[' && calls.length === 0) indexed = true;
      if (applied && token.text === '(') calls.push(call(syntax, callee, at, index, commas));
      commas = [];
    } else if (token.text === '{' || token.text === '}') break;
  }
  return { calls, indexed };
}

function call(syntax: SyntaxFile, callee: Token, open: number, index: number, commas: readonly number[]): CallAt {
  const starts = [open, ...commas.toReversed()].map((at) => at + 1);
  const named = (at: number) => syntax.tokens[at]?.kind === 'name' && syntax.tokens[at + 1]?.text === '=';
  return {
    callee,
    argument: syntax.tokens.slice(starts.at(-1) ?? index, index),
    position: starts.length - 1,
    given: starts.flatMap((at) => (at < index && named(at) ? [syntax.tokens[at]?.text ?? ''] : [])),
  };
}

/** The key in whose parentheses the cursor is: `compute(…) = …`. */
export function keyAround({ blocks, entry }: Cursor, { calls: [call] }: Nesting): KeySchema | undefined {
  const block = blocks.at(-1);
  return block === undefined || call === undefined || call.callee.start !== entry?.key.start
    ? undefined
    : findKey(block.name, entry.key.text);
}

/** The key of the entry. */
export const keyOf = ({ blocks, entry }: Cursor): KeySchema | undefined => {
  const block = blocks.at(-1);
  return block === undefined || entry === undefined ? undefined : findKey(block.name, entry.key.text);
};

/** What the key of the entry takes. */
export const valueSchemaOf = (cursor: Cursor): ValueSchema | undefined => keyOf(cursor)?.value;
