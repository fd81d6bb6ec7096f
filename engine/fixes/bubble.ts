import type { Analysis } from '../check.ts';
import { cutCandidates } from './balance.ts';
import { inTurn, subjectOf, trialsFor } from './candidates.ts';
import { figuresOf, relative, samplePeriod } from './effect.ts';
import { microbatchCandidates, sameBatchCandidates } from './microbatches.ts';
import { policyCandidates } from './policies.ts';
import type { Again, FixSteps } from './proposal.ts';
import { keepCandidates } from './recompute.ts';
import { fixesAmong, type Goal } from './trial.ts';
import { warmupCandidates } from './warmup.ts';

/** A change must save at least this share of the time per sample. */
const leastGain = 0.005;

/** Whatever makes devices idle less and the iteration shorter: another policy, cut, or number of microbatches. */
export function* bubbleFixes(analysis: Analysis, pipeline: string, again: Again, warmup?: readonly number[]): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const before = figuresOf(subject.before.run.report);
  const goal: Goal = {
    pipeline,
    emphasis: 'time',
    met(_, after) {
      const figures = figuresOf(after.run.report);
      return figures.bubble < before.bubble && relative(samplePeriod(before), samplePeriod(figures)) < -leastGain;
    },
  };
  const candidates = inTurn(
    trialsFor(subject.plan),
    policyCandidates(subject, 'time'),
    cutCandidates(subject, ['time']),
    sameBatchCandidates(subject),
    microbatchCandidates(subject),
    warmup === undefined ? [] : warmupCandidates(subject, warmup),
    keepCandidates(subject),
  );
  return yield* fixesAmong(analysis, goal, candidates, again);
}
