/**
 * Every quick fix of a file as people write them: applied and checked again, the finding is gone or less, nothing else is worse, the
 * comments stay, and the command line makes the same change.
 */
import { describe, expect, it } from 'vitest';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { call } from '../cli/harness.ts';
import { checkFix } from './checkFix.ts';
import { generatedFile } from './generatedFiles.ts';

/** The file after `check --fix=CODE`. */
async function fixedByCommand(text: string, code: Code): Promise<string> {
  const { files } = await call(['check', `--fix=${code}`, 'file.pipe'], { files: { 'file.pipe': text } });
  return files['file.pipe'];
}

describe('every fix of a generated file', () => {
  it('does what its title says, and nothing else', () => {
    fc.assert(
      fc.property(generatedFile, fc.nat(), ({ text }, pick) => {
        const analysis = analyse(text);
        const again = checkedAfter(analysis);
        // A few findings of each file, errors first: each fix is tried on the whole file.
        const { findings } = analysis;
        const errors = findings.filter(({ severity }) => severity === 'error');
        const some = new Set([
          errors[pick % Math.max(1, errors.length)],
          findings[pick % Math.max(1, findings.length)],
        ]);
        for (const finding of some)
          if (finding !== undefined)
            for (const fix of fixesFor(analysis, finding, again)) checkFix(analysis, finding, fix, again);
      }),
      { numRuns: 20 },
    );
  }, 600_000);

  it('is the same change on the command line', async () => {
    await fc.assert(
      fc.asyncProperty(generatedFile, fc.nat(), async ({ text }, pick) => {
        const analysis = analyse(text);
        const alone = analysis.findings.filter(
          ({ code }, _, all) => all.filter((other) => other.code === code).length === 1,
        );
        const finding = alone[pick % Math.max(1, alone.length)];
        if (finding === undefined) return;
        const best = fixesFor(analysis, finding, checkedAfter(analysis)).find(({ preferred }) => preferred);
        expect(await fixedByCommand(text, finding.code)).toBe(best === undefined ? text : apply(text, best.edits));
      }),
      { numRuns: 6 },
    );
  }, 600_000);
});
