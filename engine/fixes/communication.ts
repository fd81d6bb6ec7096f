import { nodeAt } from '../../grammar/index.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import { findUnit } from '../language/units.ts';
import { share } from '../basics/quantities.ts';
import { exposedCommunication } from '../analyze/shares.ts';
import { withCombinations } from './combinations.ts';
import { inTurn, type Subject, subjectOf, trialsFor } from './candidates.ts';
import { figuresOf, relative, samplePeriod } from './effect.ts';
import { expertsForTensor, fewerExpertRanks, wholeExperts } from './experts.ts';
import { microbatchCandidates, sameBatchCandidates } from './microbatches.ts';
import type { Simulated } from './outcome.ts';
import { policyCandidates } from './policies.ts';
import { type Again, type FixSteps, leavesLittle, type Proposal } from './proposal.ts';
import {
  contextExchangeCandidates,
  fewerTensorRanks,
  overlapTensorCandidates,
  sequenceCandidates,
  sequenceWithOverlap,
} from './ranks.ts';
import { remains } from './remains.ts';
import { groupedShardCandidates, wholeWeightsCandidates } from './shard.ts';
import { setKey, valueOf } from './source.ts';
import { type Candidate, fixesAmong, type Goal } from './trial.ts';
import { warmupCandidates } from './warmup.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

/** The time of exposed communication must fall to this share of what it was, where the finding cannot be removed. */
const mostLeft = 0.9;

/** Other tensor ranks that make the iteration this much shorter without more communication are an answer, though a larger share of it is then exposed. */
const leastElsewhere = 0.25;

/**
 * Hides communication or sends less: warm-up, another policy, overlapped gradients, fewer tensor ranks. Changes that remove the
 * finding are offered; if there is none, those that lessen it, with what is left.
 */
export function* exposedFixes(analysis: Analysis, finding: Finding, hint: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, hint.pipeline, again);
  if (subject === undefined) return [];
  const before = exposedShare(subject.before);
  const pace = samplePeriod(figuresOf(subject.before.run.report));
  const faster = (after: Simulated) => relative(pace, samplePeriod(figuresOf(after.run.report))) < -0.001;
  const goal = { pipeline: hint.pipeline, emphasis: 'time' } as const;
  const isMuch = (after: Simulated) =>
    relative(pace, samplePeriod(figuresOf(after.run.report))) < -leastElsewhere &&
    exposedTime(after) <= exposedTime(subject.before);
  const removes: Goal = {
    ...goal,
    met: (changed, after, kind) =>
      faster(after) && (!remains(changed, finding) || (kind === 'tensor' && isMuch(after))),
  };
  const gone = yield* fixesAmong(analysis, removes, exposedCandidates(subject, finding, hint), again);
  const roomy: Proposal[] = [];
  // Where all that removes it fills a device, partners make room for it.
  if (gone.length > 0 && gone.every(({ effect }) => effect?.after.fits !== true)) {
    const joined = withCombinations(subject, removes, exposedCandidates(subject, finding, hint));
    const found = yield* fixesAmong(analysis, removes, joined, again);
    roomy.push(...found.filter(({ effect }) => effect?.after.fits).slice(0, 1));
  }
  if (gone.some(({ preferred }) => preferred)) return roomyFirst([...roomy, ...gone]).slice(0, 5);
  const lessens: Goal = {
    ...goal,
    met: (_, after) => faster(after) && exposedTime(after) <= mostLeft * exposedTime(subject.before),
    also: ({ run }) => `exposed ${share(before)} → ${share(exposedCommunication(run.report))}`,
  };
  const less = yield* fixesAmong(
    analysis,
    lessens,
    withCombinations(subject, lessens, exposedCandidates(subject, finding, hint)),
    again,
  );
  const titles = new Set([...roomy, ...less].map(({ edits }) => JSON.stringify(edits)));
  const others = less.filter(
    ({ edits }) => !roomy.some((each) => JSON.stringify(each.edits) === JSON.stringify(edits)),
  );
  const rest = gone.filter(({ edits }) => !titles.has(JSON.stringify(edits)));
  return roomyFirst([...roomy, ...others, ...rest]).slice(0, 5);
}

/** Of several lists in one: what keeps the margin of `memory/headroom` comes first. */
const roomyFirst = (fixes: readonly Proposal[]): readonly Proposal[] =>
  fixes.toSorted((a, b) => Number(leavesLittle(a)) - Number(leavesLittle(b)));

const exposedCandidates = (subject: Subject, finding: Finding, { warmup }: Hint): Iterable<Candidate | undefined> =>
  inTurn(
    trialsFor(subject.plan),
    warmup === undefined ? [] : warmupCandidates(subject, warmup),
    overlapCandidates(subject),
    wholeWeightsCandidates(subject),
    groupedShardCandidates(subject),
    sequenceCandidates(subject),
    overlapTensorCandidates(subject),
    sequenceWithOverlap(subject),
    fewerTensorRanks(subject),
    contextExchangeCandidates(subject),
    fewerExpertRanks(subject),
    expertsForTensor(subject),
    wholeExperts(subject),
    policyCandidates(subject, 'time'),
    sameBatchCandidates(subject),
    microbatchCandidates(subject),
    linkCandidates(subject, finding),
  );

/** Whatever frees a busy link: another order, fewer tensor ranks, or a faster link. */
export function* linkFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const candidates = inTurn(
    trialsFor(subject.plan),
    policyCandidates(subject, 'time'),
    sameBatchCandidates(subject),
    linkCandidates(subject, finding),
  );
  const pace = samplePeriod(figuresOf(subject.before.run.report));
  // A link is idler where all work takes longer, which is no help.
  const met = (changed: Analysis, after: Simulated) =>
    relative(pace, samplePeriod(figuresOf(after.run.report))) < 0.001 && !remains(changed, finding);
  return yield* fixesAmong(analysis, { pipeline, emphasis: 'time', met }, candidates, again);
}

/** Seconds of each sample. */
const exposedTime = (of: Simulated): number => exposedShare(of) * samplePeriod(figuresOf(of.run.report));

const exposedShare = ({ run }: Simulated): number => exposedCommunication(run.report);

/** Gradients are exchanged while the last backwards run. */
function* overlapCandidates({ analysis, body, plan }: Subject): Generator<Candidate, void, void> {
  // Copies of a stage exchange gradients too, without any data ranks.
  if (plan.step.every(({ sync }) => sync === 0) || valueOf(body, 'sync') !== undefined) return;
  const edit = setKey(analysis.syntax.text, body, 'sync', 'overlap');
  yield { what: 'Exchange gradients during the last backwards', kind: 'sync', edits: [edit] };
}

/** A faster link, as far as this file says how fast it is. That is other hardware, so it comes last. */
function* linkCandidates({ analysis }: Subject, { place }: Finding): Generator<Candidate, void, void> {
  const entry = nodeAt(analysis.syntax, place.start).findLast((node) => node.kind === 'entry');
  const speed = entry?.kind === 'entry' ? (entry.values ?? []).map(bandwidthIn).find(Boolean) : undefined;
  if (speed?.kind !== 'quantity') return;
  for (const factor of [2, 4, 8, 16]) {
    const text = `${Number((speed.value * factor).toPrecision(12))}${speed.unit}`;
    yield {
      what: `With a link of ${text}`,
      kind: 'link',
      edits: [{ start: speed.start, end: speed.end, text }],
      last: true,
    };
  }
}

/** The bandwidth of `25GB/s + 5us`. */
function bandwidthIn(value: Expression): Expression | undefined {
  if (value.kind === 'quantity') return findUnit(value.unit)?.dimension === 'bandwidth' ? value : undefined;
  if (value.kind === 'group') return bandwidthIn(value.inner);
  return value.kind === 'binary' && value.operator === '+'
    ? (bandwidthIn(value.left) ?? bandwidthIn(value.right))
    : undefined;
}
