import { parametersOf } from '../../findings/finding.ts';
import type { RowItem } from '../../values/plan.ts';
import { entriesOf } from '../source.ts';
import { withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import {
  editsOf,
  joined,
  moved,
  operationsOf,
  type Part,
  partsOf,
  placesOf,
  type Placed,
  type Rowed,
  rowedAt,
  type WrittenRow,
} from './rowParts.ts';
import { secondsOf, sizeOf } from './rowRun.ts';
import { unevenness } from './unevenRows.ts';

/**
 * The least move that breaks the circle, in the row that differs from the rule of the others. Every move of one operation within its row is simulated, and every move of a forward with the
 * backward of its microbatch after it. Two moves are combined only if none of these is enough. For a rule: without its limit of
 * microbatches in flight.
 */
export const scheduleDeadlock: Repairer = { repairs, ranked: 'figures', most: 2 };

/** Operations that trial runs of one finding may go through, and moves that are checked on the text. */
const budget = 30_000_000;
const mostChecked = 4;

function* repairs(mistake: Mistake): Generator<Repair | undefined> {
  const { analysis, finding } = mistake;
  const { syntax } = analysis;
  const [rowed] = rowedAt(analysis, finding.place.start);
  if (rowed === undefined) {
    for (const declaration of syntax.declarations)
      if (declaration.kind === 'block' && declaration.keyword.text === 'schedule' && declaration.body !== undefined)
        for (const entry of entriesOf(declaration.body, 'in_flight'))
          yield { what: 'Remove the limit of microbatches in flight', edits: [withoutNode(syntax, entry)] };
    return;
  }
  const circle = parametersOf(finding, 'schedule/deadlock')?.circle ?? [];
  const rows = rowsOf(syntax, rowed, circle);
  const work = { left: budget };
  const singles = rows.flatMap((row) => [...movesOf(row, work)]);
  const runs = singles.flatMap((move) => timed(rowed, [move], work));
  const found = runs.length > 0 ? runs : twoMoves(rows, rowed, work);
  for (const { moves } of inBlamedRows(found).toSorted(compareFound).slice(0, mostChecked)) {
    yield {
      what: moves.map((move, index) => words(move, index === 0 ? 'Move' : 'move')).join(' and '),
      edits: lastOfEach(moves).flatMap(({ row, places }) => editsOf(syntax, row.written, row.before, places)),
    };
  }
}

/** Moves in the rows in which a move makes all rows most alike: those differ from the rule that the others follow. */
function inBlamedRows(found: readonly Found[]): readonly Found[] {
  const least = Math.min(...found.map(({ uneven }) => uneven));
  const blamed = new Set(found.filter(({ uneven }) => uneven === least).map(rowsMoved));
  return found.filter((each) => blamed.has(rowsMoved(each)));
}

const rowsMoved = ({ moves }: Found): string =>
  [...new Set(moves.map(({ row }) => row.written.entry.start))].toSorted((a, b) => a - b).join(' ');

/**
 * The fastest first. Of equally fast ones, the one that makes the rows most alike comes first, then the one that moves the fewest
 * operations, then the one with the shortest move.
 */
const compareFound = (a: Found, b: Found): number => {
  const alike = Math.abs(a.seconds - b.seconds) <= 1e-9 * Math.max(a.seconds, b.seconds);
  return (
    (alike ? 0 : a.seconds - b.seconds) || a.uneven - b.uneven || a.operations - b.operations || a.distance - b.distance
  );
};

/** Of moves in one row the last: it contains the others. */
const lastOfEach = (moves: readonly Move[]): readonly Move[] =>
  moves.filter(({ row }, index) => moves.findLastIndex((other) => other.row.written === row.written) === index);

interface Row {
  readonly written: WrittenRow;
  /** As the file writes it. */
  readonly before: Placed;
  /** After the moves so far. */
  readonly places: Placed;
  /** Parts with an operation of the circle. */
  readonly onCircle: ReadonlySet<Part>;
}

interface Move {
  readonly row: Row;
  readonly parts: readonly Part[];
  /** `before F[1]`, or `after F[1]` if they come later than now. */
  readonly where: string;
  readonly distance: number;
  readonly places: Placed;
}

interface Found {
  readonly moves: readonly Move[];
  readonly seconds: number;
  /** How little the rows are alike after the moves. */
  readonly uneven: number;
  /** Operations that are moved. */
  readonly operations: number;
  readonly distance: number;
}

/** Rows with an operation of the circle. Its steps are named as `0B1 (gpu[0])`. */
function rowsOf(syntax: Parameters<typeof partsOf>[0], rowed: Rowed, circle: readonly string[]): readonly Row[] {
  const { plan } = rowed;
  const steps = new Set(circle.map((step) => step.replace(/(?:SEND|RECV)_/, '')));
  const nameOf = ({ stage, op, microbatch }: RowItem, device: number): string =>
    `${plan.stages[stage]?.copy?.stage ?? stage}${op}${microbatch} (${plan.devices[device]?.name ?? `device ${device}`})`;
  return rowed.entries.flatMap((written) => {
    const parts = partsOf(syntax, rowed, written);
    const items = written.entry.values?.length ?? 0;
    const waits = ({ operations }: Part): boolean =>
      operations.some((each, index) => each.some((operation) => steps.has(nameOf(operation, written.devices[index]))));
    const onCircle = new Set(parts.filter(waits));
    const places = placesOf(parts, items);
    return onCircle.size > 0 ? [{ written, before: places, places, onCircle }] : [];
  });
}

/** Every move of an operation or a written item, if the row is short; otherwise of those on the circle. */
function* movesOf(row: Row, work: { readonly left: number }, onCircle = false): Generator<Move> {
  const { places } = row;
  const flat = places.flat();
  const few = !onCircle && flat.length * flat.length <= 4_000 && work.left > 0;
  const pairs = onCircle ? [] : flat.map((_, index) => flat.slice(index, index + 2)).filter(isPair);
  const units = [...flat.map((part) => [part]), ...places.filter((place) => place.length > 1), ...pairs];
  for (const parts of units) {
    if (!few && !parts.some((part) => row.onCircle.has(part))) continue;
    const from = flat.indexOf(parts[0]);
    const last = from + parts.length;
    for (let at = 0; at <= flat.length; at += 1) {
      if (at >= from && at <= last) continue;
      const to = flat.at(at);
      // Between operations that are not on the circle it makes no difference to the circle.
      if (!few && to !== undefined && !row.onCircle.has(to) && !row.onCircle.has(flat[Math.max(0, at - 1)])) continue;
      const distance = at < from ? from - at : at - last;
      const where = at < from ? `before ${flat[at].text}` : `after ${flat[at - 1].text}`;
      yield { row, parts, where, distance, places: moved(places, parts, to) };
    }
  }
}

/** Whether two parts are the forward of a microbatch and its backward, or its input gradient: `F[0], B[0]`. */
function isPair([first, second]: readonly Part[]): boolean {
  if (first === undefined || second === undefined) return false;
  return first.operations.every((forwards, index) => {
    const [[forward, ...more], [backward, ...others]] = [forwards, second.operations[index]];
    if (forward === undefined || backward === undefined || more.length > 0 || others.length > 0) return false;
    return forward.microbatch === backward.microbatch && forward.op === 'F' && backward.op !== 'F';
  });
}

/** The rows after moves, run; empty if they do not run, or if the work is used up. */
function timed({ plan, rows }: Rowed, moves: readonly Move[], work: { left: number }): readonly Found[] {
  work.left -= sizeOf(rows);
  if (work.left < 0) return [];
  const now = [...rows];
  for (const { row, places } of moves) {
    const operations = operationsOf(places, row.written.devices.length);
    for (const [index, device] of row.written.devices.entries()) now[device] = operations[index];
  }
  const seconds = secondsOf(plan, now);
  if (seconds === undefined) return [];
  const sum = (of: (move: Move) => number): number => moves.reduce((total, move) => total + of(move), 0);
  return [
    {
      moves,
      seconds,
      uneven: unevenness(plan, now),
      operations: sum(({ parts }) => sizeOf(parts.flatMap(({ operations }) => operations))),
      distance: sum(({ distance }) => distance),
    },
  ];
}

/** Two moves, in different rows or one after the other in one row. */
function twoMoves(rows: readonly Row[], rowed: Rowed, work: { left: number }): readonly Found[] {
  const out: Found[] = [];
  for (const [index, row] of rows.entries())
    for (const first of movesOf(row, work, true)) {
      const others = [{ ...row, places: first.places }, ...rows.slice(index + 1)];
      for (const other of others)
        for (const second of movesOf(other, work, true)) {
          if (work.left < 0) return out;
          out.push(...timed(rowed, [first, second], work));
        }
    }
  return out;
}

/** `Move B[1] before F[0] in row(0)`. */
function words({ row, parts, where }: Move, verb: string): string {
  const [parameter] = row.written.entry.parameters ?? [];
  const device =
    parameter?.kind === 'quantity' ? String(parameter.value) : parameter?.kind === 'name' ? parameter.text : '';
  return `${verb} ${joined(parts).join(', ')} ${where} in row(${device})`;
}
