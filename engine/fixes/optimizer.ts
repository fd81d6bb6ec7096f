/** The optimizer that a pipeline does not name: the usual recipe, its state whole or split over the data ranks. */
import type { Analysis } from '../flow/check.ts';
import { type Finding, type FixHint, parametersOf } from '../findings/finding.ts';
import { subjectOf } from './candidates.ts';
import type { Again, FixSteps } from './proposal.ts';
import { remains } from './remains.ts';
import { setKey } from './source.ts';
import { fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

/** Offered even if the plan then needs more memory than there is: that is what the file did not say. */
export function* optimizerFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  const usual = parametersOf(finding, 'memory/no-optimizer')?.usual;
  if (subject === undefined || usual === undefined) return [];
  const { data, context } = subject.plan;
  const split = usual.startsWith('megatron') ? 'distributed' : 'zero1';
  const values = [usual, ...(data * context > 1 ? [`${usual}(shard = ${split})`] : [])];
  const candidates = values.map((value) => ({
    what: `Set optimizer to ${value}`,
    kind: 'optimizer',
    edits: [setKey(analysis.syntax.text, subject.body, 'optimizer', value)],
  }));
  const met = (changed: Analysis): boolean => !remains(changed, finding);
  return yield* fixesAmong(analysis, { pipeline, emphasis: 'memory', met, mayOverfill: true }, candidates, again);
}
