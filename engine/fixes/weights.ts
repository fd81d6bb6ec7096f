import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import type { Expression } from '../../grammar/syntax.ts';
import { inTurn, setNumber, type Subject, subjectOf, trialsFor } from './candidates.ts';
import { microbatchCandidates } from './microbatches.ts';
import { policyCandidates } from './policies.ts';
import type { Again, FixSteps } from './proposal.ts';
import { remains } from './remains.ts';
import { entriesOf, valueOf } from './source.ts';
import { type Candidate, fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

/**
 * Weights of an asynchronous schedule that are late, or missing: a synchronous policy, fewer microbatches in flight, or more of them
 * for an update.
 */
export function* weightFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const candidates = inTurn(
    trialsFor(subject.plan),
    inFlightCandidates(subject),
    microbatchCandidates(subject),
    policyCandidates(subject, 'memory', 'flush'),
    policyCandidates(subject, 'memory'),
  );
  const met = (changed: Analysis) => !remains(changed, finding);
  return yield* fixesAmong(analysis, { pipeline, emphasis: 'time', met }, candidates, again);
}

/** Fewer microbatches in flight, where the policy or the file's own schedule has a number of them. */
function* inFlightCandidates({ analysis, body, plan }: Subject): Generator<Candidate, void, void> {
  const schedule = valueOf(body, 'schedule');
  const limit = schedule?.kind === 'call' ? argument(schedule) : ruleLimit(analysis, schedule);
  const now = limit?.kind === 'quantity' ? limit.value : undefined;
  if (now === undefined) return;
  const wanted = new Set([now - 1, plan.devices.length, Math.floor(now / 2), 3, 2, 1]);
  for (const count of wanted)
    if (count >= 1 && count < now)
      yield {
        what: `Allow ${count} in flight`,
        kind: 'in flight',
        edits: [setNumber(analysis, limit, count)],
      };
}

const argument = (schedule: Extract<Expression, { kind: 'call' }>): Expression | undefined =>
  schedule.arguments.find(({ name }) => name?.text === 'in_flight')?.value;

function ruleLimit({ syntax }: Analysis, schedule: Expression | undefined): Expression | undefined {
  if (schedule?.kind !== 'name') return undefined;
  for (const declaration of syntax.declarations)
    if (
      declaration.kind === 'block' &&
      declaration.keyword.text === 'schedule' &&
      declaration.name?.text === schedule.text &&
      declaration.body !== undefined
    ) {
      const [limit] = entriesOf(declaration.body, 'in_flight');
      return limit?.parameters === undefined && limit?.values?.length === 1 ? limit.values[0] : undefined;
    }
  return undefined;
}
