import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { PipelinePlan, StagePlan } from '../../../engine/values/plan.ts';
import { parametersOf } from '../../../engine/policies/parameters.ts';
import type { Program } from '../../../engine/values/program.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak, memoryTrack } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { withCopies } from '../support/copies.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { namesOf, programFor } from './bruteForce.ts';
import { quickly } from './gridCase.ts';

const p = fc.integer({ min: 1, max: 7 });
const m = fc.integer({ min: 1, max: 16 });
const cost = fc.integer({ min: 1, max: 9 });

/** Equal stages: F, I, W and R; a microbatch keeps 2 bytes, and recomputation makes 5 of one layer, 9 of all. */
const equal = (name: string, devices: number, microbatches: number, recompute: number, args = {}, more = {}) =>
  recipePlan({
    devices,
    microbatches,
    schedule: policy(name, args),
    forward: [2],
    backwardInput: [3],
    backwardWeight: [4],
    stage: {
      recompute,
      activation: 2,
      activationForWeight: 1,
      recomputed: 5,
      recomputedWhole: 9,
      recomputeMode: 'full',
    },
    ...more,
  });
const ahead = (plan: PipelinePlan): PipelinePlan =>
  plan.schedule.kind === 'policy'
    ? { ...plan, schedule: { ...plan.schedule, args: { ...plan.schedule.args, recompute: 'ahead' } } }
    : plan;
const run = (plan: PipelinePlan, program: Program = programFor(plan)) => {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('never ends');
  return timeline;
};
const peaks = (plan: PipelinePlan): number[] => {
  const timeline = run(plan);
  return plan.devices.map((_, device) => memoryPeak(plan, timeline, device).bytes);
};

describe('recomputation ahead of the gradient', () => {
  // F = 2, B = 7: with R inside of the backward every device idles (p − 1)(F + R + B), with R ahead (p − 1)(F + B).
  for (const name of ['gpipe', '1f1b']) {
    it(`under ${name} hides in fill and drain: (p − 1)(F + B) + m (F + R + B)`, () => {
      fc.assert(
        fc.property(p, m, fc.integer({ min: 1, max: 2 }), (devices, microbatches, R) => {
          const plan = equal(name, devices, microbatches, R);
          expect(run(plan).makespan).toBe((microbatches + devices - 1) * (2 + R + 7));
          const makespan = (devices - 1) * (2 + 7) + microbatches * (2 + R + 7);
          expect(run(ahead(plan)).makespan).toBe(makespan);
          expect(makespan - Math.max(...run(ahead(plan)).busy)).toBe((devices - 1) * (2 + 7));
        }),
      );
    });
  }

  it('stands just before its backward, and before the slot where that is shared', () => {
    expect(namesOf(programFor(ahead(equal('1f1b', 2, 2, 1))))).toEqual([
      ['0F0', '0F1', '0R0', '0B0', '0R1', '0B1'],
      ['1F0', '1R0', '1B0', '1F1', '1R1', '1B1'],
    ]);
    expect(namesOf(programFor(ahead(equal('zb_h1', 1, 2, 1))))).toEqual([
      ['0F0', '0R0', '0I0', '0W0', '0F1', '0R1', '0I1', '0W1'],
    ]);
  });

  it('holds what all layers make from R to the end of the backward', () => {
    const plan = ahead(equal('1f1b', 1, 1, 3));
    const { at, bytes } = memoryTrack(plan, run(plan), 0);
    expect([...at]).toEqual([0, 2, 12]);
    expect([...bytes]).toEqual([2, 2 + 9, 0]);
  });

  it('stays in the backward on devices without room for it, and only there', () => {
    // Peaks of 1F1B on four devices, R inside: 4 to 1 microbatches of 2 bytes and 5 more; ahead 9 more.
    const plan = equal('1f1b', 4, 8, 1, {}, { memory: 14 });
    expect(peaks(plan)).toEqual([13, 11, 9, 7]);
    expect(peaks(ahead(plan))).toEqual([13, 11, 13, 11]);
    const { apart } = programFor(ahead(plan));
    expect([...(apart ?? [])]).toEqual([0, 0, 1, 1]);
  });

  it('changes nothing where nothing is recomputed, or nothing fits', () => {
    const none = recipePlan({ devices: 3, microbatches: 4, schedule: policy('1f1b') });
    expect(programFor(ahead(none))).toEqual(programFor(none));
    const full = equal('1f1b', 3, 4, 1, {}, { memory: 3 });
    expect(programFor(ahead(full))).toEqual(programFor(full));
  });
});

const taking = policies.filter((candidate) => parametersOf(candidate).some(({ name }) => name === 'recompute'));
describe.each(taking)('recomputation ahead under $name', (one) => {
  it('gives a program that ends no later and fits as well, whatever the costs and the memory', () => {
    fc.assert(
      fc.property(
        p,
        m,
        fc.array(cost, { minLength: 60, maxLength: 60 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 10, max: 250 }),
        (devices, microbatches, costs, latency, memory) => {
          const isChunked = one.parameters.some(({ name }) => name === 'chunks');
          const args = quickly<Record<string, number>>(one, isChunked ? { chunks: 2 } : {});
          const stages = devices * one.chunks(args);
          const stageOf = (stage: number): Partial<StagePlan> => ({
            recompute: stage % 5 === 4 ? 0 : costs[stage],
            activation: costs[stage + 1],
            activationForWeight: 1,
            recomputed: stage % 5 === 4 ? 0 : costs[stage + 2],
            recomputedWhole: stage % 5 === 4 ? 0 : costs[stage + 2] + costs[stage + 3],
          });
          const cut = recipePlan({
            devices,
            stages,
            microbatches,
            schedule: policy(one.name, args),
            forward: costs.slice(0, 20),
            backwardInput: costs.slice(20, 40),
            backwardWeight: costs.slice(40, 60),
            latency,
            memory,
          });
          const plan = withCopies({
            ...cut,
            stages: cut.stages.map((stage, index) => ({ ...stage, ...stageOf(index) })),
          });
          fc.pre(one.check(shapeOf(plan)).length === 0);
          const before = run(plan);
          const program = programFor(ahead(plan));
          expect(validate(program, plan)).toEqual([]);
          const after = run(plan, program);
          expect(after.makespan).toBeLessThanOrEqual(before.makespan + 1e-9);
          for (let device = 0; device < plan.devices.length; device += 1) {
            const [was, is] = [before, after].map((each) => memoryPeak(plan, each, device).bytes);
            expect(is).toBeLessThanOrEqual(Math.max(was, memory) + 1e-9);
          }
          // Beside the Rs, every device does the same in the same order.
          const others = namesOf(program).map((row) => row.filter((name) => !name.includes('R')));
          expect(others).toEqual(namesOf(programFor(plan)));
        },
      ),
      { numRuns: 15 },
    );
  });
});
