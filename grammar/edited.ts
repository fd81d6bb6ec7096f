/**
 * The tree of an edited text, from the tree of the text before. Only a stretch of declarations around the edit is read. At each end it
 * has a declaration that the edit did not change: if it is read as before, so is all that lies beyond it.
 */
import { tokenize } from './lexer.ts';
import { moved, type Move } from './moved.ts';
import type { FileParser } from './parser/declarations.ts';
import type { Stretches } from './stretches.ts';
import type { Comment, Declaration, SyntaxFault, SyntaxFile, Token } from './syntax.ts';

/** What is known of a tree beyond the tree. */
export interface Seams {
  /** For each declaration, whether no bracket is open before it. */
  readonly outside: readonly boolean[];
  readonly tokens: Stretches<Token>;
  readonly comments: Stretches<Comment>;
  /** Limits that the text was read with. */
  readonly faults: number;
  readonly depth: number;
}

/** Undefined if the whole text is to be read, as for an edit that leaves a bracket open. */
export function readEdited(
  parser: FileParser,
  earlier: SyntaxFile,
  seams: Seams,
  text: string,
): { readonly file: SyntaxFile; readonly seams: Seams } | undefined {
  const { declarations, errors } = earlier;
  const edit = editOf(earlier.text, text);
  // Declarations before `head` and from `tail` on are taken over. The stretch begins with an unchanged one, unless the file begins there.
  const head = headOf(earlier, seams, edit.start);
  const tail = tailOf(earlier, seams, edit.end);
  const left = head > 0 ? declarations[head] : undefined;
  const right = tail < declarations.length ? declarations[tail - 1] : undefined;
  const from = declarations[head - 1];
  const start = from?.end ?? 0;
  const oldEnd = right?.end ?? earlier.text.length;
  const end = oldEnd + edit.by;
  const source = tokenize(text, start, end);
  const read = parser.read(text, source, seams.faults, seams.depth);
  const before = from === undefined ? 0 : from.last + 1;
  const after = right === undefined ? seams.tokens.length : right.last + 1;
  const by: Move = { offset: edit.by, tokens: before + source.tokens.length - after };

  if (read.tooDeep) return undefined;
  if (left !== undefined) {
    if (!isSame(read.declarations[0], left, { offset: 0, tokens: -before })) return undefined;
    if (read.errors.some((fault) => fault.start <= left.end)) return undefined;
  }
  if (right !== undefined) {
    const last = read.declarations[read.declarations.length - 1];
    if (last === undefined || !isSame(last, right, { offset: by.offset, tokens: by.tokens - before })) return undefined;
    if (!read.endsOutside || read.outside[read.outside.length - 1] !== true) return undefined;
    if (!breaksLine(text, source.tokens[last.first - 1]?.end ?? start, last.start)) return undefined;
    if (read.errors.some((fault) => fault.end >= last.start)) return undefined;
  }
  const below = right === undefined ? [] : errors.filter((fault) => fault.start > oldEnd);
  // Its message names a line.
  if (below.some(({ code }) => code === 'syntax/unclosed')) return undefined;
  const above = left === undefined ? [] : errors.filter((fault) => fault.start < start);
  const faults = [...above, ...read.errors, ...below.map((fault) => movedFault(fault, by.offset))];
  if (faults.length >= seams.faults) return undefined;

  // The first declaration of the stretch is not new, and its documentation may be in the line above the stretch.
  const known = left === undefined ? 0 : 1;
  const kept = declarations.slice(0, head + known);
  const within = { offset: 0, tokens: before };
  const reads = read.declarations.slice(known);
  const isMoved = by.offset !== 0 || by.tokens !== 0;
  const rest = right === undefined ? [] : declarations.slice(tail);
  const commentsBefore = seams.comments.firstFrom(start);
  const commentsAfter = right === undefined ? seams.comments.length : seams.comments.firstFrom(oldEnd);
  const comments = seams.comments.spliced(commentsBefore, commentsAfter, source.comments, by.offset);
  const tokens = seams.tokens.spliced(before, after, source.tokens, by.offset);
  const file: SyntaxFile = {
    ...{ kind: 'file', text },
    get tokens() {
      return tokens.items();
    },
    get comments() {
      return comments.items();
    },
    declarations: kept.concat(
      before === 0 ? reads : reads.map((one) => moved(one, within)),
      isMoved ? rest.map((one) => moved(one, by)) : rest,
    ),
    errors: faults,
  };
  const outside = seams.outside
    .slice(0, kept.length)
    .concat(read.outside.slice(known), right === undefined ? [] : seams.outside.slice(tail));
  return { file, seams: { ...seams, outside, tokens, comments } };
}

interface Edit {
  /** The characters of the earlier text that differ. */
  readonly start: number;
  readonly end: number;
  /** How many more there are now. */
  readonly by: number;
}

function editOf(earlier: string, text: string): Edit {
  const most = Math.min(earlier.length, text.length);
  const by = text.length - earlier.length;
  const same = (at: number, length: number, moved: number): boolean =>
    earlier.slice(at, at + length) === text.slice(at + moved, at + moved + length);
  let start = 0;
  let end = earlier.length;
  // Comparing texts takes a fraction of the time of comparing characters.
  for (const length of [4096, 64, 1]) {
    while (start + length <= most && same(start, length, 0)) start += length;
  }
  for (const length of [4096, 64, 1]) {
    while (end - length >= start && end - length + by >= start && same(end - length, length, by)) end -= length;
  }
  return { start, end, by };
}

/** The last declaration that ends before the edit and may be read again apart from what is above it; 0: read from the start of the file. */
function headOf(file: SyntaxFile, seams: Seams, start: number): number {
  let at = file.declarations.findLastIndex(({ end }) => end < start);
  while (at > 0 && !isSeam(file, seams, at)) at -= 1;
  return Math.max(0, at);
}

/** The declaration after the first one that begins after the edit and may be read apart from what is below it. */
function tailOf(file: SyntaxFile, seams: Seams, end: number): number {
  const { declarations } = file;
  let at = declarations.findIndex((declaration) => declaration.start > end);
  if (at < 0) return declarations.length;
  while (at < declarations.length && !isSeam(file, seams, at)) at += 1;
  return Math.min(at + 1, declarations.length);
}

/** Whether a declaration is whole and without a fault, on lines that hold nothing before it. */
function isSeam({ text, declarations, errors }: SyntaxFile, { outside }: Seams, at: number): boolean {
  const declaration = declarations[at];
  if (declaration === undefined || declaration.kind === 'skipped' || outside[at] !== true) return false;
  const above = declarations[at - 1]?.end ?? 0;
  if (!breaksLine(text, above, declaration.start)) return false;
  return !errors.some(({ start }) => start >= above && start <= declaration.end);
}

const breaksLine = (text: string, start: number, end: number): boolean => /[\r\n]/.test(text.slice(start, end));

/** Whether a declaration is another one, moved. */
const isSame = (one: Declaration | undefined, other: Declaration, by: Move): boolean =>
  one?.kind === other.kind &&
  one.start === other.start + by.offset &&
  one.end === other.end + by.offset &&
  one.first === other.first + by.tokens &&
  one.last === other.last + by.tokens;

const movedFault = (fault: SyntaxFault, by: number): SyntaxFault => ({
  ...fault,
  start: fault.start + by,
  end: fault.end + by,
  ...(fault.opened === undefined ? {} : { opened: { start: fault.opened.start + by, end: fault.opened.end + by } }),
  ...(fault.head === undefined ? {} : { head: fault.head + by }),
});
