/** Edits that keep comments and layout. */
import type { Block, SyntaxFile } from '../../../grammar/syntax.ts';
import type { Edit } from '../proposal.ts';
import { indentOf, lineBreak, lineEnd, lineStart } from '../source.ts';

interface Part {
  readonly start: number;
  readonly end: number;
}

export const replaced = ({ start, end }: Part, text: string): Edit => ({ start, end, text });
export const inserted = (at: number, text: string): Edit => ({ start: at, end: at, text });

/** Removes an item of a list with its comma. The only item goes alone. */
export function withoutItem(items: readonly Part[], index: number): Edit | undefined {
  const [before, item, after] = [items[index - 1], items[index], items[index + 1]];
  if (item === undefined) return undefined;
  if (after !== undefined) return { start: item.start, end: after.start, text: '' };
  return { start: before === undefined ? item.start : before.end, end: item.end, text: '' };
}

/** Removes a node with the documentation above it; whole lines if they hold nothing else. A comment behind it goes with its line. */
export function withoutNode({ text, comments }: SyntaxFile, node: Part): Edit {
  let { start, end } = node;
  for (const comment of comments.toReversed()) {
    if (comment.kind === 'doc' && comment.end <= start && /^\s*$/.test(text.slice(comment.end, start)))
      start = comment.start;
  }
  if (text[end] === ';') end += 1;
  const from = lineStart(text, start);
  const to = lineEnd(text, end);
  const rest = text.slice(end, to).trim();
  const before = text.slice(from, start);
  if (before.trim() !== '') return { start: start - (before.length - before.trimEnd().length), end, text: '' };
  if (rest === '' || rest.startsWith('//'))
    return { start: from, end: Math.min(text.length, text.indexOf('\n', to) + 1 || text.length), text: '' };
  const after = text.slice(end, to);
  return { start, end: end + (after.length - after.trimStart().length), text: '' };
}

/** Adds an entry at the end of a body, in its layout. */
export function withEntry(text: string, body: Block, entry: string): Edit | undefined {
  if (!body.closed) return undefined;
  const last = body.entries.at(-1);
  if (last === undefined) return addedToEmpty(text, body, entry);
  const end = text[last.end] === ';' ? last.end + 1 : last.end;
  const line = lineEnd(text, end);
  if (line >= body.end - 1) return inserted(end, `  ${entry}`);
  // Behind the comment that may end the line.
  return inserted(line, `${lineBreak(text)}${indentOf(text, last.start)}${entry}`);
}

function addedToEmpty(text: string, body: Block, entry: string): Edit {
  const inside = text.slice(body.start + 1, body.end - 1);
  if (inside.trim() === '' && !inside.includes('\n'))
    return { start: body.start + 1, end: body.end - 1, text: ` ${entry} ` };
  return inserted(body.start + 1, `${lineBreak(text)}${indentOf(text, body.start)}  ${entry}`);
}

/** Adds a declaration on lines before the one that begins at `offset`, behind the documentation of none. */
export function withDeclaration({ text, declarations, comments }: SyntaxFile, offset: number, written: string): Edit {
  const holder = declarations.find((each) => each.start <= offset && offset <= each.end);
  let at = holder?.start ?? text.length;
  for (const comment of comments.toReversed()) {
    if (comment.end <= at && /^[^\S\n]*(\r?\n)?[^\S\n]*$/.test(text.slice(comment.end, at))) at = comment.start;
  }
  at = lineStart(text, at);
  const broken = at === text.length && at > 0 && !text.endsWith('\n') ? lineBreak(text) : '';
  return inserted(at, `${broken}${written}${lineBreak(text)}`);
}

/** Two insertions at one place as one. */
export function joined(edits: readonly (Edit | undefined)[]): readonly (Edit | undefined)[] {
  const [first, second] = edits;
  if (first === undefined || second === undefined || first.start !== second.start) return edits;
  return [inserted(first.start, first.text + second.text)];
}
