import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { fillReport } from '../../../engine/fill/fillReport.ts';
import { fillStop } from '../../../engine/fill/describe.ts';
import type { FillPlan, PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { type Timeline, endAt, startAt } from '../../../engine/values/timeline.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { plainFirstFit } from './firstFit.ts';

const fillOf = (tasks: readonly (readonly [number, number])[], overhead = 0): FillPlan => ({
  model: 'small',
  work: 'inference',
  overhead,
  tasks: { gpu: tasks.map(([seconds, bytes], index) => ({ layer: `l[${index}]`, seconds, bytes })) },
});

function run(plan: PipelinePlan): Timeline {
  const generated = generate(plan);
  const timeline = 'program' in generated ? simulate(generated.program, timingOf(plan, generated.program)) : undefined;
  if (timeline === undefined) throw new Error('does not run');
  return timeline;
}

function reportOf(plan: PipelinePlan) {
  const found = fillReport(plan, run(plan));
  if (found === undefined) throw new Error('no fill');
  return found;
}

/** Gaps of a device, from the spans of its operations. */
function gapsOf(timeline: Timeline, device: number): (readonly [number, number])[] {
  const { offsets } = timeline.program;
  const after = timeline.timing.sync[device] + timeline.timing.optimizer[device];
  const spans = Array.from({ length: offsets[device + 1] - offsets[device] }, (_, index) => {
    const at = offsets[device] + index;
    return [startAt(timeline, at), endAt(timeline, at)] as const;
  });
  const ends = [0, ...spans.map(([, end]) => end)];
  ends[ends.length - 1] += after;
  return [...spans.map(([start]) => start), timeline.makespan].flatMap((until, index) =>
    until > ends[index] ? [[ends[index], until] as const] : [],
  );
}

const p = fc.integer({ min: 1, max: 8 });
const m = fc.integer({ min: 1, max: 20 });
const cost = fc.integer({ min: 1, max: 9 });

describe('a fill job', () => {
  it('fills 1F1B as its closed form says: the lengths of its intervals, divided by the task', () => {
    fc.assert(
      fc.property(p, m, cost, cost, cost, fc.integer({ min: 0, max: 2 }), (p, extra, f, b, d, overhead) => {
        // With m ≥ p and F < B, device i idles iF, then (p − 1 − i)B, then p − 1 − i times F, then iB.
        const F = Math.min(f, b);
        const B = Math.max(f, b) + 1;
        const plan = {
          ...recipePlan({
            devices: p,
            microbatches: p + extra,
            schedule: policy('1f1b'),
            forward: [F],
            backwardInput: [B],
            backwardWeight: [0],
          }),
          fill: fillOf([[d, 0]], overhead),
        };
        const { devices, recovered, slowdown, time } = reportOf(plan);
        const fits = (length: number) => Math.max(0, Math.floor((length - 2 * overhead) / d));
        const expected = devices.map(
          (_, i) => fits(i * F) + fits((p - 1 - i) * B) + (p - 1 - i) * fits(F) + fits(i * B),
        );
        expect(devices.map((device) => device.tasks)).toEqual(expected);
        const all = expected.reduce((sum, value) => sum + value, 0) * d;
        expect(time).toBeCloseTo(all, 9);
        expect(recovered).toBeCloseTo(p === 1 ? 0 : all / (p * (p - 1) * (F + B)), 9);
        expect(slowdown).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('is placed first fit into what any schedule leaves, in time and memory', () => {
    const task = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(
        p,
        m,
        fc.constantFrom('gpipe', '1f1b', 'eager_1f1b', 'zb_h1', 'zb_h2'),
        fc.array(cost, { minLength: 8, maxLength: 8 }),
        fc.array(task, { maxLength: 5 }),
        fc.record({
          memory: fc.integer({ min: 5, max: 30 }),
          overhead: fc.integer({ min: 0, max: 2 }),
          sync: fc.integer({ min: 0, max: 4 }),
          latency: fc.integer({ min: 0, max: 3 }),
        }),
        (p, m, name, times, tasks, { memory, overhead, sync, latency }) => {
          const plain = recipePlan({
            devices: p,
            microbatches: m,
            schedule: policy(name),
            forward: times,
            backwardInput: times.toReversed(),
            backwardWeight: times,
            sync,
            latency,
            memory,
          });
          const plan = { ...plain, fill: fillOf(tasks, overhead) };
          const timeline = run(plan);
          const report = reportOf(plan);
          for (let device = 0; device < p; device += 1) {
            const { at, bytes, capacity } = memoryTrack(plan, timeline, device);
            const expected = plainFirstFit({
              idle: gapsOf(timeline, device),
              levels: Array.from(at, (from, index) => [from, bytes[index]] as const),
              capacity,
              tasks: plan.fill.tasks['gpu'],
              overhead,
            });
            const one = report.devices[device];
            expect(one.tasks).toBe(expected.length);
            expect(one.time).toBeCloseTo(
              expected.reduce((sum, { at: from, end }) => sum + end - from, 0),
              9,
            );
            expect(one.time).toBeLessThanOrEqual(one.idle + 1e-9);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does nothing to the pipeline: its timeline is the one without the job', () => {
    const plan = recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b') });
    const filled = { ...plan, fill: fillOf([[1, 0]], 0.25) };
    expect(run(filled).end).toEqual(run(plan).end);
    expect(fillReport(plan, run(plan))).toBeUndefined();
  });

  it('says which task fits nowhere, and takes jobs without time for what they are', () => {
    const plan = recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b'), memory: 20 });
    const stops = (tasks: readonly (readonly [number, number])[]) =>
      reportOf({ ...plan, fill: fillOf(tasks) }).devices.map(fillStop);
    expect(stops([[100, 0]])[0]).toBe('gpu[0]: l[0] (100 s, 0 B) fits into no idle interval; the longest is 6 s');
    expect(stops([[1, 21]])[3]).toContain('l[0] (1 s, 21 B) fits into no idle interval');
    expect(stops([[0, 0]])[0]).toBe('gpu[0]: every layer of the fill job takes no time');
    expect(stops([])[0]).toBe('gpu[0]: every layer of the fill job takes no time');
    expect(stops([[1, 1]])).toEqual([undefined, undefined, undefined, undefined]);
    const blocked = reportOf({
      ...plan,
      fill: fillOf([
        [1, 0],
        [100, 0],
      ]),
    });
    expect(blocked.devices.map((device) => [device.tasks, device.next?.layer, device.next?.fits])).toEqual(
      Array.from({ length: 4 }, () => [1, 'l[1]', false]),
    );
  });
});
