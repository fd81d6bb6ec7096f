import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { memoryItems } from '../../../engine/analyze/memoryItems.ts';
import type { MemoryItem } from '../../../engine/values/report.ts';
import type { PipelinePlan, StagePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { B, F, I, type Program, R, W, kindOf, stageOf } from '../../../engine/values/program.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { withCopies } from '../support/copies.ts';
import { recipePlan, policy } from '../support/plans.ts';

/** Sizes that tell every item of every stage from every other, and whose sums are rounded. */
const sizes = (stage: number): Partial<StagePlan> => ({
  weights: 100.1 + stage,
  gradients: 200.3,
  optimizer: 400.7,
  buffers: 7.9,
  activation: 50.3 + stage * 0.1,
  activationForWeight: 20.7 + stage * 0.01,
  recomputed: 11.1 + stage,
  recomputedWhole: 13.3 + stage,
  workspace: 3.7 + stage,
});

function itemsOf(plan: PipelinePlan, program: Program) {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('never ends');
  return plan.devices.map((_, device) => {
    const peak = memoryPeak(plan, timeline, device);
    return { device, peak, items: memoryItems(plan, program, peak, device) };
  });
}

const made = (plan: PipelinePlan): Program => {
  const generated = generate(plan);
  if ('faults' in generated) throw new Error(generated.faults[0]?.message);
  return generated.program;
};
const sum = (items: readonly MemoryItem[]): number => items.reduce((all, item) => all + item.bytes, 0);
const countsOf = (items: readonly MemoryItem[], kind: MemoryItem['kind']) =>
  Object.fromEntries(items.flatMap((item) => (item.kind === kind ? [[item.stage, item.count]] : [])));

/** Straight from the order: what has run up to the slot, less what has ended before it. */
function counted(plan: PipelinePlan, program: Program, device: number, last: number) {
  const { offsets, order, fused } = program;
  const first = last > offsets[device] && fused?.[last - 1] === 1 ? last - 1 : last;
  const tally = (stage: number, kinds: readonly number[], end: number) => {
    let found = 0;
    for (let at = offsets[device]; at < end; at += 1)
      if (stageOf(program, order[at]) === stage && kinds.includes(kindOf(program, order[at]))) found += 1;
    return found;
  };
  const local = plan.stages.flatMap((_, stage) => (plan.placement[stage] === device ? [stage] : []));
  const named = (count: (stage: number) => number) =>
    Object.fromEntries(local.flatMap((stage) => (count(stage) > 0 ? [[plan.stages[stage].name, count(stage)]] : [])));
  return {
    activations: named((stage) => {
      const gone = program.forwardOnly === true ? tally(stage, [F], first) : tally(stage, [B, I], first);
      return tally(stage, [F], last + 1) - gone;
    }),
    activations_for_weight: named((stage) => tally(stage, [I], first) - tally(stage, [W], first)),
  };
}

describe('items of the peak', () => {
  describe.each(policies.map((each) => [each.name, each] as const))(
    'of %s',
    (name, { chunks, parameters, weights }) => {
      it('add up to it, and count what has run and not ended', () => {
        let ran = 0;
        const iterations =
          parameters.some((parameter) => parameter.name === 'weights') || (weights?.({}) ?? 'flush') !== 'flush'
            ? 3
            : 1;
        for (const devices of [1, 2, 3, 4, 8]) {
          for (const microbatches of [1, 2, 5, 8]) {
            const stages = devices * chunks({});
            const bare = recipePlan({
              devices,
              stages,
              microbatches,
              schedule: policy(name),
              latency: 0.25,
              occupancy: 0.5,
            });
            const cut = {
              ...bare,
              iterations,
              stages: bare.stages.map((stage, index) => ({ ...stage, ...sizes(index) })),
            };
            const found = policies.find((candidate) => candidate.name === name);
            if ((found?.check(shapeOf(cut)) ?? []).length > 0) continue;
            const plan = withCopies(cut);
            const generated = generate(plan);
            if ('faults' in generated) continue;
            const { program } = generated;
            for (const { device, peak, items } of itemsOf(plan, program)) {
              ran += 1;
              expect(sum(items)).toBeCloseTo(peak.bytes, 6);
              expect(items.every((item) => item.bytes > 0)).toBe(true);
              if (peak.moved !== undefined || peak.position < 0) continue;
              const expected = counted(plan, program, device, peak.position);
              expect(countsOf(items, 'activations')).toEqual(expected.activations);
              expect(countsOf(items, 'activations_for_weight')).toEqual(expected.activations_for_weight);
            }
          }
        }
        expect(ran).toBeGreaterThan(0);
      });
    },
  );

  it('of 1F1B are min(m, p − i) activations, all else once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 12 }), (devices, microbatches) => {
        const stage = { weights: 2, gradients: 4, optimizer: 12, activation: 10, workspace: 3, buffers: 1 };
        const plan = recipePlan({ devices, microbatches, schedule: policy('1f1b'), stage });
        for (const { device, items } of itemsOf(plan, made(plan))) {
          const count = Math.min(microbatches, devices - device);
          const own = { stage: `s${device}`, count };
          expect(items).toEqual([
            { kind: 'weights', bytes: 2 },
            { kind: 'gradients', bytes: 4 },
            { kind: 'optimizer', bytes: 12 },
            { kind: 'buffers', bytes: 1 },
            { kind: 'activations', ...own, bytes: 10 * count },
            { kind: 'workspace', ...own, count: 1, bytes: 3 },
          ]);
        }
      }),
    );
  });

  it('of a backward that recomputes have what it makes again, once', () => {
    const stage = { activation: 2, recomputed: 100, activationForWeight: 0 };
    const plan = recipePlan({ devices: 2, microbatches: 4, schedule: policy('gpipe'), stage });
    for (const { device, items } of itemsOf(plan, made(plan))) {
      const own = { stage: `s${device}` };
      expect(items).toEqual([
        { kind: 'activations', ...own, count: 4, bytes: 8 },
        { kind: 'recomputed', ...own, count: 1, bytes: 100 },
      ]);
    }
  });

  it('of a recomputation that goes ahead have all that it made', () => {
    const schedule = policy('1f1b', { recompute: 'ahead' });
    const stage = { activation: 1, recompute: 1, recomputed: 10, recomputedWhole: 30 };
    const plan = recipePlan({ devices: 4, microbatches: 8, schedule, stage, latency: 1 });
    const program = made(plan);
    expect(program.order.some((word) => kindOf(program, word) === R)).toBe(true);
    for (const { peak, items } of itemsOf(plan, program)) {
      const again = items.filter(({ kind }) => kind === 'recomputed');
      expect(again.map(({ bytes, count = 0 }) => bytes / count)).toEqual([30]);
      expect(sum(items)).toBe(peak.bytes);
    }
  });

  it('of BPipe tell whose activations a device keeps', () => {
    const plan = recipePlan({
      devices: 4,
      microbatches: 12,
      schedule: policy('bpipe'),
      activation: 1,
      occupancy: 0.25,
    });
    const [first, , , last] = itemsOf(plan, made(plan));
    // 1F1B holds 4 and 1: ⌈(p + 2) / 2⌉ of them are a most of 3 for each, so the first gives what is over.
    expect(countsOf(first.items, 'activations')).toEqual({ s0: 3 });
    expect(last.items.map(({ kind, stage, of }) => [kind, stage, of])).toEqual([
      ['activations', 's0', 'gpu[0]'],
      ['activations', 's3', undefined],
    ]);
    expect(sum(last.items)).toBe(last.peak.bytes);
  });

  it('have older versions of the weights where a schedule keeps some', () => {
    // PipeDream, an update for each microbatch: stage i of p keeps p − i versions, one of which is the newest.
    const bare = recipePlan({ devices: 4, microbatches: 1, schedule: policy('pipedream'), stage: { weights: 10 } });
    const plan = { ...bare, iterations: 12 };
    for (const { device, items } of itemsOf(plan, made(plan))) {
      const versions = items.filter(({ kind }) => kind === 'versions').map(({ bytes }) => bytes);
      expect(versions).toEqual(device === 3 ? [] : [10 * (3 - device)]);
    }
  });
});
