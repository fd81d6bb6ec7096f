import { table } from '../../basics/table.ts';
import type { SyntaxFile } from '../../../grammar/syntax.ts';
import { indentOf, lineBreak, lineEnd, lineStart } from '../source.ts';
import { inserted, replaced } from './edits.ts';
import { fewestFaults } from './parsed.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

const closers: Readonly<Record<string, string>> = table({ '(': ')', '[': ']', '{': '}' });
const mostPlaces = 16;

/** The closing bracket, quote or comment mark where the layout says that it belongs. */
export const syntaxUnclosed: Repairer = {
  repairs: (mistake) => fewestFaults(mistake, candidates(mistake)),
};

function* candidates(mistake: Mistake): Generator<Repair> {
  const { analysis, finding } = mistake;
  const { syntax } = analysis;
  const { text } = syntax;
  const { start, end } = finding.place;
  if (text.startsWith('/*', start)) return yield* comment(text, start);
  if (text[start] === '"') return yield* quote(syntax, start, end);
  const opener = text.slice(start, end);
  if (opener === '{') yield* hyphened(mistake);
  const closer = closers[opener.at(-1) ?? ''];
  if (closer === undefined) return;
  const what = `Insert "${closer}"`;
  if (closer === '}') yield* brace(syntax, start, what);
  for (const at of endsOnLine(syntax, end)) {
    const space = closer === '}' ? ' ' : '';
    yield { what, edits: [inserted(at, `${space}${closer}`)] };
  }
}

/** `import { llama3-8b }` as `llama3_8b`: names have no hyphens. */
function* hyphened({ analysis: { syntax }, finding: { place } }: Mistake): Generator<Repair> {
  const { path } = siteAt(syntax, place.start);
  if (!path.some(({ kind }) => kind === 'import')) return;
  const list = /^[^}"\r\n]*/.exec(syntax.text.slice(place.end))?.[0] ?? '';
  const edits = [...list.matchAll(/\w+(?:[-.]\w+)+/g)].map((found) => {
    const at = place.end + found.index;
    return replaced({ start: at, end: at + found[0].length }, found[0].replaceAll(/[-.]/g, '_'));
  });
  if (edits.length > 0) yield { what: `Change to ${edits.map(({ text }) => `"${text}"`).join(' and ')}`, edits };
}

/** Before the next line that is indented no further than the line of the opener, then at the end of the file. */
function* brace(syntax: SyntaxFile, start: number, what: string): Generator<Repair> {
  const { text, tokens } = syntax;
  const own = indentOf(text, start);
  const line = lineBreak(text);
  const opener = lineStart(text, start);
  const firsts = tokens.filter(
    (token, index) => index === 0 || lineStart(text, token.start) !== lineStart(text, tokens[index - 1].start),
  );
  const outer = firsts.filter(
    (token) =>
      token.start > lineEnd(text, start) && indentOf(text, token.start).length <= own.length && token.text !== '}',
  );
  for (const next of outer.slice(0, 4)) {
    const last = tokens.findLast((token) => token.end <= next.start);
    if (last === undefined || last.start < start) continue;
    const end = lineEnd(text, last.end);
    const isSameLine = lineStart(text, last.start) === opener;
    yield { what, edits: [isSameLine ? inserted(last.end, ' }') : inserted(end, `${line}${own}}`)] };
  }
  const last = tokens.at(-1);
  if (last === undefined) return;
  const isSameLine = lineStart(text, last.start) === opener;
  yield { what, edits: [isSameLine ? inserted(last.end, ' }') : inserted(lineEnd(text, last.end), `${line}${own}}`)] };
}

/** Ends of the tokens on the line of the opener, the last first. */
function endsOnLine({ text, tokens }: SyntaxFile, from: number): readonly number[] {
  const end = lineEnd(text, from);
  const places = tokens.filter((token) => token.start >= from && token.end <= end).map((token) => token.end);
  return [...places.toReversed().slice(0, mostPlaces), from];
}

function* quote({ text }: SyntaxFile, start: number, end: number): Generator<Repair> {
  const what = 'Insert a closing quote';
  const inside = text.slice(start + 1, end);
  const word = /^[^\s,;(){}[\]]+/.exec(inside)?.[0] ?? '';
  const ends = [start + 1 + inside.trimEnd().length, start + 1 + word.length];
  for (const stop of [' {', ' }', ')', ']', ',', '  ']) {
    const at = inside.indexOf(stop);
    if (at > 0) ends.push(start + 1 + at);
  }
  for (const at of new Set(ends)) yield { what, edits: [inserted(at, '"')] };
}

/** At the end of the line, of the paragraph, of the file. */
function* comment(text: string, start: number): Generator<Repair> {
  const blank = /\n[ \t]*\r?\n/g;
  blank.lastIndex = start;
  const paragraph = blank.exec(text)?.index ?? text.length;
  for (const at of new Set([lineEnd(text, start), paragraph, text.trimEnd().length]))
    yield { what: 'Close the comment', edits: [inserted(at, text.slice(0, at).endsWith('*') ? '/' : ' */')] };
}
