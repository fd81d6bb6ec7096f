/** Quick fixes of the examples: applied and checked again, each does what its title says and nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Finding } from '../../../engine/findings/finding.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { analyseExample, checkedAfter } from '../../support/analyse.ts';
import { exampleNames } from '../../support/example.ts';
import * as fc from '../../support/property.ts';
import { runMultiplier } from '../../support/runMultiplier.ts';
import { checkFix } from './checkFix.ts';

/**
 * Fixes of these take minutes: each trial places hundreds of devices, or plans many pipelines. What broken.pipe has is tried on the
 * pages of its codes.
 */
const slow =
  /^published\/|deepseek|^broken|^planners|^packed|^search|systems\/(bytescheduler|ddp_horovod|dear|hetpipe|p3|pace|tictac)/;

/** Findings whose fixes a run tries, of each code: drawn anew in each run, since examples have dozens of bubbles. */
const most = runMultiplier();

/** An example, the code of some of its findings, and which of them. */
interface Drawn {
  readonly name: string;
  readonly code: string;
  readonly which: number;
}

const reports = join(import.meta.dirname, '../../data/reports');

/** Codes of the findings of an example, as its kept report has them: most examples need not be checked. */
function codesOf(name: string): readonly string[] {
  const report = readFileSync(join(reports, name.replace(/\.pipe$/, '.json')), 'utf8');
  const { findings } = JSON.parse(report) as { readonly findings: readonly Pick<Finding, 'code'>[] };
  return [...new Set(findings.map(({ code }) => code))];
}

function tryFixes({ name, code, which }: Drawn): number {
  const today = analyseExample(name);
  const alike = today.findings.filter((finding) => finding.code === code);
  const finding = alike[which % alike.length];
  const again = checkedAfter(today);
  const fixes = fixesFor(today, finding, again);
  for (const fix of fixes) checkFix(today, finding, fix, again);
  return fixes.length;
}

it('does what it says, whatever the example and its finding', () => {
  const names = new Map<string, string[]>();
  for (const name of exampleNames.filter((each) => !slow.test(each)))
    for (const code of codesOf(name)) names.set(code, [...(names.get(code) ?? []), name]);
  const some = [...names].map(([code, alike]) =>
    fc.array(fc.record({ name: fc.constantFrom(...alike), code: fc.constant(code), which: fc.nat(1000) }), {
      minLength: most,
      maxLength: most,
    }),
  );
  let tried = 0;
  fc.assert(
    fc.property(fc.tuple(...some), (drawn) => {
      for (const each of drawn.flat()) tried += tryFixes(each);
    }),
    // What fails is a fix of one example: fewer examples at a time would take as long as all of them.
    { numRuns: 1, endOnFailure: true },
  );
  expect(tried).toBeGreaterThan(10);
}, 600_000);
