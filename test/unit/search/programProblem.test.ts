import { describe, expect, it } from 'vitest';
import { leastStep } from '../../../engine/analyze/bound.ts';
import type { PipelinePlan } from '../../../engine/plan.ts';
import type { Program } from '../../../engine/program.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { boundSteps } from '../../../engine/search/bound.ts';
import { programProblem } from '../../../engine/search/programProblem.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { toEnd } from '../../../engine/steps.ts';
import * as fc from '../../support/property.ts';
import { runnable } from '../support/cases.ts';
import { policy, type Recipe, recipePlan } from '../support/plans.ts';

function boundOf(plan: PipelinePlan, program: Program, memory: boolean) {
  const timing = timingOf(plan, program);
  const timeline = simulate(program, timing);
  if (timeline === undefined) throw new Error('deadlock');
  const step = Float64Array.from(plan.devices, (_, device) => leastStep(program, timing, device));
  const found = programProblem({ plan, program, timing, step, memory });
  if ('reason' in found) return { ...found, timeline, bound: 0 };
  // Not capped by the order itself, so that a bound that is too high shows.
  const upper = Math.ceil(2 * timeline.makespan * found.perSecond) + 10;
  return { timeline, bound: toEnd(boundSteps(found.problem, upper, 2e6)).bound / found.perSecond };
}

const recipe = (schedule: string, rest: Partial<Recipe> = {}) => {
  const plan = recipePlan({ devices: 4, microbatches: 8, schedule: policy(schedule), ...rest });
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error('no program');
  return boundOf(plan, generated.program, false);
};

describe('the problem of a program', () => {
  it('is never harder than the program, with the memory that its order needs and without a limit', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const free = boundOf(plan, program, false);
        expect(free.bound).toBeLessThanOrEqual(free.timeline.makespan * (1 + 1e-9));
        const tight = {
          ...plan,
          devices: plan.devices.map((device, index) => ({
            ...device,
            memory: device.reserved + memoryPeak(plan, free.timeline, index).bytes,
          })),
        };
        const limited = boundOf(tight, program, true);
        expect(limited.bound).toBeLessThanOrEqual(limited.timeline.makespan * (1 + 1e-9));
      }),
      { numRuns: 200 },
    );
  });

  it('has a bound that zero-bubble orders of equal stages reach', () => {
    for (const schedule of ['zb_h1', 'zb_h2']) {
      const { bound, timeline } = recipe(schedule);
      expect(bound).toBe(timeline.makespan);
    }
  });

  it('has two chunks on a V: all work of a device after its first forward', () => {
    expect(recipe('zb_v', { stages: 8 }).bound).toBe(3 + 2 * 8 * 3);
  });

  it('counts the steps, and transfers on each path', () => {
    const { bound } = recipe('zb_h1', { devices: 2, microbatches: 1, latency: 3, sync: 5 });
    // F, transfer, F, I, transfer, I, W on device 0, then its step.
    expect(bound).toBe(1 + 3 + 1 + 1 + 3 + 1 + 1 + 5);
  });

  it('is refused where orders have other choices or fewer', () => {
    expect(recipe('pipedream')).toMatchObject({ reason: 'the schedule has no flush' });
    expect(recipe('chimera')).toMatchObject({ reason: 'stages have copies or segments' });
    expect(recipe('dualpipe', { devices: 4, stages: 4 })).toHaveProperty('reason');
  });
});
