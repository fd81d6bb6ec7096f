/** Two changes that answer a finding between them, where none alone does without slowing the pipeline down or filling a device. */
import { figuresOf, leastChange, samplePeriod } from './effect.ts';
import { inTurn, type Subject, trialsFor } from './candidates.ts';
import { microbatchCandidates, sameBatchCandidates } from './microbatches.ts';
import { policyCandidates } from './policies.ts';
import type { Edit } from './proposal.ts';
import { everyStage, keepCandidates } from './recompute.ts';
import { shardCandidates } from './shard.ts';
import type { Candidate, Goal } from './trial.ts';

type Candidates = Iterable<Candidate | undefined>;

/** Policies that hold few microbatches, tried with each other change. */
const mostPolicies = 6;
/** Policies that idle little, with each number of chunks. */
const mostForPace = 8;

/**
 * The goal, and the candidates followed by pairs of changes. Pairs are only tried if no candidate alone reaches the goal, fits every
 * device and is as fast as today.
 */
export function withPairs(subject: Subject, goal: Goal, candidates: Candidates): readonly [Goal, Candidates] {
  const lists = goal.emphasis === 'memory' ? pairsForRoom : pairsForPace;
  const today = samplePeriod(figuresOf(subject.before.run.report));
  let free = false;
  const met: Goal['met'] = (changed, after) => {
    const reached = goal.met(changed, after);
    const figures = figuresOf(after.run.report);
    free ||= reached && figures.fits && samplePeriod(figures) <= today * (1 + leastChange);
    return reached;
  };
  function* all(): Generator<Candidate | undefined, void, void> {
    yield* candidates;
    if (!free) yield* inTurn(trialsFor(subject.plan), ...lists(subject));
  }
  return [{ ...goal, met }, all()];
}

/** Another policy, with less recomputation or another number of microbatches. */
function pairsForPace(subject: Subject): readonly Candidates[] {
  const policies = written(policyCandidates(subject, 'time')).slice(0, mostForPace);
  return [keepCandidates(subject), sameBatchCandidates(subject, 'smaller'), microbatchCandidates(subject)].map(
    (others) => pairs(written(others), policies),
  );
}

/** Pairs by what they are made of; those that cost little time come first in each list. */
function pairsForRoom(subject: Subject): readonly Candidates[] {
  const batches = written(sameBatchCandidates(subject, 'smaller'));
  const shards = written(shardCandidates(subject));
  const policies = written(policyCandidates(subject, 'memory')).slice(0, mostPolicies);
  const recomputing = written(everyStage(subject));
  const attention = recomputing.slice(0, -1);
  const light = [pairs(shards, batches), pairs(policies, batches), pairs(shards, policies)];
  return [
    ...light,
    pairs(shards, attention),
    pairs(batches, attention),
    pairs(policies, attention),
    pairs(light[0], attention),
    pairs([...shards, ...policies, ...batches], recomputing.slice(-1)),
  ];
}

const written = (candidates: Candidates): readonly Candidate[] =>
  [...candidates].flatMap((candidate) => candidate ?? []);

const pairs = (first: readonly Candidate[], second: readonly Candidate[]): readonly Candidate[] =>
  first.flatMap((change) =>
    second.flatMap((other) => {
      const edits = [...change.edits, ...other.edits];
      const what = `${change.what}, and ${other.what[0].toLowerCase()}${other.what.slice(1)}`;
      const policy = change.policy ?? other.policy;
      return apart(edits) ? [{ what, kind: 'pair', edits, ...(policy === undefined ? {} : { policy }) }] : [];
    }),
  );

/** Whether no two edits change the same text. */
function apart(edits: readonly (Edit | undefined)[]): boolean {
  const sorted = edits.filter((edit) => edit !== undefined).toSorted((a, b) => a.start - b.start);
  return sorted.every((edit, index) => index === 0 || edit.start >= sorted[index - 1].end);
}
