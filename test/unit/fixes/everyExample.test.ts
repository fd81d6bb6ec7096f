/** Quick fixes of the examples: applied and checked again, each does what its title says and nothing else. */
import { expect, it } from 'vitest';
import type { Finding } from '../../../engine/findings/finding.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { analyseExample, checkedAfter } from '../../support/analyse.ts';
import { exampleNames } from '../../support/example.ts';
import * as fc from '../../support/property.ts';
import { checkFix } from './checkFix.ts';

/**
 * Fixes of these take minutes: each trial places hundreds of devices, or plans many pipelines. What broken.pipe has is tried on the
 * pages of its codes.
 */
const slow =
  /^published\/|deepseek|^broken|^planners|^packed|^search|systems\/(bytescheduler|ddp_horovod|dear|hetpipe|p3|pace|tictac)/;

/** Findings whose fixes a run tries, of each code: drawn anew in each run, since examples have dozens of bubbles. */
const most = 3;

interface Found {
  readonly name: string;
  readonly finding: Finding;
}

const codeOf = ({ finding }: Found): string => finding.code;

function tryFixes({ name, finding }: Found): number {
  const today = analyseExample(name);
  const again = checkedAfter(today);
  const fixes = fixesFor(today, finding, again);
  for (const fix of fixes) checkFix(today, finding, fix, again);
  return fixes.length;
}

it('does what it says, whatever the example and its finding', () => {
  const found = exampleNames
    .filter((name) => !slow.test(name))
    .flatMap((name) => analyseExample(name).findings.map((finding): Found => ({ name, finding })));
  const some = [...new Set(found.map(codeOf))].map((code) => {
    const alike = found.filter((each) => codeOf(each) === code);
    return fc.shuffledSubarray(alike, {
      minLength: Math.min(most, alike.length),
      maxLength: Math.min(most, alike.length),
    });
  });
  let tried = 0;
  fc.assert(
    fc.property(fc.tuple(...some), (drawn) => {
      for (const each of drawn.flat()) tried += tryFixes(each);
    }),
    // What fails is a fix of one example: fewer examples at a time would take as long as all of them.
    { numRuns: 1, endOnFailure: true },
  );
  expect(tried).toBeGreaterThan(15);
}, 600_000);
