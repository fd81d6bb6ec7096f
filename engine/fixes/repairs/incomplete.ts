import { table } from '../../basics/table.ts';
import { count } from '../../basics/quantities.ts';
import type { OperationLetter, PipelinePlan, RowItem } from '../../values/plan.ts';
import { writtenCompletion } from './complete.ts';
import { withEntry } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { editsOf, type Part, partsOf, placesOf, type Rowed, rowedAt, type WrittenRow } from './rowParts.ts';
import { secondsOf, sizeOf } from './rowRun.ts';
import { writtenOperation } from './writtenOperation.ts';

/** The missing operations in the places of the row where they run earliest; a row for a device that has none. */
export const scheduleIncomplete: Repairer = { repairs, ranked: 'figures', most: 2 };

const mostMissing = 64;
const mostPlaces = 12;
const budget = 20_000_000;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const offset = finding.place.start;
  const [rowed] = rowedAt(analysis, offset);
  if (rowed === undefined) return;
  const { plan, entries } = rowed;
  const devices = plan.devices.flatMap(({ name }, device) =>
    finding.message.includes(`row of ${name} `) ? [device] : [],
  );
  for (const device of devices) {
    const written = entries.find((each) => each.devices.includes(device));
    const missing = missingOn(rowed, device);
    if (missing.length === 0) continue;
    if (written === undefined || (rowed.rows[device]?.length ?? 0) === 0) {
      yield wholeRow(analysis, rowed, device);
      continue;
    }
    if (missing.length > mostMissing) continue;
    if (written.devices.length === 1) yield placed(syntax, rowed, written, device, missing);
    else yield* everywhere(syntax, rowed, written, missing);
  }
  const whole = writtenCompletion(analysis, plan.name);
  if (whole !== undefined)
    yield { what: `Write the ${count(whole.count, 'missing operation', 'missing operations')}`, edits: whole.edits };
}

/** What the row of a device lacks, forwards first. */
function missingOn({ plan, rows }: Rowed, device: number): readonly RowItem[] {
  const row = rows[device] ?? [];
  const has = new Set(row.map(({ op, stage, microbatch }) => `${op} ${stage} ${microbatch}`));
  const out: RowItem[] = [];
  for (const stage of plan.stages.keys()) {
    if (plan.placement[stage] !== device || plan.stages[stage].copy !== undefined) continue;
    const split = row.some((each) => each.stage === stage && (each.op === 'I' || each.op === 'W'));
    const backward: readonly OperationLetter[] = split ? ['I', 'W'] : ['B'];
    const letters: readonly OperationLetter[] = ['F', ...backward];
    for (const op of letters)
      for (let microbatch = 0; microbatch < plan.microbatches; microbatch += 1)
        if (!has.has(`${op} ${stage} ${microbatch}`)) out.push({ op, stage, microbatch, item: -1 });
    // What has been sent away must come back.
    for (const { op, stage: of, microbatch } of row)
      if (op === 'E' && of === stage && !has.has(`L ${stage} ${microbatch}`))
        out.push({ op: 'L', stage, microbatch, item: -1 });
  }
  return out;
}

/** All operations as late as the order within the row allows, then each where the rows end first. */
function placed(
  syntax: Parameters<typeof partsOf>[0],
  rowed: Rowed,
  written: WrittenRow,
  device: number,
  missing: readonly RowItem[],
): Repair | undefined {
  const { plan } = rowed;
  const before = partsOf(syntax, rowed, written);
  const items = written.entry.values?.length ?? 0;
  const partOf = (operation: RowItem, item: number): Part => partNamed(plan, operation, item, [[operation]]);
  // Rows of other devices may lack operations too.
  const rows = rowed.rows.map((row, other) => (other === device ? row : completed(row, missingOn(rowed, other))));
  const rowOf = (parts: readonly Part[]) => parts.flatMap(({ operations }) => operations[0]);
  let parts: readonly Part[] = before;
  for (const operation of missing) {
    const at = latest(rowOf(parts), operation);
    // Items of several operations are one part, so positions of parts are counted.
    const index = positionOf(parts, at);
    parts = parts.toSpliced(index, 0, partOf(operation, parts[index]?.item ?? items - 1));
  }
  let left = budget;
  let least = secondsOf(plan, rows.with(device, rowOf(parts))) ?? Infinity;
  for (const operation of missing) {
    const rest = parts.filter(({ operations }) => operations[0][0] !== operation);
    for (let at = rest.length; at >= 0; at -= 1) {
      const candidate = rest.toSpliced(at, 0, partOf(operation, rest[at]?.item ?? items - 1));
      if (!keepsOrder(candidate, at, operation)) continue;
      left -= sizeOf(rows);
      const seconds = left < 0 ? undefined : secondsOf(plan, rows.with(device, rowOf(candidate)));
      if (seconds === undefined || seconds >= least) continue;
      least = seconds;
      parts = candidate;
    }
  }
  return {
    what: `Add ${labelOf(plan, missing)} to the row of ${plan.devices[device].name}`,
    edits: editsOf(syntax, written, placesOf(before, items), placesOf(parts, items)),
  };
}

/** A row with operations added, each as late as the order within the row allows. */
const completed = (row: readonly RowItem[], missing: readonly RowItem[]): readonly RowItem[] =>
  missing.reduce((now, operation) => now.toSpliced(latest(now, operation), 0, operation), row);

/** Before the first operation that has to come after it; at the end if none has. */
function latest(row: readonly RowItem[], added: RowItem): number {
  const at = row.findIndex((other) => other.stage === added.stage && comesBefore(added, other) === true);
  return at < 0 ? row.length : at;
}

/** Index of the part that holds the operation at a position of the row. */
function positionOf(parts: readonly Part[], position: number): number {
  let passed = 0;
  for (const [index, { operations }] of parts.entries()) {
    if (passed + operations[0].length > position) return index;
    passed += operations[0].length;
  }
  return parts.length;
}

/** Operations of the schedule have no rank: what they wait for is not known here. */
const rank: Readonly<Record<string, number | undefined>> = table({ F: 0, E: 1, L: 2, R: 3, B: 4, I: 4, W: 5, U: 6 });

/** Whether one operation of a stage has to come before another; undefined where it makes no difference. */
function comesBefore(a: RowItem, b: RowItem): boolean | undefined {
  const [first, second] = [rank[a.op], rank[b.op]];
  if (first === undefined || second === undefined) return undefined;
  if (a.microbatch === b.microbatch) return first === second ? undefined : first < second;
  return a.op === b.op ? a.microbatch < b.microbatch : undefined;
}

/** A forward comes before its backward, and microbatches of one kind in their order. */
const keepsOrder = (parts: readonly Part[], at: number, added: RowItem): boolean =>
  parts.every(({ operations }, index) =>
    (operations[0] ?? []).every((other) => {
      const before = index === at || other.stage !== added.stage ? undefined : comesBefore(added, other);
      return before === undefined || before === index > at;
    }),
  );

/** The same operations in a row for all devices: at its end, or before the first item where they run. */
function* everywhere(
  syntax: Parameters<typeof partsOf>[0],
  rowed: Rowed,
  written: WrittenRow,
  missing: readonly RowItem[],
): Generator<Repair> {
  const { plan } = rowed;
  const { entry } = written;
  const values = entry.values ?? [];
  if (values.length === 0) return;
  const what = `Add ${labelOf(plan, missing)} to the row of each device`;
  const before = partsOf(syntax, rowed, written);
  const places = placesOf(before, values.length);
  const added = (item: number) => missing.map((each) => partNamed(plan, each, item, []));
  const last = values.length - 1;
  yield { what, edits: editsOf(syntax, written, places, places.with(last, [...places[last], ...added(last)])) };
  for (const [item, place] of places.slice(0, mostPlaces).entries())
    yield { what, edits: editsOf(syntax, written, places, places.with(item, [...added(item), ...place])) };
}

const labelOf = (plan: PipelinePlan, missing: readonly RowItem[]): string =>
  missing.length > 3 ? `${missing.length} operations` : missing.map((each) => nameOf(plan, each)).join(', ');

function partNamed(plan: PipelinePlan, operation: RowItem, item: number, operations: Part['operations']): Part {
  return { text: nameOf(plan, operation), item, operations, run: writtenOperation(plan)(operation) };
}

/** `F[3]`, with its chunk or stage where the device has several. */
function nameOf(plan: PipelinePlan, operation: RowItem): string {
  const { head, microbatch, tail } = writtenOperation(plan)(operation);
  return `${head}${microbatch}${tail}`;
}

/** A row for a device: all forwards, then all backwards. */
function wholeRow({ syntax }: Mistake['analysis'], { plan, entries }: Rowed, device: number): Repair | undefined {
  const holder = entries.at(0)?.entry;
  const block = syntax.declarations.find(
    (each) => each.kind === 'block' && holder !== undefined && each.start <= holder.start && holder.end <= each.end,
  );
  if (block?.kind !== 'block' || block.body === undefined) return undefined;
  const all = plan.microbatches === 1 ? '0' : `0..${plan.microbatches - 1}`;
  const stages = [...plan.stages.keys()].filter((stage) => plan.placement[stage] === device);
  const named = (op: string, stage: number): string =>
    stages.length === 1 ? `${op}[${all}]` : `${op}[${all}, stage = ${stage}]`;
  const items = [...stages.map((stage) => named('F', stage)), ...stages.toReversed().map((stage) => named('B', stage))];
  const written = `row(${device}) = ${items.join(', ')}`;
  return { what: `Add ${written}`, edits: [withEntry(syntax.text, block.body, written)] };
}
