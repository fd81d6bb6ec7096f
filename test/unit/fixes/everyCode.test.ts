/** Each code of the catalogue: the example of its page has fixes that do what they say, or the page says why there are none. */
import { describe, expect, it } from 'vitest';
import { type Code, codes } from '../../../engine/findings/catalogue.ts';
import { type Fix, fixesFor } from '../../../engine/fixes/fix.ts';
import { repairers } from '../../../engine/fixes/repairs/repairers.ts';
import { checkedOnce } from '../../support/analyse.ts';
import { analyseBlock, analyseBlockOf, blocks, textOf } from '../docs/pages.ts';
import { checkPromise } from './promise.ts';
import { bare } from './repairs/promise.ts';

/** Findings that say how much there is of something: a fix lessens them. */
const lessened: readonly Code[] = [
  'schedule/bubble',
  'comm/exposed',
  'comm/bucket-too-small',
  'comm/bucket-too-large',
  'comm/credit-too-large',
  'comm/credit-too-small',
];

/** Why there is no fix for a finding of some codes. */
const withoutRepair: { readonly [C in Code]?: string } = {
  'device/efficiency': 'Only you can measure your device.',
  'comm/shared-card':
    'Another order of ranks moves the traffic between stages too: only you know which of them matters.',
  'comm/host': 'What waits on the host is what does not fit on the devices: only you can weigh the two.',
  'layer/width': 'Only you know which of the two layers is as it should be.',
  'import/outside-workspace':
    'Only you can trust a workspace or a folder, and an edit of this file cannot move the other file.',
  'import/unreadable': 'The mistake is in the imported file, and a fix never edits another file.',
  'measured/reading': 'It goes away by itself.',
  'measured/unread': 'Only you know where the traces are.',
  'measured/other-run': 'Only you know which run is of this plan.',
  'schedule/slot': 'Only you know which of the two slots is meant.',
  'schedule/blocked': 'Each condition is a decision of the schedule.',
};

/** The fixes of the first such finding in the first example of a page. */
function exampleOf(code: Code) {
  const [example] = blocks(textOf(`docs/diagnostics/${code}.md`), 'pipe');
  const analysis = analyseBlockOf(code)(example);
  const finding = analysis.findings.find((found) => found.code === code);
  if (finding === undefined) throw new Error(`The example of ${code} does not raise it.`);
  return { analysis, fixes: fixesFor(analysis, finding, checkedOnce(analyseBlock)) };
}

/** Pages of mistakes leave the effect out, which depends on the rest of the file. */
const listed = (code: Code, fix: Fix): string => (repairers[code] === undefined ? fix.title : bare(fix));

describe.each(codes.map((code) => [code, withoutRepair[code]] as const))('%s', (code, reason) => {
  const { analysis, fixes } = exampleOf(code);
  const page = textOf(`docs/diagnostics/${code}.md`);

  it('has a page that lists the fixes of its example, or says why there are none', () => {
    expect(fixes.length === 0).toBe(reason !== undefined);
    const list = fixes.map((fix) => `- *${listed(code, fix)}*\n`).join('');
    expect(page).toContain(
      reason === undefined
        ? `\nQuick fixes for this example, the best first:\n\n${list}`
        : `There is no quick fix. ${reason}`,
    );
  });

  it('is gone after each fix, or less, without a new error and with the effect of the title', () => {
    for (const fix of fixes) {
      const changed = checkPromise(analysis, fix, {
        check: analyseBlockOf(code),
        lessens: repairers[code] !== undefined || lessened.includes(code),
      });
      // Another place may have the same mistake, about another name.
      const same = ({ findings }: typeof analysis) =>
        findings.filter((found) => found.code === code && found.message === fix.finding.message).length;
      if (repairers[code] !== undefined) expect(same(changed), fix.title).toBeLessThan(same(analysis));
    }
  });
});
