/** What another choice is said to meet is what its own report says. */
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../engine/analyze/alternatives.ts';
import { figureOf, holds } from '../../../engine/analyze/expectations.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { ExpectPlan, PipelinePlan } from '../../../engine/values/plan.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { policyPlan } from '../schedule/plans.ts';

const reportOf = (plan: PipelinePlan): PipelineReport => {
  const { run } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('it does not run');
  return run.report;
};

const policies = ['1f1b', 'gpipe', 'zb_h1', 'eager_1f1b', 'pipedream', 'pipedream_2bw'];
const figures = [
  { figure: 'bubble' },
  { figure: 'bubble', device: 1 },
  { figure: 'iteration' },
  { figure: 'peak_memory' },
  { figure: 'in_flight', device: 0 },
] as const;

describe.each(policies)('the outcome of %s', (name) => {
  const equal = policyPlan(name, 4, 6);
  // Device 1 works longer, so that it idles less than the others.
  const stages = equal.stages.map((stage, at) => (at === 1 ? { ...stage, forward: 2 * stage.forward } : stage));
  const plan = { ...equal, stages };
  const report = reportOf(plan);

  it('has the bubble and the iteration of its report', () => {
    const outcome = outcomeOf(plan);
    expect(outcome?.bubble).toBeCloseTo(report.bubble.makespan, 12);
    expect(outcome?.iteration).toBeCloseTo(report.iteration, 12);
  });

  it.each(figures)('meets an expectation of $figure where its report does', (expected) => {
    const own = figureOf(plan, report, expected);
    for (const [bound, operator] of [
      [own, '<='],
      [own, '<'],
      [1.01 * own + 0.01, '<'],
      [0.99 * own - 0.01, '<'],
    ] as const) {
      const wanted: ExpectPlan = { ...expected, operator, bound, dimension: 'number', text: '', path: '/x' };
      // A pipeline of today in which each expectation holds.
      const today: PipelineReport = { ...report, iteration: 0, bubble: { ...report.bubble, makespan: -1 } };
      const asked = { ...plan, expects: [wanted] };
      const holdsToday = holds(figureOf(asked, today, wanted), wanted);
      expect(outcomeOf(asked)?.meets(today)).toBe(!holdsToday || holds(own, wanted));
    }
  });
});
