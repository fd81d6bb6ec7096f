import { runnerWords } from '../engines/runners.ts';
import type { Analysis } from '../flow/check.ts';
import { cutCandidates } from './balance.ts';
import { withCombinations } from './combinations.ts';
import { inTurn, type Subject, subjectOf, weighedTrials } from './candidates.ts';
import { figuresOf, relative, samplePeriod } from './effect.ts';
import { microbatchCandidates, sameBatchCandidates } from './microbatches.ts';
import { policyCandidates } from './policies.ts';
import type { Again, FixSteps } from './proposal.ts';
import { keepCandidates } from './recompute.ts';
import { bestTrial, type Candidate, fixesAmong, type Goal, type PolicyChange } from './trial.ts';
import { warmupCandidates } from './warmup.ts';

/** A change must save at least this share of the time per sample. */
const leastGain = 0.005;

/** Whatever makes devices idle less and the iteration shorter: another policy, cut, or number of microbatches. */
export function* bubbleFixes(analysis: Analysis, pipeline: string, again: Again, warmup?: readonly number[]): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const goal = goalOf(subject);
  return yield* fixesAmong(analysis, goal, withCombinations(subject, goal, candidatesFor(subject, warmup)), again);
}

/** Another policy as it is written, and the share of the iteration that devices then idle. */
export interface BetterPolicy extends PolicyChange {
  readonly bubble: number;
}

/** The best policy that `bubbleFixes` would offer; undefined where none helps and fits every device. */
export function* betterPolicySteps(
  analysis: Analysis,
  pipeline: string,
  again: Again,
): Generator<unknown, BetterPolicy | undefined, void> {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return undefined;
  const best = yield* bestTrial(analysis, goalOf(subject), policiesAmong(candidatesFor(subject)), again);
  const change = best?.candidate.policy;
  if (best === undefined || change === undefined) return undefined;
  const who = best.runners === undefined ? {} : { runsOn: runnerWords(best.runners) };
  return { ...change, ...who, bubble: best.effect.after.bubble };
}

function goalOf({ pipeline, before: { run } }: Subject): Goal {
  const before = figuresOf(run.report);
  return {
    pipeline,
    emphasis: 'time',
    met(_, after) {
      const figures = figuresOf(after.run.report);
      return figures.bubble < before.bubble && relative(samplePeriod(before), samplePeriod(figures)) < -leastGain;
    },
  };
}

const candidatesFor = (subject: Subject, warmup?: readonly number[]): Iterable<Candidate | undefined> =>
  inTurn(
    weighedTrials(subject.plan),
    policyCandidates(subject, 'time'),
    cutCandidates(subject, ['time']),
    sameBatchCandidates(subject),
    microbatchCandidates(subject),
    warmup === undefined ? [] : warmupCandidates(subject, warmup),
    keepCandidates(subject),
  );

function* policiesAmong(candidates: Iterable<Candidate | undefined>): Generator<Candidate | undefined, void, void> {
  for (const candidate of candidates) if (candidate?.policy !== undefined) yield candidate;
}
