/** Devices that nothing uses: more data ranks, each with its share of the batch or with as much as before. */
import type { Analysis } from '../flow/check.ts';
import { type Finding, type FixHint, parametersOf } from '../findings/finding.ts';
import { count } from '../basics/quantities.ts';
import { numberAt, setNumber, type Subject, subjectOf } from './candidates.ts';
import type { Again, FixSteps } from './proposal.ts';
import { setKey, valueOf } from './source.ts';
import { type Candidate, fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

/** If the larger number leaves some devices idle, fewer of them are. */
export function* idleDeviceFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  const { cluster, data, idle } = parametersOf(finding, 'device/idle') ?? {};
  if (subject === undefined || data === undefined || idle === undefined) return [];
  const met = (changed: Analysis): boolean =>
    changed.findings.every((other) => {
      const left = parametersOf(other, 'device/idle');
      return left?.cluster !== cluster || left === undefined || left.idle < idle;
    });
  return yield* fixesAmong(analysis, { pipeline, emphasis: 'time', met }, moreRanks(subject, data), again);
}

/** Data ranks for devices that nothing uses, over which a shard splits the state. */
export function* idleDeviceCandidates(subject: Subject): Generator<Candidate, void, void> {
  const data = ranksForIdle(subject.analysis, subject.pipeline);
  if (data !== undefined) yield* moreRanks(subject, data);
}

/** The number of data ranks with which devices that are idle work, as a finding of the pipeline says it. */
export function ranksForIdle({ findings }: Analysis, pipeline: string): number | undefined {
  const finding = findings.find(
    ({ code, hint }) => code === 'device/idle' && hint?.kind === 'tune' && hint.pipeline === pipeline,
  );
  return finding === undefined ? undefined : parametersOf(finding, 'device/idle')?.data;
}

function* moreRanks({ analysis, body, plan }: Subject, data: number): Generator<Candidate, void, void> {
  const key = setKey(analysis.syntax.text, body, 'data', String(data));
  const written = valueOf(body, 'microbatches');
  const each = ((numberAt(analysis, written) ?? 0) * plan.data) / data;
  yield {
    what: `Use ${data} data ranks with ${count(each, 'microbatch', 'microbatches')} each`,
    kind: 'share',
    edits: [key, setNumber(analysis, written, each)],
  };
  yield { what: `Use ${data} data ranks`, kind: 'data', edits: [key] };
}
