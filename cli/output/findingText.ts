import type { Finding } from '../../engine/findings/finding.ts';
import type { Severity } from '../../engine/findings/catalogue.ts';
import { LineIndex } from '../../grammar/index.ts';
import type { Colours } from '../colours.ts';
import { clip, width } from '../drawing/width.ts';
import { printable } from '../../server/text/printable.ts';

/** A text that findings point into. */
export interface Source {
  /** As shown. */
  readonly path: string;
  readonly text: string;
  readonly lines: LineIndex;
}

export const sourceOf = (path: string, text: string): Source => ({ path, text, lines: new LineIndex(text) });

/** Longest part of a source line that is shown, columns. */
const excerpt = 110;

/**
 * One finding as compilers print theirs: what is wrong, where, the line with carets under the range, related places,
 * and titles of quick fixes.
 * `relatedPath` gives a related place as `file:line:character`, or the name of its file alone.
 */
export function findingText(
  found: Finding,
  source: Source,
  colours: Colours,
  relatedPath: (uri: string, offset: number) => string,
  fixes: readonly string[] = [],
): string {
  const { line, character } = source.lines.positionAt(found.place.start);
  const paint = painter(found.severity, colours);
  const gutter = ' '.repeat(String(line + 1).length);
  const { text, caretAt, carets } = excerptOf(source, found.place.start, found.place.end);
  const bar = colours.blue('|');
  return [
    `${paint(`${found.severity}[${found.code}]`)}${colours.bold(`: ${printable(found.message)}`)}`,
    `${gutter}${colours.blue('-->')} ${printable(source.path)}:${line + 1}:${character + 1}`,
    `${gutter} ${bar}`,
    `${colours.blue(String(line + 1))} ${bar} ${text}`.trimEnd(),
    `${gutter} ${bar} ${' '.repeat(caretAt)}${paint('^'.repeat(carets))}`,
    ...found.related.map(
      ({ message, place }) =>
        `${gutter} ${colours.blue('=')} ${printable(message)} (${printable(relatedPath(place.uri, place.start))})`,
    ),
    ...fixes.map((title) => `${gutter} ${colours.blue('=')} ${colours.bold('fix:')} ${printable(title)}`),
    '',
  ].join('\n');
}

function painter(severity: Severity, colours: Colours): (text: string) => string {
  if (severity === 'error') return (text) => colours.bold(colours.red(text));
  if (severity === 'warning') return (text) => colours.bold(colours.yellow(text));
  return (text) => colours.bold(colours.cyan(text));
}

/** The first line of a range, cut around it where it is long, and where the carets go. Empty ranges get one caret. */
function excerptOf(source: Source, start: number, end: number): { text: string; caretAt: number; carets: number } {
  const { line, character } = source.lines.positionAt(start);
  const lineStart = start - character;
  const rest = /[\r\n]/.exec(source.text.slice(start, start + 4 * excerpt));
  const seen = source.text.slice(Math.max(lineStart, start - excerpt / 2), start);
  const lineEnd = rest === null ? Math.min(source.text.length, start + 4 * excerpt) : start + rest.index;
  const marked = source.text.slice(start, Math.max(start, Math.min(end, lineEnd)));
  const cut = lineStart < start - excerpt / 2;
  const before = `${cut ? '…' : ''}${printable(line === 0 && !cut ? seen.replace(/^\ufeff/, '') : seen)}`;
  const whole = `${before}${printable(source.text.slice(start, lineEnd))}`;
  const caretAt = width(before);
  const text = clip(whole, excerpt);
  return { text, caretAt, carets: Math.max(1, Math.min(width(printable(marked)), width(text) - caretAt)) };
}

/** `2 errors, 1 warning`; `no findings`. */
export function tally(findings: readonly { readonly severity: Severity }[]): string {
  const words: readonly (readonly [Severity, string, string])[] = [
    ['error', 'error', 'errors'],
    ['warning', 'warning', 'warnings'],
    ['information', 'remark', 'remarks'],
    ['hint', 'hint', 'hints'],
  ];
  const parts = words.flatMap(([severity, singular, plural]) => {
    const number = findings.filter((found) => found.severity === severity).length;
    return number === 0 ? [] : [`${number} ${number === 1 ? singular : plural}`];
  });
  return parts.length === 0 ? 'no findings' : parts.join(', ');
}
