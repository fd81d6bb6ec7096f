/** A test of a schedule gives the same answer without the places of its texts, and that answer is placed in the files again. */
import { expect, test } from 'vitest';
import { scheduleTest } from '../../../engine/grid/testSearch.ts';
import { placedAnswer, unplaced } from '../../../engine/grid/unplaced.ts';
import { runSearch } from '../../../engine/basics/searches.ts';
import { resolveText } from '../../support/resolve.ts';

const over = 'over(devices = 1..4, microbatches = 1..8)';
const texts: Readonly<Record<string, string>> = {
  'a row that fails': `schedule mine { row(d) = F[0..6], B[0..6] }\nexpect mine { ${over}  valid }`,
  'an order that differs, with a number of the file': `let last = 1\nschedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }\nexpect mine { ${over}  in_flight(device = 0) <= last }`,
  'a range that runs backwards': `let last = 2\nschedule mine { row(d) = F[0..last], F[last + 1..microbatches - 1], B[0..<microbatches] }\nexpect mine { ${over}  valid }`,
  'a schedule of another file': `import { base } from "base.pipe"\nschedule mine { from = base  row(d) = F[0..3], B[0..3] }\nexpect mine { ${over}  valid }`,
  'a row of another file': `import { base } from "base.pipe"\nschedule mine { from = base  param k = 1 }\nexpect mine { ${over}  valid }`,
  'no mistake': `schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }\nexpect mine { ${over}  order == gpipe }`,
};
const files = {
  'base.pipe':
    '// Comes first.\nlet first = 3\nschedule base { row(d) = F[0..<microbatches], B[first..<microbatches] }\n',
};

test.each(Object.entries(texts))('%s', (_name, text) => {
  const { tests } = resolveText(`// A comment.\n${text}`, { files });
  expect(tests).toHaveLength(1);
  for (const { test: asked } of tests) {
    const answer = runSearch(scheduleTest, asked);
    expect(answer.verdicts.length).toBeGreaterThan(0);
    expect(placedAnswer(runSearch(scheduleTest, unplaced(asked)), asked)).toEqual(answer);
  }
});

test('a comment in front of a schedule leaves its test as it is, and a change of it does not', () => {
  const [[, text]] = Object.entries(texts);
  const [first, moved, changed] = [text, `// A comment.\n${text}`, text.replace('B[0..6]', 'B[0..5]')].map((each) =>
    resolveText(each).tests.map(({ test: asked }) => unplaced(asked)),
  );
  expect(moved).toEqual(first);
  expect(changed).not.toEqual(first);
});
