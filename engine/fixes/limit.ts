import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import { setNumber } from './candidates.ts';
import type { Again, FixSteps } from './proposal.ts';
import { pipelineBody, valueOf } from './source.ts';
import { fixesAmong, type Goal } from './trial.ts';

/** The most microbatches that the limit of operations allows. */
export function* limitFixes(analysis: Analysis, finding: Finding, hint: FixHint | undefined, again: Again): FixSteps {
  const body = hint?.kind === 'value' ? pipelineBody(analysis.syntax, hint.pipeline) : undefined;
  if (hint?.kind !== 'value' || body === undefined) return [];
  const count = ({ findings }: Analysis) => findings.filter(({ code }) => code === finding.code).length;
  const goal: Goal = {
    pipeline: hint.pipeline,
    emphasis: 'time',
    met: (changed) => count(changed) < count(analysis),
  };
  const written = valueOf(body, hint.input);
  const candidates = hint.values.map((value) => ({
    what: `Set ${hint.input} to ${value}`,
    kind: 'value',
    edits: [setNumber(analysis, written, value)],
  }));
  return yield* fixesAmong(analysis, goal, candidates, again);
}
