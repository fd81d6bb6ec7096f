/** A number format that the devices have, where the file says the format of the model. */
import type { Analysis } from '../flow/check.ts';
import { type Finding, type FixHint, parametersOf } from '../findings/finding.ts';
import { subjectOf } from './candidates.ts';
import type { Again, FixSteps } from './proposal.ts';
import { remains } from './remains.ts';
import { setKey } from './source.ts';
import { fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

export function* numberFormatFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  const format = parametersOf(finding, 'device/number-format')?.other;
  const { declarations, text } = analysis.syntax;
  const model = declarations.find(
    (declaration) =>
      declaration.kind === 'block' &&
      declaration.keyword.text === 'model' &&
      declaration.name?.text === subject?.plan.model,
  );
  if (format === undefined || model?.kind !== 'block' || model.body === undefined) return [];
  const candidate = {
    what: `Set precision to ${format}`,
    kind: 'format',
    edits: [setKey(text, model.body, 'precision', format)],
  };
  const met = (changed: Analysis): boolean => !remains(changed, finding);
  return yield* fixesAmong(analysis, { pipeline, emphasis: 'time', met }, [candidate], again);
}
