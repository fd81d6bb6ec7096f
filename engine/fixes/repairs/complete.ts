/** The missing operations of rows, written where a greedy order runs them. */
import type { Analysis } from '../../flow/check.ts';
import type { PipelinePlan, RowItem } from '../../values/plan.ts';
import { addedItem } from '../../schedule/addedItem.ts';
import { completionOf } from '../../schedule/complete.ts';
import { rowItems } from '../../schedule/rowItems.ts';
import type { Edit } from '../proposal.ts';
import { indentOf, lineBreak } from '../source.ts';
import { inserted } from './edits.ts';
import { editsOf, follows, type Part, partsOf, placesOf, type Rowed, rowedAt, type WrittenRow } from './rowParts.ts';
import { continues, groupText, sequenceGroups, sequenceText } from './sequenceText.ts';
import { writtenOperation } from './writtenOperation.ts';

/** Characters of a change at most: nobody reads more. */
const longestChange = 6_000;

export interface WrittenCompletion {
  readonly edits: readonly (Edit | undefined)[];
  /** Operations that are added. */
  readonly count: number;
}

/** Undefined where nothing is missing, where no order runs, or where the rows are too long to be written. */
export function writtenCompletion(analysis: Analysis, pipeline: string): WrittenCompletion | undefined {
  const { syntax } = analysis;
  const plan = analysis.pipelines.find((each) => each.plan.name === pipeline)?.plan;
  const found = plan === undefined ? undefined : completionOf(plan);
  if (plan === undefined || found === undefined || found === 'stuck') return undefined;
  const block = syntax.declarations.find(
    (each) => each.kind === 'block' && each.keyword.text === 'schedule' && each.name?.text === plan.schedule.name,
  );
  const rowed = block === undefined ? undefined : rowedAt(analysis, block.start).find((each) => each.plan === plan);
  if (rowed === undefined) return undefined;
  const names = plan.schedule.kind === 'rows' ? plan.schedule.operations?.names : undefined;
  const rows = found.rows.map((row) => rowItems(row, names));
  const edits = rowed.entries.flatMap((entry) => {
    const lacking = entry.devices.filter((device) => rows[device].some(isAdded));
    if (lacking.length === 0) return [];
    return isSingle(entry)
      ? inOwnRow(syntax, rowed, entry, rows[entry.devices[0]])
      : inGeneralRow(analysis, rowed, entry, rows, lacking);
  });
  const size = edits.reduce((sum, edit) => sum + (edit?.text.length ?? 0), 0);
  return edits.length === 0 || size > longestChange ? undefined : { edits, count: found.count };
}

const isAdded = ({ item }: RowItem): boolean => item === addedItem;

/** `row(0)`. */
const isSingle = ({ entry }: WrittenRow): boolean => entry.parameters?.[0]?.kind === 'quantity';

/** Between the items of a row for one device; all of the row is written anew where an operation belongs inside an item. */
function inOwnRow(
  syntax: Analysis['syntax'],
  rowed: Rowed,
  written: WrittenRow,
  row: readonly RowItem[],
): readonly (Edit | undefined)[] {
  const values = written.entry.values ?? [];
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return [undefined];
  const whole: Edit = {
    start: first.start,
    end: last.end,
    text: sequenceText(row.map(writtenOperation(rowed.plan))),
  };
  const isFused = row.some(({ fusedWithNext }) => fusedWithNext === true);
  const kept = row.every(isAdded) ? undefined : between(syntax, rowed, written, row);
  return kept ?? [isFused ? undefined : whole];
}

/** Undefined where an operation belongs inside an item. */
function between(
  syntax: Analysis['syntax'],
  rowed: Rowed,
  written: WrittenRow,
  row: readonly RowItem[],
): readonly (Edit | undefined)[] | undefined {
  const before = partsOf(syntax, rowed, written);
  const items = written.entry.values?.length ?? 0;
  const after: Part[] = [];
  let next = 0;
  let inside = 0;
  for (let at = 0; at < row.length;) {
    if (isAdded(row[at])) {
      let end = at;
      while (end < row.length && isAdded(row[end])) end += 1;
      if (inside > 0) return undefined;
      after.push(...addedParts(rowed.plan, row.slice(at, end), before[next]?.item ?? items - 1, after.at(-1)));
      at = end;
      continue;
    }
    while (before[next]?.operations[0].length === 0) after.push(before[next++]);
    const part = before[next];
    if (part === undefined) return undefined;
    inside += 1;
    at += 1;
    if (inside < part.operations[0].length) continue;
    after.push(part);
    next += 1;
    inside = 0;
  }
  return editsOf(syntax, written, placesOf(before, items), placesOf([...after, ...before.slice(next)], items));
}

/** Ranges in parts, so that they join those next to them; what is zipped is one part. `item`: of the part behind them. */
function addedParts(
  plan: PipelinePlan,
  added: readonly RowItem[],
  item: number,
  before: Part | undefined,
): readonly Part[] {
  const groups = sequenceGroups(added.map(writtenOperation(plan)));
  const { run } = before ?? {};
  let next = 0;
  return groups.flatMap((group, index): readonly Part[] => {
    const rest = added.slice(next, (next += group.operations.length));
    const [first] = group.operations;
    if (!group.operations.every((each, distance) => continues(first, each, distance)))
      return [{ text: groupText(group), item, operations: [rest] }];
    const goesOn = index === 0 && run !== undefined && continues(run, first, 1);
    return group.operations.map((each, distance) => ({
      text: `${each.head}${each.microbatch}${each.tail}`,
      item: goesOn ? (before?.item ?? item) : item,
      operations: [[rest[distance]]],
      run: each,
    }));
  });
}

/** The same text at the end of a row for all devices; otherwise a row for each device that lacks operations. */
function inGeneralRow(
  { syntax }: Analysis,
  rowed: Rowed,
  row: WrittenRow,
  rows: readonly (readonly RowItem[])[],
  lacking: readonly number[],
): readonly (Edit | undefined)[] {
  const { plan } = rowed;
  const { entry, devices } = row;
  const values = entry.values ?? [];
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return [undefined];
  const written = writtenOperation(plan);
  const ends = devices.map((device) => {
    const start = rows[device].findIndex(isAdded);
    const rest = start < 0 ? [] : rows[device].slice(start);
    return rest.every(isAdded) ? sequenceText(rest.map(written), plan.microbatches * plan.iterations) : undefined;
  });
  const [end] = ends;
  if (end !== undefined && end !== '' && ends.every((each) => each === end)) {
    if (devices.every((device) => rows[device].every(isAdded)))
      return [{ start: first.start, end: last.end, text: end }];
    return atEnd(syntax, rowed, row, rows[devices[0]].filter(isAdded)) ?? [inserted(last.end, `, ${end}`)];
  }
  if (lacking.some((device) => rows[device].some(({ fusedWithNext }) => fusedWithNext === true))) return [undefined];
  const indent = `${lineBreak(syntax.text)}${indentOf(syntax.text, entry.start)}`;
  const added = lacking.map((device) => `row(${device}) = ${sequenceText(rows[device].map(written))}${indent}`);
  return [inserted(entry.start, added.join(''))];
}

/** Undefined where the operations do not go on where the last ones of the row end. */
function atEnd(
  syntax: Analysis['syntax'],
  rowed: Rowed,
  written: WrittenRow,
  added: readonly RowItem[],
): readonly (Edit | undefined)[] | undefined {
  const items = written.entry.values?.length ?? 0;
  const parts = partsOf(syntax, rowed, written);
  const last = parts.at(-1);
  const more = addedParts(rowed.plan, added, items - 1, last);
  if (last?.run === undefined || !follows(more[0], last.run, 1)) return undefined;
  return editsOf(syntax, written, placesOf(parts, items), placesOf([...parts, ...more], items));
}
