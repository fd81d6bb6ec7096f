import type { Analysis } from '../flow/check.ts';
import type { Finding } from '../findings/finding.ts';
import { cutCandidates } from './balance.ts';
import { subjectOf } from './candidates.ts';
import { figuresOf, relative, samplePeriod } from './effect.ts';
import type { Again, FixSteps } from './proposal.ts';
import { remains } from './remains.ts';
import { fixesAmong } from './trial.ts';

/** The best cut into as many stages, if the iteration gets shorter. */
export function* imbalanceFixes(analysis: Analysis, finding: Finding, pipeline: string, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const before = samplePeriod(figuresOf(subject.before.run.report));
  return yield* fixesAmong(
    analysis,
    {
      pipeline,
      emphasis: 'time',
      met: (changed, after) =>
        relative(before, samplePeriod(figuresOf(after.run.report))) < -0.001 && !remains(changed, finding),
    },
    cutCandidates(subject, ['time', 'both']),
    again,
  );
}
