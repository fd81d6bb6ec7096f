import { expect } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import type { Finding } from '../../../engine/findings/finding.ts';
import type { Fix } from '../../../engine/fixes/fix.ts';
import { repairers } from '../../../engine/fixes/repairs/repairers.ts';
import { checkPromise } from './promise.ts';
import { checkRepair } from './repairs/promise.ts';

/** Findings that say how much there is of something: a fix lessens them. */
const lessened: ReadonlySet<Code> = new Set([
  'schedule/bubble',
  'comm/exposed',
  'comm/bucket-too-small',
  'comm/bucket-too-large',
  'comm/credit-too-large',
  'comm/credit-too-small',
]);

const commentsOf = ({ syntax: { text, comments } }: Analysis): readonly string[] =>
  comments.map(({ start, end }) => text.slice(start, end).trim()).toSorted();

/** Applies one fix of a finding and checks the file again: it does what it says, and comments and line breaks stay. */
export function checkFix(analysis: Analysis, finding: Finding, fix: Fix, check: (text: string) => Analysis): void {
  if (repairers[finding.code] !== undefined) return checkRepair(analysis, finding, fix, check);
  const changed = checkPromise(analysis, fix, { check, lessens: lessened.has(finding.code) });
  expect(commentsOf(changed), `${fix.title}: comments`).toEqual(commentsOf(analysis));
  expect(changed.syntax.text.replaceAll('\r\n', '').includes('\n'), `${fix.title}: line breaks`).toBe(
    analysis.syntax.text.replaceAll('\r\n', '').includes('\n'),
  );
}
