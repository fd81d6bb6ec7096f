/** Random pipelines with uneven stages, and orders of theirs checked without the engine's own search. */
import * as fc from '../../../support/property.ts';
import type { PipelinePlan, PolicyArgument } from '../../../../engine/values/plan.ts';
import type { Program } from '../../../../engine/values/program.ts';
import { simulate } from '../../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { recipePlan } from '../../support/plans.ts';
import { rowsOf } from '../bruteForce.ts';

export interface Sizes {
  readonly devices: number;
  readonly microbatches: number;
}

const cost = fc.integer({ min: 0, max: 9 });
const list = (arbitrary: fc.Arbitrary<number>) => fc.array(arbitrary, { minLength: 12, maxLength: 12 });

/** Stages of any times and sizes (W may need more than F kept), any transfers, any steps; `schedule` is set by `under`. */
export const pipelines = ({ devices, microbatches }: Sizes): fc.Arbitrary<PipelinePlan> =>
  fc
    .record({
      p: fc.integer({ min: 1, max: devices }),
      m: fc.integer({ min: 1, max: microbatches }),
      forward: list(cost),
      input: list(cost),
      weight: list(cost),
      activation: list(fc.integer({ min: 1, max: 5 })),
      forWeight: list(fc.integer({ min: 0, max: 6 })),
      latency: list(fc.integer({ min: 0, max: 5 })),
      step: list(fc.integer({ min: 0, max: 4 })),
    })
    .map((one) => {
      const plan = recipePlan({
        devices: one.p,
        microbatches: one.m,
        schedule: { kind: 'policy', name: 'zb_auto', args: {} },
        forward: one.forward,
        backwardInput: one.input,
        backwardWeight: one.weight,
      });
      return {
        ...plan,
        stages: plan.stages.map((stage, index) => ({
          ...stage,
          activation: one.activation[index],
          activationForWeight: one.forWeight[index],
        })),
        routes: plan.routes.map((route) => ({ ...route, latency: one.latency[Math.min(route.from, route.to)] })),
        step: plan.devices.map((_, device) => ({ sync: one.step[device], optimizer: 0 })),
      };
    });

export const under = (plan: PipelinePlan, limit?: PolicyArgument, objective = 'makespan'): PipelinePlan => ({
  ...plan,
  schedule: { kind: 'policy', name: 'zb_auto', args: { objective, ...(limit === undefined ? {} : { limit }) } },
});

export const bytes = (value: number): PolicyArgument => ({ value, dimension: 'bytes' });

export function makespan(plan: PipelinePlan, program: Program): number {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('it never ends');
  return timeline.makespan;
}

/** Longest time between the first start and the last end of a device. */
export function longestSpan(plan: PipelinePlan, program: Program): number {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('it never ends');
  return Math.max(...timeline.last.map((end, device) => end - timeline.first[device]));
}

/** Most bytes that each device holds: F takes at its start, I and W free at their end. */
export const heldBy = (plan: PipelinePlan, program: Program): readonly number[] =>
  rowsOf(program).map((row, device) => {
    const { activation, activationForWeight } = plan.stages[device];
    let held = 0;
    let most = 0;
    for (const { letter } of row) {
      if (letter === 'F') held += activation;
      if (letter === 'I') held += activationForWeight - activation;
      if (letter === 'W') held -= activationForWeight;
      most = Math.max(most, held);
    }
    return most;
  });

/** All orders of one device: words of m letters each in which no I is before its F and no W before its I. */
export function words(m: number): readonly string[] {
  const found: string[] = [];
  const extend = (word: string, f: number, i: number, w: number): void => {
    if (w === m) found.push(word);
    if (f < m) extend(`${word}F`, f + 1, i, w);
    if (i < f) extend(`${word}I`, f, i + 1, w);
    if (w < i) extend(`${word}W`, f, i, w + 1);
  };
  extend('', 0, 0, 0);
  return found;
}
