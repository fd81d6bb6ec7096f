import { describe, expect, it } from 'vitest';
import { leastMakespan } from '../../../../engine/analyze/bound.ts';
import type { Run } from '../../../../engine/schedule/evaluation.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { kindOf, letters, microbatchOf, type Program, stageOf } from '../../../../engine/values/program.ts';
import { memoryStack } from '../../../../engine/simulate/memoryStack.ts';
import { runOf } from '../../../support/analyse.ts';
import * as fc from '../../../support/property.ts';
import { interleavings, type Operation, peakOf, runOrders, type Shop } from './reference.ts';

const layer =
  'backward_input = 3ms  backward_weight = 5ms  weights = 64MiB  activation = 512MiB  activation_for_weight = 256MiB  workspace = 32MiB';

/** Measured layers of 4 ms forwards for 1,000 tokens; a message of 16 MB takes 1.6 ms. */
const file = (pipeline: string, { devices = 4, output = 'output = 16MB', latency = '' } = {}) => `
model toy { sequence = 1000  layer block[8] { forward = 4ms  ${layer}  ${output} } }
device gpu { memory = 60GiB }
cluster box { gpu[${devices}] = gpu  link = 10GB/s${latency} }
pipeline p { model = toy  devices = box  ${pipeline} }`;

/** The order of each device as it ran. */
const ordersOf = ({ order, offsets, devices, ...rest }: Program): Operation[][] =>
  Array.from({ length: devices }, (_, device) =>
    Array.from(order.subarray(offsets[device], offsets[device + 1]), (word) => ({
      kind: letters[kindOf(rest, word)],
      stage: stageOf(rest, word),
      microbatch: microbatchOf(rest, word),
    })),
  );

/** What the file says, computed here. */
function shopOf(program: Program, tokens: readonly number[], latency = 0, shares = [1]): Shop {
  const segments = shares.length;
  const layers = (8 * segments) / program.stages;
  const seconds: Record<string, number> = { F: 4e-3, B: 8e-3, I: 3e-3, W: 5e-3 };
  const share = (microbatch: number) => tokens[microbatch] / 1000;
  return {
    stages: program.stages,
    devices: program.devices,
    segments,
    seconds: ({ kind, stage, microbatch }) => layers * seconds[kind] * share(microbatch) * shares[stage % segments],
    message: (microbatch, stage) => ({ occupancy: 1.6e-3 * share(microbatch) * shares[stage % segments], latency }),
  };
}

const list = (tokens: readonly number[]) => `microbatches = ${tokens.length}  tokens = [${tokens.join(', ')}]`;
const tokenLists = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 4, maxLength: 12 });

const schedules = ['gpipe', '1f1b', 'zb_h1', 'interleaved_1f1b(chunks = 2)', 'zb_h2'];

function checkRun(plan: PipelinePlan, run: Run, tokens: readonly number[], latency = 0, shares = [1]): void {
  const { timeline, report } = run;
  const orders = ordersOf(timeline.program);
  const expected = runOrders(orders, shopOf(timeline.program, tokens, latency, shares));
  expect(report.iteration).toBeCloseTo(expected?.makespan ?? NaN, 12);
  if (expected === undefined) return;
  const segments = shares.length;
  const layers = (8 * segments) / timeline.program.stages;
  const bytes = (mebibytes: number) => (stage: number, microbatch: number) =>
    Math.round((layers * mebibytes * 2 ** 20 * tokens[microbatch] * shares[stage % segments]) / 1000);
  for (const [device, order] of orders.entries()) {
    const busy = order.reduce((sum, each) => sum + shopOf(timeline.program, tokens, latency, shares).seconds(each), 0);
    expect(report.devices[device].busy).toBeCloseTo(busy, 12);
    const { memory } = report.devices[device];
    const base = memory.weights + memory.gradients + memory.optimizer + memory.buffers;
    const peak = peakOf(order, device, expected, {
      base: () => base,
      activation: bytes(512),
      forWeight: bytes(256),
      recomputed: () => 0,
      // A layer's workspace is there while it runs, one layer at a time.
      workspace: (stage, microbatch) =>
        Math.round((32 * 2 ** 20 * tokens[microbatch] * shares[stage % segments]) / 1000),
    });
    expect(report.devices[device].peak).toBeCloseTo(peak, 3);
    const items = report.devices[device].memory_items.reduce((sum, item) => sum + item.bytes, 0);
    expect(items).toBeCloseTo(report.devices[device].peak, 3);
    const stack = memoryStack(plan, timeline, device);
    const statics = Object.values(stack.statics).reduce((sum, each) => sum + each, 0);
    const moments = Array.from(stack.from, (from) => from + 1e-9);
    const most = Math.max(
      ...moments.map((moment) =>
        stack.from.reduce(
          (sum, from, piece) => (from <= moment && moment < stack.to[piece] ? sum + stack.bytes[piece] : sum),
          statics,
        ),
      ),
    );
    expect(Math.abs(most - report.devices[device].peak)).toBeLessThan(64);
  }
}

describe('microbatches of different lengths', () => {
  it.each(schedules)('%s: times and memory are those of an independent simulator', (schedule) => {
    fc.assert(
      fc.property(tokenLists, (tokens) => {
        const stages = schedule.startsWith('interleaved') ? 8 : 4;
        const rounded = schedule.startsWith('interleaved')
          ? tokens.slice(0, 4 * Math.floor(tokens.length / 4))
          : tokens;
        const text = file(`${list(rounded)}  stages = balance(${stages})  schedule = ${schedule}`, {
          latency: ' + 10us',
        });
        const { plan, run } = runOf(text);
        checkRun(plan, run, rounded, 1e-5);
      }),
      { numRuns: 12 },
    );
  });

  it.each([
    ['seq1f1b(segments = 2)', [0.5, 0.5]],
    ['seq1f1b(segments = 4)', [0.25, 0.25, 0.25, 0.25]],
    ['seq1f1b(segments = 3, shares = [50, 30, 20])', [0.5, 0.3, 0.2]],
  ] as const)('%s: segments take their share of each sequence, as in an independent simulator', (schedule, shares) => {
    fc.assert(
      fc.property(tokenLists, (tokens) => {
        const { plan, run } = runOf(
          file(`${list(tokens)}  stages = balance(4)  schedule = ${schedule}`, { latency: ' + 10us' }),
        );
        checkRun(plan, run, tokens, 1e-5, [...shares]);
      }),
      { numRuns: 12 },
    );
  });

  it('are the same file as no lengths if all have the whole sequence', () => {
    const rest = 'stages = balance(4)  schedule = 1f1b';
    const plain = runOf(file(`microbatches = 6  ${rest}`));
    for (const same of ['tokens(i) = 1000', 'tokens = [1000, 1000, 1000, 1000, 1000, 1000]'])
      expect(runOf(file(`microbatches = 6  ${same}  ${rest}`)).plan).toEqual(plain.plan);
  });

  it('of one length take a share of all times and bytes, and nothing else changes', () => {
    const rest = 'stages = balance(4)  schedule = 1f1b';
    const whole = runOf(file(`microbatches = 6  ${rest}`)).run.report;
    const half = runOf(file(`microbatches = 6  tokens(i) = 500  ${rest}`));
    expect(half.plan).not.toHaveProperty('lengths');
    expect(half.run.report.iteration).toBeCloseTo(whole.iteration / 2, 12);
    expect(half.run.report.devices[0].memory.activations).toBeCloseTo(whole.devices[0].memory.activations / 2, 3);
    expect(half.run.report.devices[0].memory.weights).toBe(whole.devices[0].memory.weights);
  });

  /**
   * A proportionate flow shop: job j takes t(j) on each of p machines. A longest path goes through all jobs in order and steps to the next
   * machine p − 1 times. At a step it counts the job of the step on both machines. So it has each t(j) once, and p − 1 more, each at
   * most the greatest: Σ t + (p − 1) · max t, which a path reaches that makes all its steps at the longest job. GPipe runs the backwards
   * after all forwards of the last stage, in another such shop.
   */
  it('under GPipe take Σ t + (p − 1) · max t for the forwards, and again for the backwards', () => {
    fc.assert(
      fc.property(tokenLists, fc.constantFrom(1, 2, 4, 8), (tokens, devices) => {
        const text = file(`${list(tokens)}  stages = balance(${devices})  schedule = gpipe`, { devices, output: '' });
        const layers = 8 / devices;
        const sum = tokens.reduce((all, each) => all + each, 0);
        const flow = (sum + (devices - 1) * Math.max(...tokens)) / 1000;
        expect(runOf(text).run.report.iteration).toBeCloseTo(layers * 12e-3 * flow, 12);
      }),
      { numRuns: 20 },
    );
  });

  it('are bounded by the longest of them: down through all forwards and up through all input gradients', () => {
    const text = file(`${list([1, 1000, 1])}  stages = balance(4)  schedule = 1f1b`, { latency: ' + 10us' });
    const { plan, run } = runOf(text);
    const { program, timing } = run.timeline;
    const path = 8 * (4e-3 + 3e-3) + 2 * 3 * (1.6e-3 + 1e-5);
    const bound = leastMakespan(plan, program, timing, { split: true, memory: false });
    expect(bound).toBeCloseTo(path, 12);
  });

  it.each([
    [
      'F and B',
      [300, 1000, 500],
      (stage: number, microbatch: number) => ['F', 'B'].map((kind) => ({ kind, stage, microbatch })),
    ],
    [
      'F, I and W',
      [300, 1000],
      (stage: number, microbatch: number) => ['F', 'I', 'W'].map((kind) => ({ kind, stage, microbatch })),
    ],
  ] as const)('no order of %s is under the bound', (_, tokens, operations) => {
    const text = file(`${list(tokens)}  stages = balance(2)  schedule = 1f1b`, { devices: 2, latency: ' + 10us' });
    const { plan, run } = runOf(text);
    const { program, timing } = run.timeline;
    const shop = shopOf(program, tokens, 1e-5);
    const bound = leastMakespan(plan, program, timing, { split: true, memory: false });
    const orders = [0, 1].map((stage) => [
      ...interleavings<Operation>(tokens.map((_tokens, microbatch) => operations(stage, microbatch))),
    ]);
    let best = Infinity;
    for (const first of orders[0])
      for (const second of orders[1]) best = Math.min(best, runOrders([first, second], shop)?.makespan ?? Infinity);
    expect(bound).toBeLessThanOrEqual(best + 1e-12);
    // It is not so low that it says nothing.
    expect(bound).toBeGreaterThan(0.75 * best);
  });

  /**
   * The second stage has seven layers, so its work decides. It begins after the forward and the message of the short microbatch, and the
   * long one is there before it idles: F(short) + message(short) + all of its work is the least, and the bound must not be over it.
   */
  it('are bounded by their shortest message, not by a mean one', () => {
    const tokens = [300, 1000];
    const text = file(`${list(tokens)}  stages = split(1, 7)  schedule = 1f1b`, {
      devices: 2,
      output: 'output = 30MB',
    });
    const { plan, run } = runOf(text);
    const { program, timing } = run.timeline;
    const least = 0.3 * (4e-3 + 3e-3) + 1.3 * 7 * 12e-3;
    const bound = leastMakespan(plan, program, timing, { split: true, memory: false });
    expect(bound).toBeCloseTo(least, 12);
    const order = (stage: number): Operation[] =>
      ['F0', 'I0', 'F1', 'I1', 'W0', 'W1'].map((name) => ({ kind: name[0], stage, microbatch: Number(name[1]) }));
    const ahead = (stage: number): Operation[] =>
      ['F0', 'F1', 'I0', 'W0', 'I1', 'W1'].map((name) => ({ kind: name[0], stage, microbatch: Number(name[1]) }));
    const seconds: Readonly<Record<string, number>> = { F: 4e-3, I: 3e-3, W: 5e-3 };
    const best = runOrders([ahead(0), order(1)], {
      stages: 2,
      devices: 2,
      seconds: ({ kind, stage, microbatch }) => ([1, 7][stage] * seconds[kind] * tokens[microbatch]) / 1000,
      message: (microbatch) => ({ occupancy: (3e-3 * tokens[microbatch]) / 1000, latency: 0 }),
    });
    expect(best?.makespan).toBeCloseTo(least, 12);
  });

  it('have messages of their lengths over routes of several hops, too', () => {
    const tokens = [300, 1000, 10, 640];
    // Forwards take the link from gpu[1] to gpu[2], and so do gradients from c to b, but GPipe sends these later.
    const text = `
model toy { sequence = 1000  layer block[6] { forward = 4ms  ${layer}  output = 16MB } }
device gpu { memory = 60GiB }
cluster line { gpu[3] = gpu  link gpu[0] -- gpu[1] = 10GB/s  link gpu[1] -- gpu[2] = 10GB/s }
pipeline p {
  model = toy  devices = line  ${list(tokens)}  schedule = gpipe
  stage a { layers = block[0..1]  on = gpu[0] }
  stage b { layers = block[2..3]  on = gpu[2] }
  stage c { layers = block[4..5]  on = gpu[1] }
}`;
    const { run } = runOf(text);
    expect(run.timeline.timing.flows).toBeDefined();
    const seconds: Readonly<Record<string, number>> = { F: 4e-3, B: 8e-3 };
    const expected = runOrders(ordersOf(run.program), {
      stages: 3,
      devices: 3,
      seconds: ({ kind, microbatch }) => (2 * seconds[kind] * tokens[microbatch]) / 1000,
      message: (microbatch) => ({ occupancy: (1.6e-3 * tokens[microbatch]) / 1000, latency: 0 }),
    });
    expect(run.report.iteration).toBeCloseTo(expected?.makespan ?? NaN, 12);
  });

  /**
   * Two stages and microbatches under GPipe, where a transfer takes both devices. F(0), its transfer, then F(1) on the first device while
   * F(0) runs on the second, its transfer and F(1) there. The same again back, from the microbatch whose backward comes first.
   */
  it.each([
    [300, 1000],
    [1000, 300],
  ])('block both devices for as long as their messages: %i and %i tokens', (...tokens) => {
    const text = file(`${list(tokens)}  stages = balance(2)  schedule = gpipe  transfer = rendezvous`, { devices: 2 });
    const { run } = runOf(text);
    const [, second] = ordersOf(run.program);
    const back = second.filter(({ kind }) => kind === 'B').map(({ microbatch }) => microbatch);
    const phase = (seconds: number, [first, last]: readonly number[]) => {
      const [work, sent] = [seconds, 1.6e-3].map((each) => tokens.map((length) => (each * length) / 1000));
      return work[first] + sent[first] + Math.max(work[first], work[last]) + sent[last] + work[last];
    };
    expect(run.report.iteration).toBeCloseTo(phase(16e-3, [0, 1]) + phase(32e-3, back), 12);
  });

  it('queue for their link for as long as each message before them takes', () => {
    fc.assert(
      fc.property(tokenLists, (tokens) => {
        // A whole message takes 30 ms, a whole forward 8 ms.
        const { run } = runOf(
          file(`${list(tokens)}  stages = balance(4)  schedule = 1f1b`, { output: 'output = 300MB' }),
        );
        const shop = shopOf(run.program, tokens);
        const message = (microbatch: number) => ({ occupancy: (30e-3 * tokens[microbatch]) / 1000, latency: 0 });
        const expected = runOrders(ordersOf(run.program), { ...shop, message });
        expect(run.report.iteration).toBeCloseTo(expected?.makespan ?? NaN, 12);
      }),
      { numRuns: 12 },
    );
  });
});
