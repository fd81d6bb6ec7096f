/** Writes the value of a `let` or `param` where its name is, and takes the declaration out. */
import { nodeAt, type Expression, type Span } from '../../grammar/index.ts';
import type { Analysis } from '../flow/check.ts';
import type { Rewriting } from './rewriting.ts';
import { lineEnd, lineStart } from './source.ts';

/** Offered at the declaration and at each use of a `let` or `param` of the file itself. */
export function inlinings({ uri, syntax, resolution }: Analysis, { start, end }: Span): readonly Rewriting[] {
  const { references, symbols } = resolution.symbols;
  const at = references.find(({ place }) => place.start <= start && end <= place.end);
  const symbol = symbols.get(at?.symbol ?? '');
  const place = symbol?.declaration;
  if (symbol === undefined || (symbol.kind !== 'let' && symbol.kind !== 'param') || place?.uri !== uri) return [];
  const declaration = syntax.declarations.find(
    (each) => (each.kind === 'let' || each.kind === 'param') && each.name?.start === place.start,
  );
  if (declaration?.kind !== 'let' && declaration?.kind !== 'param') return [];
  const { value } = declaration;
  const uses = references.filter((each) => each.symbol === symbol.id && each.place.start !== place.start);
  if (value === undefined || uses.length === 0) return [];
  const text = syntax.text.slice(value.start, value.end);
  const edits = uses.map(({ place: use }) => ({
    start: use.start,
    end: use.end,
    text: isWhole(value) || isAlone(nodeAt(syntax, use.start), use) ? text : `(${text})`,
  }));
  const names = [place.start];
  return [
    { title: `Inline "${symbol.name}"`, kind: 'inline', names, edits: [removed(syntax.text, declaration), ...edits] },
  ];
}

const isWhole = ({ kind }: Expression): boolean =>
  ['quantity', 'name', 'string', 'list', 'group', 'call', 'index'].includes(kind);

/** The use is all of a value or an argument, so nothing binds it tighter. */
function isAlone(path: ReturnType<typeof nodeAt>, use: Span): boolean {
  const at = path.findLastIndex((node) => node.kind === 'name' && node.start === use.start);
  const around = path[at - 1];
  return around?.kind === 'entry' || around?.kind === 'argument' || around?.kind === 'let' || around?.kind === 'param';
}

/** The declaration with its comments, and the line that it leaves empty. */
export function removed(
  text: string,
  { start, end }: Span,
): { readonly start: number; readonly end: number; readonly text: '' } {
  let from = lineStart(text, start);
  if (text.slice(from, start).trim() !== '') return { start, end, text: '' };
  while (
    from > 0 &&
    text
      .slice(lineStart(text, from - 1), from)
      .trimStart()
      .startsWith('///')
  )
    from = lineStart(text, from - 1);
  const line = lineEnd(text, end);
  const rest = text.slice(end, line).trim();
  if (rest !== '' && !rest.startsWith('//')) return { start, end, text: '' };
  const next = text.startsWith('\r\n', line) ? line + 2 : Math.min(line + 1, text.length);
  return { start: from, end: next, text: '' };
}
