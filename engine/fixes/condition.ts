/** The condition that separates shapes which a schedule can take from those which it cannot, written into the schedule. */
import type { Analysis } from '../check.ts';
import type { Finding } from '../findings/finding.ts';
import { shapesWith } from '../grid/testFindings.ts';
import { count } from '../quantities.ts';
import type { Again, FixSteps } from './proposal.ts';
import { apply } from './proposal.ts';
import { withEntry } from './repairs/edits.ts';

export function* conditionFixes(analysis: Analysis, finding: Finding, schedule: string, again: Again): FixSteps {
  const tested = analysis.tests.find(
    ({ test, answer }) => test.name === schedule && answer.first?.at.start === finding.place.start,
  );
  const conditions = tested?.answer.conditions;
  const block = analysis.syntax.declarations.find(
    (each) => each.kind === 'block' && each.keyword.text === 'schedule' && each.name?.text === schedule,
  );
  const body = block?.kind === 'block' ? block.body : undefined;
  if (tested === undefined || conditions === undefined || body === undefined) return [];
  const entry = conditions.map((text) => `require ${text}`).join('  ');
  const edit = withEntry(analysis.syntax.text, body, entry);
  if (edit === undefined) return [];
  const edits = [edit];
  yield;
  const after = again(apply(analysis.syntax.text, edits)).tests.find(({ test }) => test.name === schedule);
  if (after === undefined || after.answer.first !== undefined) return [];
  const passed = shapesWith(after.answer, 'passed').length;
  const refused = shapesWith(after.answer, 'refused').length;
  const effect = `${count(passed, 'shape passes', 'shapes pass')}, ${count(refused, 'is refused', 'are refused')}`;
  return [{ title: `Require ${conditions.join(' and ')}: ${effect}`, edits, preferred: true }];
}
