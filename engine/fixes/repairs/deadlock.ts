import { parametersOf } from '../../findings/finding.ts';
import type { RowItem } from '../../plan.ts';
import { entriesOf } from '../source.ts';
import { withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import {
  editsOf,
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

/**
 * The least move that breaks the circle: every move of one operation within its row is simulated, and two are moved only if none is
 * enough. For a rule: without its limit of microbatches in flight.
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
  const found = runs.length > 0 ? runs : pairs(rows, rowed, work);
  for (const { moves } of found
    .toSorted((a, b) => a.seconds - b.seconds || a.distance - b.distance)
    .slice(0, mostChecked)) {
    yield {
      what: moves.map((move, index) => words(move, index === 0 ? 'Move' : 'move')).join(' and '),
      edits: moves.flatMap(({ row, places }) => editsOf(syntax, row.written, row.places, places)),
    };
  }
}

interface Row {
  readonly written: WrittenRow;
  readonly parts: readonly Part[];
  readonly places: Placed;
  readonly items: number;
  /** Parts with an operation of the circle. */
  readonly onCircle: readonly boolean[];
}

interface Move {
  readonly row: Row;
  readonly from: number;
  /** Before this part; the number of parts for the end. */
  readonly to: number;
  readonly places: Placed;
}

interface Found {
  readonly moves: readonly Move[];
  readonly seconds: number;
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
    const onCircle = parts.map(({ operations }) =>
      operations.some((each, index) => each.some((operation) => steps.has(nameOf(operation, written.devices[index])))),
    );
    return onCircle.includes(true) ? [{ written, parts, places: placesOf(parts, items), items, onCircle }] : [];
  });
}

/** Every move of one part, if the row is short; otherwise of the parts on the circle. */
function* movesOf(row: Row, work: { readonly left: number }, onCircle = false): Generator<Move> {
  const { parts, items } = row;
  const few = !onCircle && parts.length * parts.length <= 4_000 && work.left > 0;
  for (let from = 0; from < parts.length; from += 1) {
    if (!few && !row.onCircle[from]) continue;
    for (let to = 0; to <= parts.length; to += 1) {
      if (to === from || to === from + 1) continue;
      // Between parts that are not on the circle it makes no difference to the circle.
      if (!few && !(row.onCircle[to] ?? true) && !(row.onCircle[to - 1] ?? false)) continue;
      yield { row, from, to, places: moved(parts, items, from, to) };
    }
  }
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
  return [{ moves, seconds, distance: moves.reduce((sum, { from, to }) => sum + Math.abs(to - from), 0) }];
}

/** Two moves in different rows. */
function pairs(rows: readonly Row[], rowed: Rowed, work: { left: number }): readonly Found[] {
  const all = rows.map((row) => [...movesOf(row, work, true)]);
  const out: Found[] = [];
  for (const [index, firsts] of all.entries())
    for (const seconds of all.slice(index + 1))
      for (const first of firsts)
        for (const second of seconds) {
          if (work.left < 0) return out;
          out.push(...timed(rowed, [first, second], work));
        }
  return out;
}

/** `Move B[1] before F[0] in row(0)`. */
function words({ row, from, to }: Move, verb: string): string {
  const { parts, written } = row;
  const [parameter] = written.entry.parameters ?? [];
  const device =
    parameter?.kind === 'quantity' ? String(parameter.value) : parameter?.kind === 'name' ? parameter.text : '';
  const place = to < parts.length ? `before ${parts[to].text}` : `after ${parts[parts.length - 1].text}`;
  return `${verb} ${parts[from].text} ${place} in row(${device})`;
}
