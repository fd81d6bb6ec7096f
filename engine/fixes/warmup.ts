import type { Subject } from './candidates.ts';
import type { Edit } from './proposal.ts';
import { valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** More forwards before the first backward, so that transfers hide behind computing; more microbatches are in flight for it. */
export function* warmupCandidates(subject: Subject, warmup: readonly number[]): Generator<Candidate, void, void> {
  yield { what: `Raise warm-up to ${warmup.join(', ')}`, kind: 'warm-up', edits: [editFor(subject, warmup)] };
}

function editFor({ body }: Subject, warmup: readonly number[]): Edit | undefined {
  const schedule = valueOf(body, 'schedule');
  const list = `[${warmup.join(', ')}]`;
  if (schedule?.kind === 'name' && schedule.text === '1f1b') {
    return { start: schedule.end, end: schedule.end, text: `(warmup = ${list})` };
  }
  if (schedule?.kind !== 'call' || schedule.callee.text !== '1f1b') return undefined;
  const written = schedule.arguments.find(({ name }) => name === undefined || name.text === 'warmup');
  if (written !== undefined) return { start: written.value.start, end: written.value.end, text: list };
  const last = schedule.arguments.at(-1);
  const at = last?.end ?? schedule.end - 1;
  return { start: at, end: at, text: `${last === undefined ? '' : ', '}warmup = ${list}` };
}
