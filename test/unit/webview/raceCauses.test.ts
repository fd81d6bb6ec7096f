import { expect, it } from 'vitest';
import { deviceBehind, iterationOf } from '../../../engine/flow/sensitivity.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { comparison } from '../../../webview/worker/comparison.ts';
import type { RaceFigures } from '../../../webview/worker/messages.ts';
import { causeWords, differenceParts } from '../../../webview/session/raceCauses.ts';
import { analyseExample } from '../../support/analyse.ts';
import { pipeline } from '../../browser/plans.ts';

const figuresOf = (plan: PipelinePlan): RaceFigures => {
  const found = comparison().enter({ type: 'enter', id: 0, plan, kept: false });
  if ('reason' in found) throw new Error(found.reason);
  return found;
};

it('splits the difference of two iterations into parts that add up to it', () => {
  const plans = ['quickstart', 'gpt-22b', 'gpt-175b', 'systems/zero_bubble', 'systems/pipedream', 'systems/dapple']
    .flatMap((name) => analyseExample(`${name}.pipe`).pipelines)
    .filter(({ run }) => run !== undefined)
    .map(({ plan }) => figuresOf(plan));
  expect(plans.length).toBeGreaterThan(8);
  for (const now of plans)
    for (const before of plans) {
      const sum = differenceParts(now, before).reduce((total, { seconds }) => total + seconds, 0);
      expect(Math.abs(sum - (now.iteration - before.iteration))).toBeLessThan(
        1e-9 * (now.iteration + before.iteration),
      );
    }
});

it('names the part that changes the iteration most, in the direction in which it changes', () => {
  const causes = { fill_drain: 0.2, imbalance: 0.1, communication: 0, memory: 0, sync: 0, order: 0 };
  const before = { ...figuresOf(pipeline({ devices: 4, microbatches: 8 })), iteration: 1, bubble: 0.3, causes };
  const shorter = {
    ...before,
    iteration: 0.9,
    bubble: 0.2 / 0.9,
    causes: { ...causes, fill_drain: 0.1 / 0.9, imbalance: 0.1 / 0.9 },
  };
  expect(causeWords(shorter, before, undefined)).toBe('Largest cause: fill and drain, −100 ms per device on average.');
  // Less imbalance does not explain a longer iteration.
  const longer = {
    ...before,
    iteration: 1.1,
    bubble: 0.3 / 1.1,
    causes: { ...causes, fill_drain: 0.3 / 1.1, imbalance: 0 },
  };
  expect(causeWords(longer, before, 'gpu[1]')).toBe(
    'Largest cause: compute, +100 ms per device on average. gpu[1] explains over half of the difference.',
  );
  expect(causeWords({ ...before, iteration: 1.0001 }, before, undefined)).toBe('');
});

const base = pipeline({ devices: 4, microbatches: 8 });
const slowed = (devices: readonly number[], factor: number): PipelinePlan => ({
  ...base,
  stages: base.stages.map((stage, index) =>
    devices.includes(base.placement[index]) ? { ...stage, forward: stage.forward * factor } : stage,
  ),
});
const difference = (plan: PipelinePlan): number => (iterationOf(plan) ?? NaN) - (iterationOf(base) ?? NaN);

it('finds the device without which over half of the difference would be gone', () => {
  for (const device of [0, 1, 2, 3])
    for (const factor of [1.5, 3, 0.5]) {
      const plan = slowed([device], factor);
      const found = deviceBehind(plan, base, difference(plan));
      // One device that is faster than the others may change nothing.
      if (factor > 1) expect(found).toBe(device);
      else expect([undefined, device]).toContain(found);
    }
});

it('finds no device where all are slower, where the schedule differs, and where stages lie elsewhere', () => {
  const all = slowed([0, 1, 2, 3], 2);
  expect(deviceBehind(all, base, difference(all))).toBeUndefined();
  const other = { ...base, schedule: { ...base.schedule, name: 'gpipe' } } as PipelinePlan;
  expect(deviceBehind(other, base, difference(other))).toBeUndefined();
  const turned = { ...slowed([1], 3), placement: base.placement.toReversed() };
  expect(deviceBehind(turned, base, difference(turned))).toBeUndefined();
  const smaller = pipeline({ devices: 2, microbatches: 8 });
  expect(deviceBehind(smaller, base, 1)).toBeUndefined();
});
