import { describe, expect, it } from 'vitest';
import { leastStep } from '../../../engine/analyze/bound.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { B, I, type Program } from '../../../engine/values/program.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { boundSteps } from '../../../engine/search/bound.ts';
import { type ProgramFacts, programProblem } from '../../../engine/search/programProblem.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
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
      { numRuns: 60 },
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
    const { plan, program, timing } = twoStages();
    const reason = (changed: Partial<ProgramFacts>) => problem({ plan, program, timing, ...changed });
    for (const [changed, why] of [
      [{ program: { ...program, forwardOnly: true } }, 'nothing runs backwards'],
      [{ program: { ...program, overlap: 0.5 } }, 'operations share slots'],
      [{ program: { ...program, fused: new Uint8Array(program.order.length) } }, 'operations share slots'],
      [{ program: { ...program, apart: new Uint8Array(2) } }, 'recomputation is a separate operation'],
      [{ timing: { ...timing, single: singleOf(timing.duration) } }, 'microbatches take different times'],
      [{ timing: { ...timing, needs: timing.needs.map(() => 5) } }, 'the stages are not a chain in both directions'],
      [{ plan: { ...plan, stages: plan.stages.map((stage) => ({ ...stage, ...frozen })) } }, 'stages are frozen'],
    ] as const)
      expect(reason(changed)).toEqual({ reason: why });
  });

  it('takes the shorter direction of a transfer', () => {
    for (const [bytes, back] of [
      [2, 3],
      [3, 2],
    ] as const) {
      const found = solvable({ edges: [{ from: 0, to: 1, bytes, back }] });
      expect(found.problem.transfer[0] / found.perSecond).toBeCloseTo(2, 12);
    }
  });

  it('counts no more than the whole backward takes', () => {
    const { plan, program, timing } = twoStages();
    const duration = timing.duration.slice();
    duration[I * 2] = 1.5;
    duration[B * 2 + 1] = 0.75;
    const found = problem({ plan, program, timing: { ...timing, duration } });
    if ('reason' in found) throw new Error(found.reason);
    expect(Array.from(found.problem.input, (ticks) => ticks / found.perSecond)).toEqual([1.5, 0.75]);
    expect(Array.from(found.problem.weight, (ticks) => ticks / found.perSecond)).toEqual([0.5, 0]);
  });

  it('has the memory of a device without what is always there and what a forward works with', () => {
    const stage = { weights: 10, gradients: 20, optimizer: 30, buffers: 5, workspace: 3, activation: 7 };
    expect(solvable({ memory: 100, stage }).problem.limit).toEqual(Float64Array.of(32, 32));
    const offloaded = { layers: 1, bytes: 1, forWeight: 0, busy: 0, exposed: 0, split: 0 };
    expect(solvable({ memory: 100, stage: { ...stage, offloaded } }).problem.limit).toEqual(
      Float64Array.of(Infinity, Infinity),
    );
    const { plan, program, timing } = twoStages({ memory: 100, stage });
    const away = problem({ plan, program: { ...program, partner: Int32Array.of(1, -1) }, timing });
    expect(away).toMatchObject({ problem: { limit: Float64Array.of(Infinity, Infinity) } });
  });
});

const frozen = { trainable: 0, activation: 0, activationForWeight: 0, backwardInput: 0, backwardWeight: 0 };
const singleOf = (duration: Float64Array) => ({ seconds: duration, layers: duration, least: duration, most: duration });

function twoStages(rest: Partial<Recipe> = {}) {
  const plan = recipePlan({ devices: 2, microbatches: 2, schedule: policy('1f1b'), occupancy: 1, ...rest });
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error('no program');
  return { plan, program: generated.program, timing: timingOf(plan, generated.program) };
}

const problem = (facts: Pick<ProgramFacts, 'plan' | 'program' | 'timing'>) =>
  programProblem({ step: new Float64Array(2), memory: true, ...facts });

function solvable(rest: Partial<Recipe>) {
  const found = problem(twoStages(rest));
  if ('reason' in found) throw new Error(found.reason);
  return found;
}
