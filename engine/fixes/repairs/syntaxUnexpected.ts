import { nearest } from '../../basics/spelling.ts';
import { declarationKeywords, type SyntaxFile, type Token } from '../../../grammar/syntax.ts';
import type { Edit } from '../proposal.ts';
import { lineEnd } from '../source.ts';
import { inserted, replaced, withoutNode } from './edits.ts';
import { fewestFaults } from './parsed.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { slipsOf } from '../../language/otherSyntax.ts';
import { siteAt } from './site.ts';
import { valuesFor } from './values.ts';

/** What may be missing before a token. */
const separators = [',', '=', '--', '..', ')', ']', '{', '}', '"'];

/** A missing separator or value, a stray token, a wrong bracket: what leaves the fewest faults, the smallest change first. */
export const syntaxUnexpected: Repairer = {
  repairs: (mistake) => fewestFaults(mistake, candidates(mistake)),
};

function* candidates(mistake: Mistake): Generator<Repair> {
  const { syntax } = mistake.analysis;
  const { text, tokens } = syntax;
  const { start } = mistake.finding.place;
  const at = tokens.findIndex((token) => token.start >= start && token.end > start);
  const token = tokens.at(at);
  if (at < 0 || token === undefined) return;
  for (const { at: where, write } of slipsOf(syntax))
    if (where.start === start && write !== undefined)
      yield { what: `Write ${shown(write.text, 60)}`, edits: [replaced(write.part, write.text)] };
  const before = tokens[at - 1];
  yield* keyword(syntax, token);
  yield* missingValue(mistake, token, tokens[at + 1]);
  // `F[0:n]` leaves out its end in other languages.
  if (token.text === ':') yield { what: 'Replace ":" by "..<"', edits: [replaced(token, '..<')] };
  for (const separator of separators) {
    if (separator !== token.text && before !== undefined) yield insertion(text, separator, before, token);
    if (token.kind === 'punctuation' || token.kind === 'error')
      yield { what: `Replace "${shown(token.text)}" by "${separator}"`, edits: [replaced(token, separator)] };
  }
  yield { what: `Remove "${shown(token.text)}"`, edits: [withoutToken(text, token)], last: true };
  // A name in front of a value that takes none.
  if (tokens[at + 1]?.text === '=')
    yield {
      what: `Remove "${shown(text.slice(token.start, tokens[at + 1].end))}"`,
      edits: [withoutToken(text, { start: token.start, end: tokens[at + 1].end })],
      last: true,
    };
  const rest = { start: token.start, end: lineEnd(text, token.start) };
  if (rest.end > token.end)
    yield { what: `Remove the rest of the line`, edits: [withoutToken(text, codeOf(syntax, rest))], last: true };
  const { path } = siteAt(syntax, token.start);
  const around = path.findLast(({ kind }) => kind === 'entry' || kind === 'skipped' || kind === 'check');
  if (around !== undefined && around.kind !== 'file')
    yield { what: 'Remove what cannot be read', edits: [withoutNode(syntax, around)], last: true };
}

/** A closing bracket, a comma and `=` follow what is before them. A brace comes before the token. */
function insertion(text: string, separator: string, before: Token, token: Token): Repair {
  const what = `Insert "${separator}" before "${shown(token.text)}"`;
  if (separator === ',') return { what, edits: [inserted(before.end, ',')] };
  if (separator === '=' || separator === '--') {
    const gap = text.slice(before.end, token.start);
    return { what, edits: [inserted(before.end, ` ${separator}${gap === '' ? ' ' : ''}`)] };
  }
  if (separator === '{') return { what, edits: [inserted(token.start, '{ ')] };
  if (separator === '}') return { what, edits: [inserted(token.start, '} ')] };
  return { what, edits: [inserted(before.end, separator)] };
}

/** A misspelt keyword at the start of a declaration. */
function* keyword({ declarations }: SyntaxFile, token: Token): Generator<Repair> {
  const isOutside = declarations.every(
    ({ kind, start, end }) => kind === 'skipped' || token.start < start || token.start >= end,
  );
  const near = isOutside && token.kind === 'name' ? nearest(token.text, declarationKeywords) : undefined;
  if (near !== undefined) yield { what: `Change to "${near}"`, edits: [replaced(token, near)] };
}

/** A value after `=` or `,`, by the key. The fault is at the token before the gap if the line ends there, otherwise behind it. */
function* missingValue(mistake: Mistake, token: Token, next: Token | undefined): Generator<Repair> {
  const { analysis } = mistake;
  const { syntax } = analysis;
  const { tokens } = syntax;
  const previous = tokens[tokens.indexOf(token) - 1];
  yield* missingEquals(mistake, previous);
  yield* missingEquals(mistake, token);
  const [opener, behind] = opens(token) ? [token, next] : [previous, token];
  if (opener === undefined || !opens(opener)) return;
  const site = siteAt(syntax, opener.start);
  if (site.entry !== undefined) {
    for (const value of valuesFor(analysis, site, 4))
      yield { what: `Write ${value}`, edits: [spaced(syntax.text, opener.end, value, behind)] };
    if (opener.text === '=')
      yield { what: `Remove "${site.entry.key.text}"`, edits: [withoutNode(syntax, site.entry)], last: true };
  } else
    for (const value of ['1', '1ms', '1GiB'])
      yield { what: `Write ${value}`, edits: [spaced(syntax.text, opener.end, value, behind)], group: 'value' };
}

/** A key of which nothing else is written: with a value that it takes. */
function* missingEquals({ analysis }: Mistake, token: Token | undefined): Generator<Repair> {
  const site = token === undefined ? undefined : siteAt(analysis.syntax, token.start);
  const { entry, key } = site ?? {};
  if (entry === undefined || key?.forms.includes('value') !== true || entry.end !== token?.end) return;
  if (entry.values !== undefined || entry.name !== undefined || entry.key.end !== entry.end) return;
  for (const value of valuesFor(analysis, { key }, 3))
    yield { what: `Write ${key.name} = ${value}`, edits: [inserted(entry.end, ` = ${value}`)] };
}

const opens = ({ text }: Token): boolean => text === '=' || text === ',';

function spaced(text: string, at: number, value: string, next: Token | undefined): Edit {
  const left = at > 0 && !/\s/.test(text[at - 1]) ? ' ' : '';
  const right = next !== undefined && at < text.length && !/\s/.test(text[at]) ? ' ' : '';
  return inserted(at, `${left}${value}${right}`);
}

function withoutToken(text: string, { start, end }: { readonly start: number; readonly end: number }): Edit {
  const isSpace = (at: number): boolean => at >= 0 && at < text.length && (text[at] === ' ' || text[at] === '\t');
  let [from, to] = [start, end];
  if (isSpace(from - 1) && (isSpace(to) || to >= text.length || text[to] === '\n' || text[to] === '\r'))
    while (isSpace(from - 1) && !/\n/.test(text[from - 1])) from -= 1;
  else if (from === 0 || text[from - 1] === '\n') while (isSpace(to)) to += 1;
  return { start: from, end: to, text: '' };
}

/** The part of a line before the comment that ends it. */
function codeOf({ comments }: SyntaxFile, part: { readonly start: number; readonly end: number }) {
  const comment = comments.find(({ start }) => start >= part.start && start < part.end);
  return comment === undefined ? part : { start: part.start, end: comment.start };
}

const shown = (text: string, most = 24): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
