/** What tests of `plan(…)` read of a file. */
import type { Analysis } from '../../../engine/flow/check.ts';

export const errorsOf = (analysis: Analysis): readonly string[] =>
  analysis.findings.flatMap((finding) => (finding.severity === 'error' ? [`${finding.code}: ${finding.message}`] : []));

/** The plan of the first pipeline, without what says how it was cut. */
export const withoutCut = (analysis: Analysis) => ({ ...analysis.resolution.plan.pipelines[0], cut: undefined });
