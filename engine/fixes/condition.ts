/** The condition that separates shapes which a schedule can take from those which it cannot, written into the schedule. */
import type { Analysis } from '../flow/check.ts';
import type { Finding } from '../findings/finding.ts';
import { isClaim, shapesWith } from '../grid/testFindings.ts';
import type { Extremes } from '../grid/testSearch.ts';
import { count } from '../basics/quantities.ts';
import type { Again, FixSteps } from './proposal.ts';
import { apply, checkedAgain } from './proposal.ts';
import { otherBound } from './expectation.ts';
import { withEntry } from './repairs/edits.ts';
import type { Block } from '../../grammar/syntax.ts';
import type { Repair } from './repairs/repair.ts';
import { addingToRows, countingFromZero, endingBefore, rowOfAll } from './repairs/scheduleSlips.ts';

export function* conditionFixes(analysis: Analysis, finding: Finding, schedule: string, again: Again): FixSteps {
  // A finding at a row names its test as related.
  const places = [finding.place, ...finding.related.map(({ place }) => place)];
  const tested = analysis.tests.find(
    ({ test, answer }) => test.name === schedule && places.some(({ start }) => start === answer.first?.at.start),
  );
  const { conditions, first, figures } = tested?.answer ?? {};
  const block = analysis.syntax.declarations.find(
    (each) => each.kind === 'block' && each.keyword.text === 'schedule' && each.name?.text === schedule,
  );
  const body = block?.kind === 'block' ? block.body : undefined;
  if (tested === undefined || first === undefined || body === undefined) return [];
  if (isClaim(first)) return yield* claimFixes(analysis, schedule, first.at.start, figures, again);
  for (const slip of slipsOf(finding, body)) {
    const edits = slip?.edits.filter((each) => each !== undefined) ?? [];
    if (slip === undefined || edits.length === 0) continue;
    yield;
    const { passed, failed } = testedAfter(yield* checkedAgain(again, apply(analysis.syntax.text, edits)), schedule);
    if (passed > 0 && failed === 0) return [{ title: `${slip.what}: ${passing(passed)}`, edits, preferred: true }];
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

/** The bound that holds for all shapes; the schedule itself runs as it is. */
function* claimFixes(
  analysis: Analysis,
  schedule: string,
  at: number,
  figures: Extremes | undefined,
  again: Again,
): FixSteps {
  if (figures === undefined) return [];
  const { operator, least, most } = figures;
  if (operator === '==' && least !== most) return [];
  const other = otherBound(analysis.syntax, at, { value: operator.startsWith('>') ? least : most, operator });
  if (other === undefined) return [];
  yield;
  const { passed } = testedAfter(yield* checkedAgain(again, apply(analysis.syntax.text, [other.edit])), schedule);
  return passed <= testedAfter(analysis, schedule).passed
    ? []
    : [{ title: `Expect what is true, ${other.condition}: ${passing(passed)}`, edits: [other.edit] }];
}

/** Changes of the text that may make all shapes pass, the most likely first. */
function* slipsOf({ code, message }: Finding, body: Block): Generator<Repair | undefined> {
  if (code === 'schedule/repeated') {
    yield countingFromZero(body);
    yield endingBefore(body);
  }
  if (code !== 'schedule/incomplete') return;
  yield rowOfAll(body);
  // The first operation that is missing: `0B0`.
  const [, letter] = /\b\d+([FBIW])\d/.exec(message) ?? [];
  const all = (kind: string): string => `${kind}[0..<microbatches]`;
  if (letter === 'B' || letter === 'W') yield addingToRows(body, all(letter));
  if (letter === 'I') yield addingToRows(body, `${all('I')}, ${all('W')}`);
}

const passing = (shapes: number): string => count(shapes, 'shape passes', 'shapes pass');

/** How many shapes of a test pass, fail and are refused in a changed file. */
function testedAfter({ tests }: Analysis, schedule: string) {
  const answer = tests.find(({ test }) => test.name === schedule)?.answer;
  const verdicts = (verdict: Parameters<typeof shapesWith>[1]): number =>
    answer === undefined ? 0 : shapesWith(answer, verdict).length;
  return { passed: verdicts('passed'), failed: verdicts('failed'), refused: verdicts('refused') };
}
