import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import type { PipelinePlan, StagePlan } from '../../../engine/values/plan.ts';
import { B, F, I, W, kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { heldAt } from '../../../engine/order/memory/held.ts';
import { mostHeld } from '../../../engine/order/memory/most.ts';
import { walkMemory } from '../../../engine/order/memory/walk.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { memoryPeak, memoryTrack, memoryTracks } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { endAt, startAt, type Timeline } from '../../../engine/values/timeline.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { oneForwardOneBackward, programOf } from '../support/programs.ts';

const sizes = {
  weights: 100,
  gradients: 200,
  optimizer: 400,
  buffers: 7,
  activation: 50,
  activationForWeight: 20,
  recomputed: 11,
  workspace: 3,
};
const sized = (plan: PipelinePlan): PipelinePlan => ({
  ...plan,
  stages: plan.stages.map((stage, index) => ({ ...stage, ...sizes, activation: sizes.activation + index })),
});
const run = (plan: PipelinePlan, program: Parameters<typeof timingOf>[1]): Timeline => {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('deadlock');
  return timeline;
};

it('holds at every moment what the operations before and around it say', () => {
  fc.assert(
    fc.property(runnable, ({ plan: bare, program }) => {
      const plan = sized(bare);
      const timeline = run(plan, program);
      for (let device = 0; device < program.devices; device += 1) {
        const spans = spansOf(plan, timeline, device);
        const track = memoryTrack(plan, timeline, device);
        const peak = memoryPeak(plan, timeline, device);
        const moments = new Set<number>();
        for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
          if (endAt(timeline, at) > startAt(timeline, at))
            moments.add((startAt(timeline, at) + endAt(timeline, at)) / 2);
        }
        for (const moment of moments) {
          const expected = spans.reduce(
            (sum, span) => (span.from <= moment && moment < span.to ? sum + span.bytes : sum),
            track.base,
          );
          const index = track.at.findLastIndex((at) => at <= moment);
          expect(track.bytes[index]).toBe(expected);
          expect(peak.bytes).toBeGreaterThanOrEqual(expected);
        }
        expect(track.bytes[track.bytes.length - 1]).toBe(track.base);
      }
    }),
    { numRuns: 200 },
  );
});

/** Each size of a stage, times a factor. */
const scaled = (plan: PipelinePlan, factor: number): PipelinePlan => ({
  ...plan,
  stages: plan.stages.map((stage) => ({
    ...stage,
    weights: 0,
    gradients: 0,
    optimizer: 0,
    buffers: 0,
    activation: stage.activation * factor,
    activationForWeight: stage.activationForWeight * factor,
    recomputed: stage.recomputed * factor,
    workspace: stage.workspace * factor,
  })),
});

/** Levels and peaks of halves are half those of wholes. */
function expectHalf(bare: PipelinePlan, timeline: Timeline): void {
  const [whole, half] = [scaled(sized(bare), 1), scaled(sized(bare), 0.5)];
  for (let device = 0; device < timeline.program.devices; device += 1) {
    const { at, bytes } = memoryTrack(half, timeline, device);
    const expected = memoryTrack(whole, timeline, device);
    expect(at).toEqual(expected.at);
    expect(bytes.map((level) => 2 * level)).toEqual(expected.bytes);
    const { bytes: most, inFlight, position } = memoryPeak(whole, timeline, device);
    expect(memoryPeak(half, timeline, device)).toMatchObject({ bytes: most / 2, inFlight, position });
  }
}

it('follows every size of a stage, though the program was walked before with others', () => {
  const nothing = { trainable: 0, activation: 0, activationForWeight: 0, backwardInput: 0, backwardWeight: 0 };
  const changes: readonly (readonly [Partial<StagePlan>, Partial<StagePlan>])[] = [
    [{}, { activation: 60 }],
    [{}, { activationForWeight: 31 }],
    [{}, { recomputed: 17 }],
    [{}, { recomputedWhole: 40 }],
    [{}, { workspace: 90 }],
    [{}, { offloaded: { layers: 1, bytes: 5, forWeight: 70, busy: 1, exposed: 0, split: 0 } }],
    [{ ...nothing, trainable: 1 }, nothing],
  ];
  fc.assert(
    fc.property(runnable, fc.constantFrom(...changes), fc.nat(), ({ plan, program: bare }, [from, to], bits) => {
      const program = { ...bare, apart: Uint8Array.from(plan.stages, (_, stage) => (bits >> (stage % 16)) & 1) };
      const under = (change: Partial<StagePlan>): PipelinePlan => ({
        ...plan,
        stages: sized(plan).stages.map((stage) => ({ ...stage, ...from, ...change })),
      });
      for (let device = 0; device < program.devices; device += 1) {
        mostHeld(under({}), program, device);
        expect(mostHeld(under(to), program, device)).toEqual(mostHeld(under(to), { ...program }, device));
      }
    }),
    { numRuns: 400 },
  );
});

it('counts half bytes as it counts whole ones', () => {
  fc.assert(
    fc.property(runnable, ({ plan, program }) => expectHalf(plan, run(plan, program))),
    { numRuns: 200 },
  );
});

it('counts them so on a device with two stages and more operations than are counted at a time', () => {
  const plan = recipePlan({ devices: 2, stages: 4, microbatches: 200, schedule: policy('zb_v') });
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error('The plan has an order.');
  expectHalf(plan, run(plan, generated.program));
});

it('holds nothing at the end, whatever the bytes of one stage and of the next', () => {
  const pairs = fc.constantFrom([2 ** 53 - 1, 1], [2 ** 52, 1], [2 ** 51 + 1, 1], [0.1, 0.9]);
  fc.assert(
    fc.property(runnable, pairs, ({ plan: bare, program }, pair) => {
      const plan = scaled(bare, 0);
      const timeline = run(plan, program);
      const stages = plan.stages.map((stage, index) => ({ ...stage, activation: pair[index % 2] }));
      for (let device = 0; device < program.devices; device += 1) {
        const { bytes } = memoryTrack({ ...plan, stages }, timeline, device);
        expect(bytes[bytes.length - 1]).toBe(0);
      }
    }),
    { numRuns: 400 },
  );
});

it('keeps min(m, p − i) microbatches in flight under 1F1B, the peak reached when the last warm-up forward has ended', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 12 }), (devices, microbatches) => {
      const placement = Array.from({ length: devices }, (_, index) => index);
      const program = programOf(oneForwardOneBackward(devices, microbatches), devices, microbatches, placement);
      const plan = recipePlan({ devices, microbatches, schedule: policy('1f1b'), activation: 10 });
      const timeline = run(plan, program);
      placement.forEach((device) => {
        const held = Math.min(microbatches, devices - device);
        const peak = memoryPeak(plan, timeline, device);
        expect(peak).toMatchObject({ inFlight: held, bytes: 10 * held });
        expect(endAt(timeline, peak.position)).toBe(device + held);
      });
    }),
  );
});

it('has no dip where one operation follows another without a gap, whatever the rounding of times', () => {
  const placement = [0, 1, 2, 3];
  const program = programOf(oneForwardOneBackward(4, 12), 4, 12, placement);
  const costs = { forward: [0.1], backwardInput: [0.1], backwardWeight: [0.1] };
  const plan = recipePlan({ devices: 4, microbatches: 12, schedule: policy('1f1b'), activation: 10, ...costs });
  // On the last device F and B alternate without a gap: one microbatch is held from the first F to the last B.
  expect(memoryTrack(plan, run(plan, program), 3).bytes).toEqual(Float64Array.of(0, 10, 0));
});

it.each([
  ['1f1b', [0, 1]],
  ['gpipe', [0, 1]],
  ['interleaved_1f1b', [0, 1, 0, 1]],
])('counts through long orders, under %s with stages on devices %j', (name, placement) => {
  const [devices, microbatches] = [2, 700];
  const plan = recipePlan({ microbatches, placement, schedule: policy(name), activation: 10 });
  const generated = generate(plan);
  if ('faults' in generated) throw new Error(generated.faults[0].message);
  const { program } = generated;
  const timeline = run(plan, program);
  for (let device = 0; device < devices; device += 1) {
    const positions = Array.from(
      { length: program.offsets[device + 1] - program.offsets[device] },
      (_, at) => program.offsets[device] + at,
    );
    const { at, bytes, base } = memoryTrack(plan, timeline, device);
    expect(memoryTracks(plan, timeline)[device]).toEqual({ at, bytes, base, capacity: expect.any(Number) });
    const peak = memoryPeak(plan, timeline, device);
    const heldDuring: number[] = [];
    walkMemory(plan, program, device, (_position, _width, _bytes, now) => heldDuring.push(now));
    // Forwards that have begun less backwards that have ended, while each operation runs.
    let held = 0;
    let most = 0;
    let step = 0;
    for (const position of positions) {
      if (kindOf(program, program.order[position]) === F) held += 1;
      const middle = (startAt(timeline, position) + endAt(timeline, position)) / 2;
      while (step + 1 < at.length && at[step + 1] <= middle) step += 1;
      expect(bytes[step]).toBe(base + 10 * held);
      expect(heldDuring[position - program.offsets[device]]).toBe(held);
      most = Math.max(most, held);
      if (kindOf(program, program.order[position]) === B) held -= 1;
    }
    expect(peak).toMatchObject({ inFlight: most, bytes: base + 10 * most });
    expect(heldAt(plan, program, device, peak.position, 'during').kept.reduce((sum, count) => sum + count, 0)).toBe(
      most,
    );
  }
});

/** Bytes with the time from which and until which they are there, straight from the definition. */
function spansOf(plan: PipelinePlan, timeline: Timeline, device: number) {
  const { program } = timeline;
  const at = new Map<string, { start: number; end: number }>();
  for (let position = program.offsets[device]; position < program.offsets[device + 1]; position += 1) {
    const word = program.order[position];
    at.set(`${kindOf(program, word)}/${stageOf(program, word)}/${microbatchOf(program, word)}`, {
      start: startAt(timeline, position),
      end: endAt(timeline, position),
    });
  }
  const spans: { from: number; to: number; bytes: number }[] = [];
  for (const [name, { start, end }] of at) {
    const [kind, stage, microbatch] = name.split('/').map(Number);
    const cost = plan.stages[stage];
    spans.push({ from: start, to: end, bytes: cost.workspace + (kind === B || kind === I ? cost.recomputed : 0) });
    if (kind !== F) continue;
    const whole = at.get(`${B}/${stage}/${microbatch}`);
    const input = at.get(`${I}/${stage}/${microbatch}`);
    const weight = at.get(`${W}/${stage}/${microbatch}`);
    if (whole !== undefined) spans.push({ from: start, to: whole.end, bytes: cost.activation });
    if (input !== undefined)
      spans.push({ from: start, to: input.end, bytes: cost.activation - cost.activationForWeight });
    if (weight !== undefined) spans.push({ from: start, to: weight.end, bytes: cost.activationForWeight });
  }
  return spans;
}
