/**
 * A schedule that takes over another one, as one text: the file, then the declarations that entries are taken from. Readers see
 * copies of these entries there, and need not know where they are written.
 */
import type { KeyPlace } from '../definitions/schedule.ts';
import type { Reporter } from '../findings/reporter.ts';
import { moved, type Tree } from '../../grammar/moved.ts';
import type { Entry, Expression, Span, SyntaxFile, Token } from '../../grammar/syntax.ts';
import type { Place } from '../values/plan.ts';
import type { ReadContext } from './context.ts';
import { baseSymbol } from '../sequences/baseRow.ts';
import type { Origin, ScheduleText, WrittenEntry } from './scheduleText.ts';

/** A declaration, and where it is in the one text. */
interface Piece {
  readonly origin: Origin;
  readonly start: number;
  readonly tokens: number;
}

export interface MergedSchedule {
  readonly context: ReadContext;
  readonly entries: readonly Entry[];
  /** Rows that `base(d)` stands for, by its symbol. */
  readonly baseRows: ReadonlyMap<string, readonly Entry[]>;
  /** A reporter of the file for what is read: what is wrong with inherited text is reported at `from`. */
  readonly located: (report: Reporter) => Reporter;
  /** The place where that reporter reports a text. */
  readonly where: (text: Span) => KeyPlace;
  /** Copies of a text of the file in the one text, with the text itself. */
  readonly spansOf: (text: Span) => readonly Span[];
}

/** `at`: the base that `from` names; `name`: the schedule. */
export function mergedSchedule(
  file: ReadContext,
  { entries, origins, baseRows }: ScheduleText,
  { symbol, name, at }: { readonly symbol: string; readonly name: string; readonly at: Span },
): MergedSchedule {
  const [, ...inherited] = origins;
  const pieces = piecesOf(file, inherited);
  const merged: Merged = { pieces, name, at };
  const located = (report: Reporter): Reporter => locatedReporter(report, merged);
  const context: ReadContext = { ...file, syntax: oneText(file.syntax, pieces), report: located(file.report) };
  const members = file.members.get(symbol);
  const byOrigin = new Map(pieces.map((piece) => [piece.origin, piece]));
  const copied = <Node extends Tree>(origin: Origin, node: Node): Node => {
    const piece = byOrigin.get(origin);
    return piece === undefined ? node : copy(context, members, piece, node);
  };
  return {
    context,
    entries: entries.map((written) => entryOf(written, copied)),
    baseRows: new Map(
      Array.from(baseRows, ([symbol, rows]) => [symbol, rows.map((written) => entryOf(written, copied))]),
    ),
    located,
    where: (span) => whereIn(merged, span, file.report),
    spansOf: (text) => [text, ...pieces.flatMap((piece) => spanIn(piece, file, text) ?? [])],
  };
}

function piecesOf({ syntax }: ReadContext, origins: readonly Origin[]): readonly Piece[] {
  // A space apart, so that the end of one is not the start of the next.
  let start = syntax.text.length + 1;
  let tokens = syntax.tokens.length;
  return origins.map((origin) => {
    const piece = { origin, start, tokens };
    start += origin.block.end - origin.block.start + 1;
    tokens += origin.block.last - origin.block.first + 1;
    return piece;
  });
}

/** Texts are joined when they are read: most readings need none. */
function oneText(file: SyntaxFile, pieces: readonly Piece[]): SyntaxFile {
  let text: string | undefined;
  let tokens: readonly Token[] | undefined;
  return {
    ...file,
    get text() {
      text ??= [
        file.text,
        ...pieces.map(({ origin: { context, block } }) => context.syntax.text.slice(block.start, block.end)),
      ].join(' ');
      return text;
    },
    get tokens() {
      tokens ??= [
        ...file.tokens,
        ...pieces.flatMap(({ origin: { context, block } }) => context.syntax.tokens.slice(block.first, block.last + 1)),
      ];
      return tokens;
    },
  };
}

function entryOf(
  { origin, entry, value, bounds }: WrittenEntry,
  copied: <Node extends Tree>(origin: Origin, node: Node) => Node,
): Entry {
  const made = copied(origin, entry);
  const part = (from: NonNullable<WrittenEntry['bounds']>, expression: Expression | undefined) =>
    expression === undefined ? undefined : copied(from.origin, expression);
  return {
    ...made,
    ...(value === undefined ? {} : { values: [copied(value.origin, value.expression)] }),
    ...(bounds === undefined ? {} : { range: part(bounds, bounds.entry.range), step: part(bounds, bounds.entry.step) }),
  };
}

/** A copy whose names mean what they mean where they are written, except that members of the schedule replace members of its bases. */
function copy<Node extends Tree>(
  context: ReadContext,
  members: ReturnType<ReadContext['members']['get']>,
  { origin, start, tokens }: Piece,
  node: Node,
): Node {
  const { context: from, block } = origin;
  const by = { offset: start - block.start, tokens: tokens - block.first };
  return moved(node, by, (original, made) => {
    const symbol = original.kind === 'name' ? from.links.get(original) : undefined;
    if (original.kind !== 'name' || made.kind !== 'name' || symbol === undefined) return;
    const info = from.symbols.get(symbol);
    const isMember = info?.container === origin.symbol && !symbol.startsWith(baseSymbol);
    const member = isMember ? members?.get(info.name) : undefined;
    if (member !== undefined && info?.kind !== 'parameter') context.links.set(made, member.id);
    else if (symbol.startsWith('parameter:')) context.links.set(made, `${symbol}@${start}`);
    else if (from.uri !== context.uri && from.values.has(symbol)) {
      const known = `${symbol}@${from.uri}`;
      context.values.set(known, from.values.get(symbol));
      context.links.set(made, known);
    } else context.links.set(made, symbol);
  });
}

const pieceAt = (pieces: readonly Piece[], offset: number): Piece | undefined =>
  pieces.findLast(({ start }) => start <= offset);

/** The one text of a schedule, and the base that `from` names. */
interface Merged {
  readonly pieces: readonly Piece[];
  readonly name: string;
  readonly at: Span;
}

function placeIn({ origin, start }: Piece, span: Span): Place {
  const by = origin.block.start - start;
  return origin.context.report.place({ start: span.start + by, end: span.end + by });
}

/** What is wrong with inherited text is reported at `from`: its schedule is right, and what replaces it or numbers make it wrong. */
function whereIn({ pieces, name, at }: Merged, span: Span, { place }: Pick<Reporter, 'place'>): KeyPlace {
  const piece = pieceAt(pieces, span.start);
  if (piece === undefined) return { place: place(span), related: [] };
  const message = `This text, which "${name}" takes over.`;
  return { place: place(at), related: [{ place: placeIn(piece, span), message }] };
}

function locatedReporter(report: Reporter, merged: Merged): Reporter {
  const pieceOf = ({ start }: Span): Piece | undefined => pieceAt(merged.pieces, start);
  return {
    ...report,
    place(span) {
      const piece = pieceOf(span);
      return piece === undefined ? report.place(span) : placeIn(piece, span);
    },
    report(code, span, parameters, extras) {
      if (pieceOf(span) === undefined) return report.report(code, span, parameters, extras);
      const { related } = whereIn(merged, span, report);
      return report.report(code, merged.at, parameters, { related: [...related, ...(extras?.related ?? [])] });
    },
  };
}

/** The copy of a text of the file in a piece. */
function spanIn({ origin: { context, block }, start }: Piece, file: ReadContext, text: Span): Span | undefined {
  if (context.uri !== file.uri || text.start < block.start || text.end > block.end) return undefined;
  const by = start - block.start;
  return { start: text.start + by, end: text.end + by };
}
