import type { Analysis } from '../flow/check.ts';
import type { FixHint, Finding } from '../findings/finding.ts';
import { fullest, hasAmpleRoom } from '../basics/fullest.ts';
import { bytes } from '../basics/quantities.ts';
import { packedWeightsCandidates } from './adapters.ts';
import { cutCandidates } from './balance.ts';
import { withCombinations } from './combinations.ts';
import { inTurn, type Subject, subjectOf, weighedTrials } from './candidates.ts';
import { figuresOf, samplePeriod } from './effect.ts';
import { moreExpertRanks, wholeExperts } from './experts.ts';
import { idleDeviceCandidates } from './idleDevices.ts';
import { lossCandidates } from './loss.ts';
import { sameBatchCandidates } from './microbatches.ts';
import { moveCandidates } from './move.ts';
import { fits, type Simulated } from './outcome.ts';
import { policyCandidates } from './policies.ts';
import { moreNodes } from './moreNodes.ts';
import { contextCandidates, sequenceCandidates } from './ranks.ts';
import type { Again, FixSteps } from './proposal.ts';
import { layerCandidates, recomputeCandidates } from './recompute.ts';
import { remains } from './remains.ts';
import { shardCandidates } from './shard.ts';
import { type Candidate, fixesAmong, type Goal } from './trial.ts';
import { usualCandidates } from './usual.ts';

type Hint = Extract<FixHint, { readonly kind: 'recompute' }>;

/** Whatever makes a device need less memory, the fastest first: smaller micro-batches, another policy or cut, recomputation, shards. */
export function* memoryFixes(
  analysis: Analysis,
  finding: Pick<Finding, 'code' | 'hint' | 'about'>,
  { pipeline, stage }: Hint,
  again: Again,
): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const device = subject.plan.devices[subject.plan.placement[stage]].name;
  const met: Goal['met'] = (changed, after) => fits(after, device) && !remains(changed, finding);
  return yield* smaller(subject, stage, { met }, layerCandidates(subject, met));
}

/** A change must free at least this share of a peak that fits. */
const leastRoom = 0.01;

/** A change for a device that needs none may lengthen the time per sample by at most this share. */
const mostCost = 0.005;

/**
 * What makes room at the peak of a device: it fits afterwards, or, if it fits today, its peak is lower. If much is free already,
 * only changes that cost no time.
 */
export function* roomFixes(analysis: Analysis, pipeline: string, device: number, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  const before = subject?.before.run.report.devices[device];
  if (subject === undefined || before === undefined) return [];
  const { name, peak, capacity } = before;
  const most = peak > capacity ? capacity : peak * (1 - leastRoom);
  const slowest = hasAmpleRoom(before) ? samplePeriod(figuresOf(subject.before.run.report)) * (1 + mostCost) : Infinity;
  const met: Goal['met'] = (_, { run }) =>
    run.report.devices.some((after) => after.name === name && after.peak <= most) &&
    samplePeriod(figuresOf(run.report)) <= slowest;
  const more = peak > capacity ? layerCandidates(subject, met) : [];
  const isFullest = fullest(subject.before.run.report)?.name === name;
  // Titles state the peak of the fullest device: another one that is asked for is named.
  const also = ({ run: { report } }: Simulated): string => {
    const after = report.devices.find((each) => each.name === name);
    return after === undefined || isFullest || fullest(report)?.name === name ? '' : `${name} ${bytes(after.peak)}`;
  };
  const stage = Math.max(0, subject.plan.placement.indexOf(device));
  return yield* smaller(subject, stage, { met, also, device: name }, more);
}

function smaller(
  subject: Subject,
  stage: number,
  asked: Pick<Goal, 'met' | 'also' | 'device'>,
  more: Iterable<Candidate | undefined> = [],
): FixSteps {
  const { analysis, pipeline, plan, again } = subject;
  const candidates = inTurn(
    weighedTrials(plan),
    usualCandidates(subject),
    // Before the cuts: where both give the same stages, the smaller edit is kept.
    moveCandidates(subject, stage),
    cutCandidates(subject, ['both', 'memory']),
    sequenceCandidates(subject),
    sameBatchCandidates(subject),
    policyCandidates(subject, 'memory'),
    recomputeCandidates(subject, stage),
    more,
    shardCandidates(subject),
    contextCandidates(subject),
    moreExpertRanks(subject),
    wholeExperts(subject),
    lossCandidates(subject),
    packedWeightsCandidates(subject),
    idleDeviceCandidates(subject),
  );
  const goal: Goal = { ...asked, pipeline, emphasis: 'memory', most: 6, fitting: true };
  const combined = withCombinations(subject, goal, candidates);
  return fixesAmong(
    analysis,
    goal,
    function* (tried) {
      yield* combined(tried);
      if (!tried.some(({ reached }) => reached)) yield* moreNodes(subject);
    },
    again,
  );
}
