import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';

/** Whether a changed file has the same finding: the same code about the same pipeline, device, link and expectation. */
export const remains = ({ findings }: Analysis, finding: Pick<Finding, 'code' | 'hint' | 'about'>): boolean =>
  findings.some(
    ({ code, hint, about }) =>
      code === finding.code &&
      pipelineOf(hint) === pipelineOf(finding.hint) &&
      expectOf(hint) === expectOf(finding.hint) &&
      about?.name === finding.about?.name,
  );

const pipelineOf = (hint: FixHint | undefined): string | undefined =>
  hint !== undefined && 'pipeline' in hint ? hint.pipeline : undefined;

const expectOf = (hint: FixHint | undefined): string | undefined =>
  hint?.kind === 'tune' ? hint.expect?.path : undefined;
