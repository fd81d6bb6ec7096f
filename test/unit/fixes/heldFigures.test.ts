/** Fixes of a file whose expectations state figures with `==`, which any change breaks. */
import { describe, expect, test } from 'vitest';
import { fixesFor, type Proposal } from '../../../engine/fixes/fix.ts';
import { helpSteps } from '../../../engine/fixes/help.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { exampleText } from '../../support/example.ts';
import { after, analyse, analyseExample, checkedAfter, codesOf, fixesOf } from '../../support/analyse.ts';

const example = 'data-parallel.pipe';
/** Two of its pipelines: fixes of all take twice as long. */
const pinned = exampleText(example).replaceAll(/^(?:pipeline|expect) (?:at_end|pieces) \{[^}]*\}\n/gm, '');
const free = pinned.replaceAll(/^expect[^\n]*\{[^}]*\}\n?/gm, '');
const again = checkedAfter(analyseExample(example));
const allFixes = (text: string): readonly Proposal[] => {
  const analysis = again(text);
  return analysis.findings.flatMap((finding) => fixesFor(analysis, finding, again));
};
const withoutNote = (title: string): string => title.replace(/ \(breaks "[^)]*\)/, '');

describe('an example that states its figures', () => {
  const fixes = allFixes(pinned);

  test('has the fixes that it has without its expectations', () => {
    expect(free).not.toContain('expect');
    expect(fixes.length).toBeGreaterThan(5);
    expect(fixes.map(({ title }) => withoutNote(title))).toEqual(allFixes(free).map(({ title }) => title));
  });

  test('says of each which expectation it breaks', () => {
    for (const fix of fixes) {
      const changed = again(
        fix.edits
          .toSorted((a, b) => b.start - a.start)
          .reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), pinned),
      );
      const failed = changed.findings.flatMap(({ code, message }) =>
        code === 'expect/failed' ? [/^Expected (.*), but/.exec(message)?.[1]] : [],
      );
      expect(fix.breaks).toEqual(failed);
      expect(fix.title).toContain(`(breaks "${failed[0]}")`);
      expect(fix.preferred).not.toBe(true);
    }
  });

  test('has the fix that a finding names under what would help idle devices', () => {
    const analysis = again(pinned);
    const credit = analysis.findings.find(({ code }) => code === 'comm/credit-too-large');
    expect(credit?.message).toContain('`partition = best`');
    const pipeline = credit?.hint !== undefined && 'pipeline' in credit.hint ? credit.hint.pipeline : '';
    const titles = toEnd(helpSteps(analysis, pipeline, { about: 'bubble' }, again)).map(({ title }) => title);
    expect(titles.some((title) => title.startsWith('Set partition = best'))).toBe(true);
  });
});

const text = (expects: string): string => `
device gpu { memory = 80GiB }
cluster box { gpu[4] = gpu  link = 1000GB/s }
model m { layer block[8] { forward = 10ms  backward = 20ms  activation = 100MiB } }
pipeline train { model = m  devices = box  stages = balance(4)  microbatches = 8  schedule = 1f1b }
expect train { ${expects} }
`;
const bubbleFixes = (expects: string) => fixesOf(analyse(text(expects)), 'schedule/bubble');

describe('a fix of a file with expectations', () => {
  test('comes after all that break none, and is not preferred', () => {
    // More microbatches leave one in flight on the last device; zero-bubble orders do not.
    const fixes = bubbleFixes('in_flight(device = 3) == 1');
    const broken = fixes.map(({ breaks }) => breaks !== undefined);
    expect(broken).toContain(true);
    expect(broken).toContain(false);
    expect(broken).toEqual(broken.toSorted((a, b) => Number(a) - Number(b)));
    expect(fixes.filter(({ preferred }) => preferred).every(({ breaks }) => breaks === undefined)).toBe(true);
    for (const fix of fixes) {
      const codes = codesOf(after(analyse(text('in_flight(device = 3) == 1')), fix));
      expect(codes.includes('expect/failed')).toBe(fix.breaks !== undefined);
    }
  });

  test('is left out where it breaks a bound: that is asked for, where a figure is only noted', () => {
    const bound = 'in_flight(device = 3) <= 1';
    const offered = (expects: string) => bubbleFixes(expects).some(({ title }) => title.startsWith('Use zb_v'));
    expect([offered('in_flight(device = 3) == 1'), offered(bound)]).toEqual([true, false]);
    for (const fix of bubbleFixes(bound)) {
      expect(fix.breaks).toBeUndefined();
      expect(codesOf(after(analyse(text(bound)), fix))).not.toContain('expect/failed');
    }
  });

  test('names two expectations and counts the others', () => {
    const fixes = bubbleFixes('iteration == 660ms  in_flight(device = 3) == 1  bubble == 27.2727272727%');
    const fix = fixes.find(({ breaks }) => breaks?.length === 3);
    expect(fix?.title).toMatch(/\(breaks "iteration == 660ms" and "in_flight.+" and 1 more\): /);
  });
});
