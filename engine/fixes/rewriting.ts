/** Refactorings that are proven only when someone wants them: what they write must leave every figure as it is. */
import type { Analysis } from '../flow/check.ts';
import { noNewError } from './outcome.ts';
import { type Again, apply, type Proposal } from './proposal.ts';

export type RewritingKind = 'extract' | 'inline' | 'move' | 'rewrite';

export interface Rewriting extends Proposal {
  readonly kind: RewritingKind;
  /** Offsets of names that the file no longer declares. */
  readonly names?: readonly number[];
  /** The text has errors now, and fewer afterwards: there are no figures yet that could stay. */
  readonly mends?: true;
}

/** Whether the rewritten file has no new error, and every pipeline the same report. */
export function isProven(analysis: Analysis, { edits, mends }: Rewriting, again: Again): boolean {
  const after = again(apply(analysis.syntax.text, edits));
  if (mends === true) return errors(after) < errors(analysis);
  return noNewError(analysis, after) && keepsReports(analysis, after);
}

/** Whether pipelines and jobs of both have the same reports. */
export function keepsReports(before: Analysis, after: Analysis): boolean {
  const reports = ({ pipelines, jobs, pending }: Analysis) =>
    JSON.stringify([
      pipelines.map(({ plan, run }) => [plan.name, run?.report]),
      jobs.map(({ plan, report }) => [plan.name, report]),
      pending,
    ]);
  return reports(before) === reports(after);
}

const errors = ({ findings }: Analysis): number => findings.filter(({ severity }) => severity === 'error').length;
