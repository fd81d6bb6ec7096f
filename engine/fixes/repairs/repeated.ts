import { parametersOf } from '../../findings/finding.ts';
import type { RowItem } from '../../values/plan.ts';
import { letters } from '../../values/program.ts';
import { withoutItem, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { editsOf, type Part, partsOf, placesOf, rowedAt } from './rowParts.ts';
import { countingFromZero, endingBefore } from './scheduleSlips.ts';
import { siteAt } from './site.ts';

/** The row without the operations that it has already, or that cannot be there. */
export const scheduleRepeated: Repairer = { repairs };

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const operation = parametersOf(finding, 'schedule/repeated')?.operation ?? '';
  const { entry } = siteAt(syntax, finding.place.start);
  const values = entry?.values ?? [];
  const at = values.findIndex((value) => value.start <= finding.place.start && finding.place.end <= value.end);
  if (entry === undefined) return;
  yield countingFromZero(entry);
  yield endingBefore(entry);
  for (const rowed of rowedAt(analysis, finding.place.start)) {
    const written = rowed.entries.find((row) => row.entry === entry);
    if (written === undefined) continue;
    const before = placesOf(partsOf(syntax, rowed, written), values.length);
    const seen = new Set<string>();
    const wrong = (part: Part): boolean =>
      part.operations.some((each, index) => each.some((one) => !isGood(rowed.plan, one, written.devices[index], seen)));
    const after = before.map((place) => place.filter((part) => !wrong(part)));
    const what = `Remove ${operation === '' ? 'what cannot be there' : operation}`;
    // Only in the written item that the finding is at: others have findings of their own.
    const here = before.map((place, item) => (item === at ? after[item] : place));
    if (at >= 0) yield { what: `${what} from the row`, edits: editsOf(syntax, written, before, here) };
    yield { what: 'Remove all such operations of the row', edits: editsOf(syntax, written, before, after), last: true };
  }
  if (at >= 0 && values.length > 1)
    yield { what: `Remove ${syntax.text.slice(values[at].start, values[at].end)}`, edits: [withoutItem(values, at)] };
  yield { what: 'Remove the row', edits: [withoutNode(syntax, entry)], last: true };
}

/** Whether an operation is one that the device runs, and is there for the first time. `seen` takes what was good so far. */
function isGood(
  plan: Parameters<typeof partsOf>[1]['plan'],
  { op, stage, microbatch }: RowItem,
  device: number,
  seen: Set<string>,
): boolean {
  // The name of an operation that the schedule declares.
  const isDeclared = !(letters as readonly string[]).includes(op);
  const clashes = op === 'B' ? ['B', 'I', 'W'] : op === 'F' || isDeclared ? [op] : [op, 'B'];
  const fits = plan.placement[stage] === device && microbatch >= 0 && microbatch < plan.microbatches;
  if (!fits || clashes.some((other) => seen.has(`${other} ${stage} ${microbatch}`))) return false;
  seen.add(`${op} ${stage} ${microbatch}`);
  return true;
}
