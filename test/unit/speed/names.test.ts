import { createReporter } from '../../../engine/findings/reporter.ts';
import { expect, test } from 'vitest';
import { finding } from '../../../engine/findings/finding.ts';

test('no suggestion is looked for once a file has more findings than are kept', () => {
  const report = createReporter('file:///a.pipe', 2);
  let looked = 0;
  function* names(): Generator<string> {
    looked += 1;
    yield 'stages';
  }
  expect(report.nearest('stage', names())).toBe('stages');
  const place = { uri: report.uri, start: 0, end: 1 };
  report.add(finding('name/unknown', place, { kind: 'name', name: 'a' }));
  report.add(finding('name/unknown', { ...place, start: 1, end: 2 }, { kind: 'name', name: 'b' }));
  expect(report.nearest('stage', names())).toBeUndefined();
  expect(looked).toBe(1);
});
