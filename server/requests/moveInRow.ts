/** Moves operations within the row of a device, and writes the row out for the shape on show. */
import { apply, type Edit } from '../../engine/fixes/proposal.ts';
import { withEntry } from '../../engine/fixes/repairs/edits.ts';
import { rowText } from '../../engine/fixes/rowText.ts';
import { entriesOf } from '../../engine/fixes/source.ts';
import type { PipelinePlan, RowItem } from '../../engine/values/plan.ts';
import { generate } from '../../engine/schedule/generate.ts';
import { rowItems } from '../../engine/schedule/rowItems.ts';
import { misplaced, validate } from '../../engine/schedule/validate.ts';
import { count } from '../../engine/basics/quantities.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { type Block, type Entry, parse, type SyntaxFile } from '../../grammar/index.ts';
import type { MovedInRow, MoveInRowAnswer, MoveInRowRequest, PlanRequest } from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';
import { triedResolution } from './plan.ts';
import { shownSchedules } from './shownSchedules.ts';

/** A longer row would be a wall of text. */
const mostWritten = 4_000;

/** Null where the pipeline has no such operation, or its order is not rows of this file. */
export function moveInRow(view: View, request: MoveInRowRequest, searches: Searches): MoveInRowAnswer | null {
  const { pipeline, device, moves, overrides } = request;
  const plan = planNamed(view, pipeline, { overrides }, searches);
  const schedule = plan?.schedule;
  const body = schedule === undefined ? undefined : scheduleBody(view.syntax, schedule.name);
  if (plan === undefined || schedule?.kind !== 'rows' || body === undefined) return null;
  if (entriesOf(body, 'row').length === 0 || schedule.rows[device] === undefined) return null;
  const shape = `${count(plan.devices.length, 'device', 'devices')} and ${count(plan.microbatches, 'microbatch', 'microbatches')}`;
  const row = rowItems(schedule.rows[device]);
  const refused = whyNot(plan, schedule, row);
  const after = refused === undefined ? moved(row, moves) : undefined;
  if (refused === undefined && after === undefined) return null;
  const named = plan.placement.filter((each) => each === device).length > 1;
  const text = after === undefined ? '' : `row(${device}) = ${rowText(after, named)}`;
  const edit = after === undefined ? undefined : rowEdit(view.syntax, body, device, text);
  const version = view.version;
  if (edit === undefined)
    return { version, text, note: '', problem: refused ?? 'The block of the schedule is not closed.' };
  const tooLong =
    text.length > mostWritten ? `the row would have ${text.length.toLocaleString('en-US')} characters` : undefined;
  const problem = tooLong ?? problemAfter(view, edit, request, searches);
  return {
    version,
    text,
    note: `Writes row(${device}) out for ${shape}. Other shapes then need another row(${device}).`,
    edit: { range: rangeIn(view, edit), newText: edit.text },
    ...(problem === undefined ? {} : { problem }),
  };
}

function planNamed(
  view: View,
  name: string,
  tried: Pick<PlanRequest, 'overrides' | 'trial'>,
  searches: Searches,
): PipelinePlan | undefined {
  const resolution = triedResolution(view, tried, searches);
  const found = resolution.plan.pipelines.find((plan) => plan.name === name);
  return found ?? shownSchedules(view, resolution, tried.overrides ?? {}).plans.find((plan) => plan.name === name);
}

function scheduleBody(syntax: SyntaxFile, name: string): Block | undefined {
  for (const declaration of syntax.declarations)
    if (declaration.kind === 'block' && declaration.keyword.text === 'schedule' && declaration.name?.text === name)
      return declaration.body;
  return undefined;
}

/** Orders that a row written out could not say. */
function whyNot(
  { stages }: PipelinePlan,
  { rows, operations }: Extract<PipelinePlan['schedule'], { kind: 'rows' }>,
  row: readonly RowItem[],
): string | undefined {
  if (rows.some(({ slots }) => slots !== undefined)) return 'the slots of this schedule decide; change them';
  if (stages.some(({ copy }) => copy !== undefined))
    return 'its stages have copies or parts; move its operations in the text';
  if (operations !== undefined) return 'it has operations that the schedule declares; move them in the text';
  if (row.some(({ fusedWithNext }) => fusedWithNext === true))
    return 'the row has fused operations; move them in the text';
  return undefined;
}

/** The row after all moves; undefined where it has no such operation. */
function moved(row: readonly RowItem[], moves: readonly MovedInRow[]): readonly RowItem[] | undefined {
  let now = row;
  for (const { kind, stage, microbatch, to } of moves) {
    const from = now.findIndex((item) => item.op === kind && item.stage === stage && item.microbatch === microbatch);
    if (from < 0) return undefined;
    now = now.toSpliced(from, 1).toSpliced(Math.max(0, Math.min(now.length - 1, to)), 0, now[from]);
  }
  return now;
}

/** In place of the device's own row, or as a new entry behind the last row. */
function rowEdit({ text }: SyntaxFile, body: Block, device: number, written: string): Edit | undefined {
  const own = entriesOf(body, 'row').find(
    ({ parameters }) => parameters?.[0]?.kind === 'quantity' && parameters[0].value === device,
  );
  return own === undefined ? withEntry(text, body, written) : replacedEntry(own, written);
}

const replacedEntry = ({ start, end }: Entry, text: string): Edit => ({ start, end, text });

/** What is wrong with the order after the edit. */
function problemAfter(
  view: View,
  edit: Edit,
  { pipeline, overrides }: MoveInRowRequest,
  searches: Searches,
): string | undefined {
  const trial = { version: view.version, edits: [{ range: rangeIn(view, edit), newText: edit.text }] };
  const plan = planNamed(view, pipeline, { overrides, trial }, searches);
  if (plan === undefined) {
    const tried = parse(apply(view.syntax.text, [edit]), { size: view.options.limits.fileSize, faults: 1 });
    return tried.errors[0]?.message ?? 'it has no order then';
  }
  const generated = generate(plan);
  const faults =
    'faults' in generated
      ? generated.faults
      : [...misplaced(generated.program, plan), ...validate(generated.program, plan)];
  return faults[0]?.message;
}
