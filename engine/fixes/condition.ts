/** The condition that separates shapes which a schedule can take from those which it cannot, written into the schedule. */
import type { Analysis } from '../flow/check.ts';
import type { Finding } from '../findings/finding.ts';
import { shapesWith } from '../grid/testFindings.ts';
import { count } from '../basics/quantities.ts';
import type { Again, FixSteps } from './proposal.ts';
import { apply, checkedAgain } from './proposal.ts';
import { withEntry } from './repairs/edits.ts';
import { endingBefore, rowOfAll } from './repairs/scheduleSlips.ts';

export function* conditionFixes(analysis: Analysis, finding: Finding, schedule: string, again: Again): FixSteps {
  const tested = analysis.tests.find(
    ({ test, answer }) => test.name === schedule && answer.first?.at.start === finding.place.start,
  );
  const conditions = tested?.answer.conditions;
  const block = analysis.syntax.declarations.find(
    (each) => each.kind === 'block' && each.keyword.text === 'schedule' && each.name?.text === schedule,
  );
  const body = block?.kind === 'block' ? block.body : undefined;
  if (tested === undefined || body === undefined) return [];
  const slip =
    finding.code === 'schedule/repeated'
      ? endingBefore(body)
      : finding.code === 'schedule/incomplete'
        ? rowOfAll(body)
        : undefined;
  const slipEdits = slip?.edits.filter((each) => each !== undefined) ?? [];
  if (slip !== undefined) {
    yield;
    const { passed, failed } = testedAfter(
      yield* checkedAgain(again, apply(analysis.syntax.text, slipEdits)),
      schedule,
    );
    if (passed > 0 && failed === 0)
      return [{ title: `${slip.what}: ${passing(passed)}`, edits: slipEdits, preferred: true }];
  }
  if (conditions === undefined) return [];
  const entry = conditions.map((text) => `require ${text}`).join('  ');
  const edit = withEntry(analysis.syntax.text, body, entry);
  if (edit === undefined) return [];
  const edits = [edit];
  yield;
  const { passed, failed, refused } = testedAfter(
    yield* checkedAgain(again, apply(analysis.syntax.text, edits)),
    schedule,
  );
  if (failed > 0 || passed + refused === 0) return [];
  const effect = `${passing(passed)}, ${count(refused, 'is refused', 'are refused')}`;
  return [{ title: `Require ${conditions.join(' and ')}: ${effect}`, edits, preferred: true }];
}

const passing = (shapes: number): string => count(shapes, 'shape passes', 'shapes pass');

/** How many shapes of a test pass, fail and are refused in a changed file. */
function testedAfter({ tests }: Analysis, schedule: string) {
  const answer = tests.find(({ test }) => test.name === schedule)?.answer;
  const verdicts = (verdict: Parameters<typeof shapesWith>[1]): number =>
    answer === undefined ? 0 : shapesWith(answer, verdict).length;
  return { passed: verdicts('passed'), failed: verdicts('failed'), refused: verdicts('refused') };
}
