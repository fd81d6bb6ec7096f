/** The row of a schedule as parts that can be moved one by one, and edits that move them. */
import type { Entry, Expression, SyntaxFile } from '../../../grammar/syntax.ts';
import type { Analysis } from '../../flow/check.ts';
import type { PipelinePlan, RowItem } from '../../values/plan.ts';
import type { Edit } from '../proposal.ts';
import { rowItems } from '../../schedule/rowItems.ts';
import { entriesOf } from '../source.ts';
import { replaced, withoutItem } from './edits.ts';
import { continues, type Written } from './sequenceText.ts';

/** A pipeline whose schedule is rows of this file. */
export interface Rowed {
  readonly plan: PipelinePlan;
  readonly rows: readonly (readonly RowItem[])[];
  readonly entries: readonly WrittenRow[];
}

/** A `row(0)` with its device, or a `row(d)` with all devices that have no other. */
export interface WrittenRow {
  readonly entry: Entry;
  readonly devices: readonly number[];
}

/** Something that moves as a whole: a written item, or one operation of a written range. */
export interface Part {
  readonly text: string;
  /** Index of the written item that it is in. */
  readonly item: number;
  /** Its operations in the row of each device of the entry. */
  readonly operations: readonly (readonly RowItem[])[];
  /** Of a plain microbatch, or one of a range: what is around the number, so that neighbours are written as one range. */
  readonly run?: Written;
}

/** Pipelines with the row entry around `offset`. */
export function rowedAt({ syntax, pipelines }: Analysis, offset: number): readonly Rowed[] {
  const block = syntax.declarations.find(
    (each) => each.kind === 'block' && each.keyword.text === 'schedule' && each.start <= offset && offset <= each.end,
  );
  if (block?.kind !== 'block' || block.body === undefined) return [];
  const written = entriesOf(block.body, 'row');
  return pipelines.flatMap(({ plan }) => {
    const { schedule } = plan;
    if (schedule.kind !== 'rows' || schedule.name !== block.name?.text) return [];
    // An operation of the schedule belongs to a stage, not to a part of it.
    const names = schedule.operations?.names;
    if (names !== undefined && plan.stages.some(({ copy }) => (copy?.segments ?? 1) > 1)) return [];
    const devices = schedule.rows.map((_, device) => device);
    const single = new Map<number, Entry>();
    for (const entry of written) {
      const [device] = entry.parameters ?? [];
      if (device?.kind === 'quantity' && !single.has(device.value)) single.set(device.value, entry);
    }
    const general = written.find(({ parameters = [] }) => parameters[0]?.kind === 'name');
    const entries: WrittenRow[] = [...single].map(([device, entry]) => ({ entry, devices: [device] }));
    const others = devices.filter((device) => !single.has(device));
    if (general !== undefined && others.length > 0) entries.push({ entry: general, devices: others });
    return [{ plan, rows: schedule.rows.map((row) => rowItems(row, names)), entries }];
  });
}

const mostOfRange = 256;

/** The parts of a row in order. */
export function partsOf({ text }: SyntaxFile, { rows }: Rowed, { entry, devices }: WrittenRow): readonly Part[] {
  return (entry.values ?? []).flatMap((value, item): readonly Part[] => {
    const operations = devices.map((device) => (rows[device] ?? []).filter((operation) => operation.item === item));
    const around = aroundNumber(text, value);
    const [first] = operations;
    const splits =
      around !== undefined &&
      first !== undefined &&
      first.length > 0 &&
      first.length <= mostOfRange &&
      operations.every(
        (each) => each.length === first.length && each.every(({ fusedWithNext }) => fusedWithNext !== true),
      );
    const whole = text.slice(value.start, value.end);
    if (!splits) return [{ text: whole, item, operations }];
    return first.map((operation, index) => {
      const run = { ...around, microbatch: operation.microbatch };
      return {
        text: first.length === 1 ? whole : `${run.head}${run.microbatch}${run.tail}`,
        item,
        operations: operations.map((each) => [each[index]]),
        run,
      };
    });
  });
}

/** `F[3]` or `F[0..3]` with plain numbers: `F[` and what follows them. */
function aroundNumber(text: string, value: Expression): Omit<Written, 'microbatch'> | undefined {
  if (value.kind !== 'index') return undefined;
  const range = value.arguments[0]?.value;
  const number = range?.kind === 'range' ? range.from : range;
  if (range === undefined || number?.kind !== 'quantity') return undefined;
  // Parts of a sequence are more operations than microbatches.
  if (value.arguments.some((argument) => argument.name?.text === 'part' && argument.value.kind === 'range'))
    return undefined;
  return { head: text.slice(value.start, range.start), tail: text.slice(range.end, value.end) };
}

/** Parts in their places: for each written item the parts that take its place. */
export type Placed = readonly (readonly Part[])[];

export const placesOf = (parts: readonly Part[], items: number): Placed =>
  Array.from({ length: items }, (_, item) => parts.filter((part) => part.item === item));

/** Moves parts that follow each other before the part `to`; without one, to the end. */
export function moved(places: Placed, parts: readonly Part[], to: Part | undefined): Placed {
  const left = places.map((place) => place.filter((each) => !parts.includes(each)));
  const target = to === undefined ? places.length - 1 : places.findIndex((place) => place.includes(to));
  const at = to === undefined ? left[target].length : left[target].indexOf(to);
  return left.with(target, left[target].toSpliced(at, 0, ...parts));
}

/** The operations of each device of the entry, in the order of the places. */
export const operationsOf = (places: Placed, devices: number): readonly (readonly RowItem[])[] =>
  Array.from({ length: devices }, (_, index) => places.flat().flatMap(({ operations }) => operations[index] ?? []));

/**
 * Edits of the written items whose parts are others now. Items that keep theirs are left alone, with the comments around them, unless one
 * range can be written for them and for what is now next to them.
 */
export function editsOf(
  { text }: SyntaxFile,
  { entry }: WrittenRow,
  before: Placed,
  wanted: Placed,
): readonly (Edit | undefined)[] {
  const values = entry.values ?? [];
  const after = gathered(text, values, before, wanted);
  return after.flatMap((place, item) => {
    const value = values[item];
    if (isSame(place, before[item]) || value === undefined) return [];
    if (place.length === 0) {
      // Items at the end go as one edit: each alone would take the comma before it, which the edit of the item before takes too.
      const isTail = item > 0 && after.slice(item).every(({ length }) => length === 0);
      if (!isTail) return [withoutItem(values, item)];
      return after[item - 1].length === 0
        ? []
        : [{ start: values[item - 1].end, end: values[values.length - 1].end, text: '' }];
    }
    const kept = before[item].length === 1 && place.includes(before[item][0]);
    const written = joined(place).join(', ');
    // What stays as it was written is not written again.
    if (kept && text.slice(value.start, value.end) === written) return [];
    return [replaced(value, written)];
  });
}

const isSame = (place: readonly Part[], other: readonly Part[]): boolean =>
  place.length === other.length && place.every((part, index) => part === other[index]);

/** A place takes over what follows it in the next one, if one of them has changed and there is no comment between them. */
function gathered(text: string, values: readonly Expression[], before: Placed, wanted: Placed): Placed {
  const after = wanted.map((place) => [...place]);
  const isPlain = (item: number): boolean => /^\s*,\s*$/u.test(text.slice(values[item].end, values[item + 1].start));
  let last: number | undefined;
  let hasChanged = false;
  let isAlone = true;
  for (const [item, place] of after.entries()) {
    hasChanged ||= !isSame(wanted[item], before[item]);
    isAlone &&= item === 0 || isPlain(item - 1);
    while (last !== undefined && hasChanged && isAlone && place.length > 0) {
      const run = after[last].at(-1)?.run;
      if (run === undefined || !follows(place[0], run, 1)) break;
      after[last].push(...place.splice(0, 1));
    }
    if (place.length === 0) continue;
    last = item;
    hasChanged = !isSame(wanted[item], before[item]);
    isAlone = true;
  }
  return after;
}

/** Texts of parts; neighbours of one run together. */
export function joined(parts: readonly Part[]): readonly string[] {
  const out: string[] = [];
  for (let at = 0; at < parts.length;) {
    const { run, text } = parts[at];
    let end = at + 1;
    while (run !== undefined && end < parts.length && follows(parts[end], run, end - at)) end += 1;
    out.push(
      run === undefined || end === at + 1
        ? text
        : `${run.head}${run.microbatch}..${run.microbatch + end - at - 1}${run.tail}`,
    );
    at = end;
  }
  return out;
}

export const follows = ({ run }: Pick<Part, 'run'>, first: Written, distance: number): boolean =>
  run !== undefined && continues(first, run, distance);
