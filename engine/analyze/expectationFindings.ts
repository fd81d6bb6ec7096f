import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { PipelineReport } from '../values/report.ts';
import { figureOf, figureWords, holds, isOpen } from './expectations.ts';

/** `expect/failed` for each expectation that does not hold. A figure of several devices or stages counts by its largest. */
export function expectationFindings(plan: PipelinePlan, report: PipelineReport): PlanFinding[] {
  return plan.expects.flatMap((expect) => {
    if (isOpen(plan, expect)) return [];
    const figure = figureOf(plan, report, expect);
    if (holds(figure, expect)) return [];
    const figures = {
      text: expect.text,
      figure: figureWords(plan, report, figure, expect),
    };
    const { path, operator } = expect;
    const missed = { path, figure: expect.figure, value: figure, operator };
    // A figure that is unknown survives no JSON.
    const known = Number.isFinite(figure) ? { expect: missed } : {};
    const hint = { kind: 'tune', pipeline: plan.name, ...known } as const;
    // No other plan is nearer to what ran: its times are.
    const extras = expect.figure === 'drift' ? {} : { hint };
    return [planFinding('expect/failed', expect.path, figures, extras)];
  });
}
