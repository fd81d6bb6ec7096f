/** A test of a schedule that takes over a built-in one: what is wrong in the built-in text is shown there. */
import { expect, test } from 'vitest';
import { standardText } from '../../../engine/std/index.ts';
import { analyse } from '../../support/analyse.ts';

test('a row of a built-in base keeps its place, wherever the test is in the file', () => {
  const text = `// Some text before the schedule, which has no part in the places of another file.
schedule mine { from = seq1f1b  param k = 0  let warm(d) = k }
expect mine { over(devices = 1..2, microbatches = 1..2)  valid }
`;
  const related = analyse(text).findings.flatMap((finding) => finding.related);
  const rows = related.filter(({ message }) => message === 'The row of device 0.');
  expect(rows).toHaveLength(1);
  const [{ place }] = rows;
  const builtIn = standardText(place.uri) ?? '';
  expect(builtIn.slice(place.start, place.end)).toBe('zip(back, drop(warm(d), ahead))');
});
