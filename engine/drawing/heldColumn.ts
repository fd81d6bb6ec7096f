/** A column at the right: how many microbatches each device holds at most, and the limit that the schedule sets. */
import { inFlightText, microbatchesInFlight } from '../analyze/inFlight.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { PipelineReport } from '../values/report.ts';
import { fontSize, type Sheet, yOf } from './sheet.ts';
import { points, xmlText } from './xml.ts';

/** `in_flight` of a schedule, or a `limit` in microbatches. */
function limitOf({ schedule }: PipelinePlan): number | undefined {
  if (schedule.kind !== 'policy') return undefined;
  const limit = schedule.args['in_flight'] ?? schedule.args['limit'];
  return typeof limit === 'number' ? limit : undefined;
}

/** What the column is, then a text for each device: `holds`, `3`, or `3 of 3` if there is a limit. */
export function heldTexts(plan: PipelinePlan, report: PipelineReport): readonly string[] {
  const limit = limitOf(plan);
  const most = limit === undefined ? '' : ` of ${inFlightText(limit)}`;
  return ['holds', ...report.devices.map((device) => `${inFlightText(microbatchesInFlight(device))}${most}`)];
}

/** The first text is under the others, at the height of the axis' title. */
export function* heldColumn(sheet: Sheet, [title, ...held]: readonly string[]): Generator<string> {
  if (title === undefined) return;
  const x = points(sheet.right + 4);
  yield '<g class="held">\n';
  for (let row = 0; row < sheet.rows; row += sheet.namesEvery)
    yield `<text x="${x}" y="${points(yOf(sheet, row) + sheet.row / 2 + fontSize * 0.36)}">${xmlText(held[row] ?? '')}</text>\n`;
  yield `<text x="${x}" y="${points(yOf(sheet, sheet.rows) + 23)}">${xmlText(title)}</text>\n</g>\n`;
}
