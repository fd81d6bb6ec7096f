import type { Block, BlockDeclaration, Declaration, Entry, Expression, SyntaxFile } from '../../grammar/syntax.ts';
import type { Edit } from './proposal.ts';

/** The body of `pipeline NAME { … }` as written in the file. */
export function pipelineBody(syntax: SyntaxFile, pipeline: string): Block | undefined {
  for (const declaration of syntax.declarations) {
    if (declaration.kind === 'block' && declaration.keyword.text === 'pipeline' && declaration.name?.text === pipeline)
      return declaration.body;
  }
  return undefined;
}

/** The body of `model NAME { … }`; undefined if another file has it. */
export function modelBody({ syntax }: { readonly syntax: SyntaxFile }, name: string): Block | undefined {
  for (const declaration of syntax.declarations)
    if (declaration.kind === 'block' && declaration.keyword.text === 'model' && declaration.name?.text === name)
      return declaration.body;
  return undefined;
}

/** Whether a declaration is another pipeline, a job, a search, or what another one is expected to reach: no figure of this pipeline needs it. */
export function isAside(declaration: Declaration, pipeline: string): boolean {
  if (declaration.kind !== 'block') return false;
  const { keyword, name } = declaration;
  if (keyword.text === 'job' || keyword.text === 'search') return true;
  return (keyword.text === 'pipeline' || keyword.text === 'expect') && name?.text !== pipeline;
}

/** Entries of a body with this key, in order. */
export const entriesOf = (body: Block, key: string): readonly Entry[] =>
  body.entries.filter((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === key);

/** The one value of an entry `key = value`. */
export function valueOf(body: Block, key: string): Expression | undefined {
  const values = entriesOf(body, key)[0]?.values;
  return values?.length === 1 ? values[0] : undefined;
}

/** The body of `stage NAME { … }`. */
export const stageBody = (pipeline: Block, stage: string): Block | undefined =>
  entriesOf(pipeline, 'stage').find(({ name }) => name?.text === stage)?.body;

/** Sets `key = value`: replaces the value that is there, or adds an entry at the end of the body in the body's own layout. */
export function setKey(text: string, body: Block, key: string, value: string): Edit | undefined {
  const entry = entriesOf(body, key)[0];
  if (entry === undefined) return addKey(text, body, key, value);
  const [first] = entry.values ?? [];
  const last = entry.values?.at(-1);
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end, text: value };
}

/** Adds `key = value` at the end of the body. */
export const addKey = (text: string, body: Block, key: string, value: string): Edit | undefined =>
  addEntry(text, body, `${key} = ${value}`);

/** The same behind the entry that comes right before the key in an order of keys, such as the order of the reference. */
export function addKeyInOrder(
  text: string,
  body: Block,
  [key, value]: readonly [key: string, value: string],
  order: readonly string[],
): Edit | undefined {
  const places = body.entries.map((entry) => (entry.kind === 'entry' ? order.indexOf(entry.key.text) : -1));
  const before = Math.max(...places.filter((place) => place >= 0 && place < order.indexOf(key)));
  return addEntry(text, body, `${key} = ${value}`, body.entries[places.lastIndexOf(before)]);
}

function addEntry(text: string, body: Block, entry: string, last = body.entries.at(-1)): Edit | undefined {
  if (!body.closed) return undefined;
  if (last === undefined) return { start: body.start + 1, end: body.end - 1, text: ` ${entry} ` };
  const line = lineEnd(text, last.end);
  if (line >= body.end - 1 || body.entries.some(({ start }) => start >= last.end && start < line))
    return { start: last.end, end: last.end, text: `  ${entry}` };
  // Behind the comment that may end the line.
  return { start: line, end: line, text: `${lineBreak(text)}${indentOf(text, last.start)}${entry}` };
}

/** How the file ends its lines. */
export const lineBreak = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** White space at the start of the line that holds `offset`. */
export function indentOf(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

export const lineStart = (text: string, offset: number): number =>
  offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;

/** End of the line that holds `offset`, before the break. */
export function lineEnd(text: string, offset: number): number {
  const feed = text.indexOf('\n', offset);
  if (feed < 0) return text.length;
  return feed > offset && text[feed - 1] === '\r' ? feed - 1 : feed;
}

/** The start of the first line of the comments right before a block. */
export function documentedStart(text: string, { start }: BlockDeclaration): number {
  let at = lineStart(text, start);
  // Behind another declaration of the line.
  if (text.slice(at, start).trim() !== '') return start;
  for (;;) {
    const before = lineStart(text, at - 1);
    if (at === 0 || !text.slice(before, at).trimStart().startsWith('//')) return at;
    at = before;
  }
}

/** A name that the file does not use: this one, or with a number. */
export function freeName({ tokens }: SyntaxFile, base: string): string {
  const taken = new Set(tokens.map((token) => token.text));
  let free = base;
  for (let number = 2; taken.has(free); number += 1) free = `${base}${number}`;
  return free;
}
