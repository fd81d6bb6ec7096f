/** Devices that nothing uses: more data ranks, each with its share of the batch or with as much as before. */
import type { Analysis } from '../check.ts';
import { type Finding, type FixHint, parametersOf } from '../findings/finding.ts';
import { count } from '../quantities.ts';
import { numberAt, setNumber, subjectOf } from './candidates.ts';
import type { Again, FixSteps } from './proposal.ts';
import { setKey, valueOf } from './source.ts';
import { type Candidate, fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

/** If the larger number leaves some devices idle, fewer of them are. */
export function* idleDeviceFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  const { cluster, data, idle } = parametersOf(finding, 'device/idle') ?? {};
  if (subject === undefined || data === undefined || idle === undefined) return [];
  const { body, plan } = subject;
  const key = setKey(analysis.syntax.text, body, 'data', String(data));
  const written = valueOf(body, 'microbatches');
  const each = ((numberAt(analysis, written) ?? 0) * plan.data) / data;
  const candidates: Candidate[] = [
    {
      what: `Use ${data} data ranks with ${count(each, 'microbatch', 'microbatches')} each`,
      kind: 'share',
      edits: [key, setNumber(analysis, written, each)],
    },
    { what: `Use ${data} data ranks`, kind: 'data', edits: [key] },
  ];
  const met = (changed: Analysis): boolean =>
    changed.findings.every((other) => {
      const left = parametersOf(other, 'device/idle');
      return left?.cluster !== cluster || left === undefined || left.idle < idle;
    });
  return yield* fixesAmong(analysis, { pipeline, emphasis: 'time', met }, candidates, again);
}
