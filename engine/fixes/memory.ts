import type { Analysis } from '../check.ts';
import type { FixHint, Finding } from '../findings/finding.ts';
import { cutCandidates } from './balance.ts';
import { inTurn, subjectOf, trialsFor } from './candidates.ts';
import { sameBatchCandidates } from './microbatches.ts';
import { moveCandidates } from './move.ts';
import { fits } from './outcome.ts';
import { policyCandidates } from './policies.ts';
import type { Again, Proposal } from './proposal.ts';
import { recomputeCandidates } from './recompute.ts';
import { remains } from './remains.ts';
import { shardCandidates } from './shard.ts';
import { fixesAmong, type Goal } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'recompute' }>;

/** Whatever makes a device need less memory, the fastest first: smaller micro-batches, another policy or cut, recomputation, shards. */
export function* memoryFixes(
  analysis: Analysis,
  finding: Pick<Finding, 'code' | 'hint' | 'about'>,
  { pipeline, stage }: Hint,
  again: Again,
): Generator<void, readonly Proposal[], void> {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const { plan } = subject;
  const device = plan.devices[plan.placement[stage]].name;
  const goal: Goal = {
    pipeline,
    device,
    emphasis: 'memory',
    most: 6,
    met: (changed, after) => fits(after, device) && !remains(changed, finding),
  };
  const candidates = inTurn(
    trialsFor(plan),
    // Before the cuts: where both give the same stages, the smaller edit is kept.
    moveCandidates(subject, stage),
    cutCandidates(subject, ['both', 'memory']),
    sameBatchCandidates(subject),
    policyCandidates(subject, 'memory'),
    recomputeCandidates(subject, stage),
    shardCandidates(subject),
  );
  return yield* fixesAmong(analysis, goal, candidates, again);
}
