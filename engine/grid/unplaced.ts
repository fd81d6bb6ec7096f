/**
 * The test of a schedule without the places of its texts in their files. So it stays the same, and is not run again, when something
 * else in these files changes.
 */
import type { ScheduleTest, TextPart } from '../definitions/scheduleTest.ts';
import type { Finding } from '../findings/finding.ts';
import type { Place } from '../values/plan.ts';
import type { TestAnswer } from './testSearch.ts';

/** From the start of one text to the start of the next: more than a text is long. */
const apart = 2 ** 30;

const partsOf = ({ expect, schedule, bases }: ScheduleTest): readonly TextPart[] => [expect, schedule, ...bases];

export function unplaced(test: ScheduleTest): ScheduleTest {
  const [expect, schedule, ...bases] = partsOf(test).map((part, index) => ({ ...part, start: index * apart }));
  return { ...test, expect, schedule, bases };
}

/** The answer to a test that `unplaced` gave, with places in the files of the test. */
export function placedAnswer(answer: TestAnswer, test: ScheduleTest): TestAnswer {
  const parts = partsOf(test);
  const placed = ({ uri, start, end }: Place): Place => {
    // Numbers that a text uses are declared in front of it.
    const index = Math.round(start / apart);
    // The text of a built-in schedule is no part of the test: its places are as they were.
    if (parts[index]?.uri !== uri) return { uri, start, end };
    const by = parts[index].start - index * apart;
    return { uri, start: start + by, end: end + by };
  };
  const related = <Mention extends { readonly place: Place }>(mentions: readonly Mention[]): readonly Mention[] =>
    mentions.map((mention) => ({ ...mention, place: placed(mention.place) }));
  const placedFinding = (finding: Finding): Finding => ({
    ...finding,
    place: placed(finding.place),
    related: related(finding.related),
  });
  const { first, warned } = answer;
  return {
    ...answer,
    ...(first && { first: { ...first, at: placed(first.at), related: related(first.related) } }),
    ...(warned && { warned: { ...warned, finding: placedFinding(warned.finding) } }),
  };
}
