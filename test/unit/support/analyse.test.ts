import { describe, expect, test } from 'vitest';
import { checkFix } from '../../support/expected.ts';
import { analyse, analyseExample, codesOf, runOf } from '../../support/analyse.ts';
import { edited, good } from '../../support/goodFile.ts';

test('a text and an example are checked, with other files and values of params', () => {
  expect(codesOf(analyse('import "a.pipe"'))).toEqual(['import/not-found']);
  expect(codesOf(analyse('import "a.pipe"', { files: { 'a.pipe': '' } }))).toEqual([]);
  expect(analyse(good, { overrides: { m: 12 } }).pipelines[0].plan.microbatches).toBe(12);
  expect(codesOf(analyseExample('systems/dapple.pipe', {}, 'let a = b'))).toContain('name/unknown');
});

test('a pipeline that does not run says why', () => {
  // (m + p − 1)(F + B) of two layers: 11 · 24 ms, and the transfers.
  expect(runOf(good).run.report.iteration).toBeGreaterThan(0.264);
  expect(() => runOf(edited('1f1b', '1f1c'))).toThrow('Unknown policy "1f1c"');
});

describe('checkFix', () => {
  const wrong = (mark: string) => edited('schedule = 1f1b', `schedule = ${mark}`);
  test('accepts the fix that the arrow says', () => {
    expect(checkFix(wrong('⟦error name/unknown:1f1bb→1f1b⟧')).title).toMatch(/^Change to "1f1b": runs, /);
    checkFix(wrong('⟦name/unknown:1f1bb→1f1b⟧'), 'Change to "1f1b"');
  });
  test.each([
    ['another text', '⟦name/unknown:1f1bb→gpipe⟧', undefined],
    ['another code', '⟦type/mismatch:1f1bb→1f1b⟧', undefined],
    ['another severity', '⟦hint name/unknown:1f1bb→1f1b⟧', undefined],
    ['another place', '⟦name/unknown:1f1b→1f1⟧b', undefined],
    ['another title', '⟦name/unknown:1f1bb→1f1b⟧', 'Change to "gpipe"'],
    ['no arrow', '⟦name/unknown:1f1bb⟧', undefined],
    ['no finding', '⟦1f1bb→1f1b⟧', undefined],
  ])('refuses %s', (_, mark, title) => {
    expect(() => checkFix(wrong(mark), title)).toThrow();
  });
  test('refuses a place that has the finding after the fix, too', () => {
    const twice = (more: string) =>
      edited('  schedule = 1f1b', `  schedule = 1f1b⟦\n  →⟧⟦key/duplicate:schedule→⟧⟦ = gpipe→⟧${more}`);
    checkFix(twice(''));
    expect(() => checkFix(twice('\n  schedule = gpipe'))).toThrow('undefined');
  });
});
