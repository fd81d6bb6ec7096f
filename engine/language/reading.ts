/** Which declarations of an edited file are to be read: those that changed, what depends on them, and what these need. */
import { asRead } from '../../grammar/index.ts';
import type { Declaration, SyntaxFile } from '../../grammar/syntax.ts';
import { named } from './declare.ts';
import { type Kept, lastFrom, mentionsOf } from './kept.ts';

export interface Reading {
  /** In order. */
  readonly declarations: readonly Declaration[];
  /** What is known of the others, by the declaration in the new text. */
  readonly skipped: ReadonlyMap<Declaration, Kept>;
  /** What is known of all that is as it was, read or not. */
  readonly same: ReadonlyMap<Declaration, Kept>;
  /** How far what was at an offset of the text before has moved; undefined outside what is as it was. */
  readonly movedBy: (offset: number) => number | undefined;
}

/** `kept` knows all declarations of the file before. Undefined if all of the file is to be read. */
export function readingOf(
  syntax: SyntaxFile,
  before: SyntaxFile,
  kept: (declaration: Declaration) => Kept | undefined,
): Reading | undefined {
  const same = new Map<Declaration, Kept>();
  const changed = new Set<string>();
  const [head, tail] = sameEnds(syntax, before);
  const isChanged = (index: number, { length }: readonly Declaration[]) => index >= head && index < length - tail;
  // What the parser says of a declaration may be new even though its text is not.
  const faulty = faultyIn(syntax);
  const wasFaulty = faultyIn(before);
  for (const [index, declaration] of before.declarations.entries())
    if (isChanged(index, before.declarations)) {
      if (declaration.kind === 'import') return undefined;
      addName(changed, declaration);
    }
  const by = before.declarations.length - syntax.declarations.length;
  for (const [index, declaration] of syntax.declarations.entries()) {
    if (isChanged(index, syntax.declarations)) {
      if (declaration.kind === 'import') return undefined;
      addName(changed, declaration);
      continue;
    }
    const earlier = before.declarations[index < head ? index : index + by];
    const known = kept(earlier);
    if (known === undefined || faulty.has(declaration) || wasFaulty.has(earlier)) addName(changed, declaration);
    else same.set(declaration, known);
  }
  leaveOutDependents(same, changed);
  const read = toRead(syntax, same);
  const skipped = new Map<Declaration, Kept>();
  for (const [declaration, known] of same) if (!read.has(declaration)) skipped.set(declaration, known);
  return {
    declarations: syntax.declarations.filter((declaration) => read.has(declaration)),
    skipped,
    same,
    movedBy(offset) {
      const index = lastFrom(before.declarations, offset);
      const earlier = before.declarations[index];
      if (index < 0 || offset > earlier.end || isChanged(index, before.declarations)) return undefined;
      const declaration = syntax.declarations[index < head ? index : index - by];
      return same.has(declaration) ? declaration.start - earlier.start : undefined;
    },
  };
}

/** How many declarations are the same at the beginning, and at the end behind those. */
function sameEnds(syntax: SyntaxFile, before: SyntaxFile): readonly [head: number, tail: number] {
  const [now, then] = [syntax.declarations, before.declarations];
  const most = Math.min(now.length, then.length);
  const isSame = (a: Declaration, b: Declaration): boolean =>
    asRead(a) === asRead(b) || (a.kind === b.kind && docOf(a) === docOf(b) && textOf(syntax, a) === textOf(before, b));
  let head = 0;
  while (head < most && isSame(now[head], then[head])) head += 1;
  let tail = 0;
  while (tail < most - head && isSame(now[now.length - 1 - tail], then[then.length - 1 - tail])) tail += 1;
  return [head, tail];
}

const docOf = (declaration: Declaration): string | undefined =>
  declaration.kind === 'skipped' ? undefined : declaration.doc;

const textOf = ({ text }: SyntaxFile, { start, end }: Declaration): string => text.slice(start, end);

function addName(names: Set<string>, declaration: Declaration): void {
  const name = named(declaration)?.name.text;
  if (name !== undefined) names.add(name);
}

/** Whatever mentions a changed name may mean something else, and what mentions its name too. */
function leaveOutDependents(same: Map<Declaration, Kept>, changed: ReadonlySet<string>): void {
  const reached = new Set(changed);
  // A set gives what is added to it while it is gone through.
  for (const name of reached)
    for (const [declaration, known] of same) {
      if (!known.mentions.has(name)) continue;
      same.delete(declaration);
      addName(reached, declaration);
    }
}

/** Declarations with a fault of the parser in them, or next to them. */
function faultyIn({ declarations, errors }: SyntaxFile): ReadonlySet<Declaration> {
  const found = new Set<Declaration>();
  let index = 0;
  for (const { start, end } of errors) {
    while (index < declarations.length && declarations[index].end < start) index += 1;
    for (let at = index; at < declarations.length && declarations[at].start <= end; at += 1)
      found.add(declarations[at]);
  }
  return found;
}

/** What is not as it was, what is always read, and all that these need. */
function toRead(syntax: SyntaxFile, same: ReadonlyMap<Declaration, Kept>): ReadonlySet<Declaration> {
  const first = syntax.declarations.filter(
    // Whether it is always read is known of what is as it was. The body of a moved block is not looked at.
    (declaration) => same.get(declaration)?.always ?? true,
  );
  return withNeeds(syntax, first);
}

/** These declarations, and all whose names they or those mention. */
export function withNeeds(syntax: SyntaxFile, declarations: Iterable<Declaration>): ReadonlySet<Declaration> {
  const byName = namesOf(syntax);
  // A set gives what is added to it while it is gone through.
  const found = new Set(declarations);
  for (const declaration of found)
    for (const name of mentionsOf(syntax, declaration)) for (const needed of byName.get(name) ?? []) found.add(needed);
  return found;
}

const names = new WeakMap<SyntaxFile, ReadonlyMap<string, readonly Declaration[]>>();

/** What a file declares, by name. */
function namesOf(syntax: SyntaxFile): ReadonlyMap<string, readonly Declaration[]> {
  const known = names.get(syntax);
  if (known !== undefined) return known;
  const byName = new Map<string, Declaration[]>();
  for (const declaration of syntax.declarations) {
    const name = named(declaration)?.name.text;
    if (name === undefined) continue;
    const alike = byName.get(name);
    if (alike === undefined) byName.set(name, [declaration]);
    else alike.push(declaration);
  }
  names.set(syntax, byName);
  return byName;
}
