import { expect, test } from 'vitest';
import { evaluate, simulated } from '../../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { policy, recipePlan } from '../../support/plans.ts';

/** The plan, and how often other plans were made of it: that is how an evaluation tries other schedules. */
function watched(plan: PipelinePlan): { readonly plan: PipelinePlan; readonly variants: () => number } {
  let variants = 0;
  const proxy = new Proxy(plan, {
    ownKeys(target) {
      variants += 1;
      return Reflect.ownKeys(target);
    },
  });
  return { plan: proxy, variants: () => variants };
}

const plan = recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b') });

test('the preview simulates the schedule of the plan and no other one', () => {
  const evaluated = watched(plan);
  // What helps is looked for when a message is read.
  const { findings } = evaluate(evaluated.plan, defaultOptions);
  expect(findings.map(({ message }) => message).join(' ')).toContain('zb');
  expect(evaluated.variants()).toBeGreaterThan(0);
  const shown = watched(plan);
  expect(simulated(shown.plan)).toHaveProperty('run');
  expect(shown.variants()).toBe(0);
});

test('causes of the bubble are found when they are read, because trials do not read them', () => {
  const rule: PipelinePlan['schedule'] = {
    kind: 'greedy',
    name: 'mine',
    placement: 'linear',
    weights: 'flush',
    prefer: ['B', 'F', 'W'],
    split: false,
    inFlight: [1, 1, 1, 1],
  };
  // Without its limits the rule is another plan.
  const limited = watched({ ...plan, schedule: rule });
  const found = simulated(limited.plan);
  const before = limited.variants();
  expect('run' in found ? found.run.report.bubble.causes.memory : NaN).toBeGreaterThan(0.1);
  expect(limited.variants()).toBe(before + 1);
});

test('its figures are those of the evaluation', () => {
  const { run } = evaluate(plan, defaultOptions);
  expect(simulated(plan)).toEqual({ run });
});

test('a plan that cannot run has the faults that the evaluation has', () => {
  const broken: PipelinePlan = { ...plan, schedule: { kind: 'rows', name: 'empty', rows: [] } };
  const { run, findings } = evaluate(broken, defaultOptions);
  expect(run).toBeUndefined();
  expect(findings.length).toBeGreaterThan(0);
  expect(simulated(broken)).toEqual({ faults: findings });
});
