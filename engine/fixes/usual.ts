/** What people try before anything else where memory is short: 1F1B in place of GPipe, a sharded optimizer, sequence parallelism. */
import type { Subject } from './candidates.ts';
import { together } from './combinations.ts';
import { policyCandidates } from './policies.ts';
import { sequenceCandidates } from './ranks.ts';
import { usualShardCandidate } from './shard.ts';
import type { Candidate } from './trial.ts';

/** Each alone, then two or all of them together. They come before the same changes of other lists, since parts are known by identity. */
export function* usualCandidates(subject: Subject): Generator<Candidate, void, void> {
  const all = [plain1f1b(subject), usualShardCandidate(subject), [...sequenceCandidates(subject)][0]]
    .filter((candidate) => candidate !== undefined)
    .map((candidate): Candidate => ({ ...candidate, usual: true }));
  yield* all;
  const [first, second, third] = all;
  const joined = third === undefined ? [[first, second]] : [[first, second], [first, third], [second, third], all];
  if (second !== undefined) for (const parts of joined) yield* [together(parts)].filter((each) => each !== undefined);
}

/** It takes as long as GPipe, and holds as many microbatches as there are stages in place of all. */
function plain1f1b(subject: Subject): Candidate | undefined {
  const { schedule } = subject.plan;
  if (schedule.kind !== 'policy' || schedule.name !== 'gpipe') return undefined;
  for (const candidate of policyCandidates(subject, 'memory'))
    if (candidate?.policy?.schedule === '1f1b') return candidate;
  return undefined;
}
