/**
 * Quick fixes and refactorings. Each is tried on the file before it is offered: one whose result does not help is left out,
 * and titles say what the simulation of the result gives.
 */
import type { Analysis } from '../check.ts';
import type { Finding } from '../findings/finding.ts';
import { balanceFixes, balanceRefactorings } from './balance.ts';
import { moveFixes } from './move.ts';
import type { Again, Fix, Proposal } from './proposal.ts';
import { recomputeFixes } from './recompute.ts';
import { removeFixes } from './remove.ts';
import { shardFixes } from './shard.ts';
import { spellingFixes } from './spelling.ts';
import { transferFixes } from './transfer.ts';
import { valueFixes } from './value.ts';
import { warmupFixes } from './warmup.ts';

export { apply } from './proposal.ts';
export type { Again, Edit, Fix, Proposal } from './proposal.ts';

/** Fixes of `finding`, best first; empty if none is known. `again` is called a few times for each fix. */
export const fixesFor = (analysis: Analysis, finding: Finding, again: Again): readonly Fix[] =>
  finding.place.uri === analysis.uri
    ? proposals(analysis, finding, again).map((proposal) => ({ ...proposal, finding }))
    : [];

/** What may be rewritten at `offset` without changing what the file means. */
export const refactorings = (analysis: Analysis, offset: number, again: Again): readonly Proposal[] =>
  balanceRefactorings(analysis, offset, again);

function proposals(analysis: Analysis, finding: Finding, again: Again): readonly Proposal[] {
  const { hint } = finding;
  switch (hint?.kind) {
    case undefined:
      return [];
    case 'spelling':
      return spellingFixes(analysis, finding, hint.suggestions, again);
    case 'remove':
      return removeFixes(analysis, finding, again);
    case 'value':
      return valueFixes(analysis, hint, again);
    case 'transfer':
      return transferFixes(analysis, hint, again);
    case 'warmup':
      return warmupFixes(analysis, hint, again);
    case 'balance':
      return balanceFixes(analysis, hint, again);
    case 'recompute':
      return [
        ...recomputeFixes(analysis, hint, again),
        ...shardFixes(analysis, hint, again),
        ...moveFixes(analysis, hint, again),
      ];
  }
}
