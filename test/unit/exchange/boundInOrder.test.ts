/** Bounds of pipelines without a barrier against all orders in which lanes can send their tensors. */
import { describe, expect, test } from 'vitest';
import type { ExchangeTimeline } from '../../../engine/values/exchangeTimeline.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { Program } from '../../../engine/values/program.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runOf } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { referenceEnds } from './referencePeriods.ts';

const small = (min: number, max: number) => fc.integer({ min, max });
const layer = fc.record({ forward: small(1, 4), backward: small(1, 6), weights: small(1, 12) });
const aPipeline = fc.record({
  layers: fc.array(layer, { minLength: 4, maxLength: 5 }),
  schedule: fc.constantFrom('1f1b', 'gpipe', 'interleaved_1f1b(2)'),
  microbatches: fc.constantFrom(2, 4),
  partition: fc.constantFrom(undefined, 10),
  optimizer: fc.constantFrom(0, 0, 3, 20),
});
type Pipeline = typeof aPipeline extends fc.Arbitrary<infer T> ? T : never;

const textOf = ({ layers, schedule, microbatches, partition }: Pipeline): string => `model m {
${layers.map(({ forward, backward, weights }, at) => `  layer l${at} { forward = ${forward}ms  backward = ${backward}ms  weights = ${weights}0MB }`).join('\n')}
}
device gpu { memory = 800GiB }
cluster box { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = box  stages = balance(${schedule.startsWith('interleaved') ? 4 : 2})  microbatches = ${microbatches}  schedule = ${schedule}  data = 2
  sync = overlap(order = forward, barrier = false${partition === undefined ? '' : `, partition = ${partition}MB`})
}`;

/** All orders of the numbers below `count`. */
function ordersOf(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}

/** The least mean period over all orders of each lane: seconds. */
function best(plan: PipelinePlan, program: Program, optimizer: readonly number[]): number {
  const [first, second] = plan.exchange?.lanes.map(({ tensors }) => ordersOf(tensors.length)) ?? [];
  let least = Infinity;
  for (const a of first ?? [[]])
    for (const b of second ?? [[]]) {
      const ends = referenceEnds(plan, program, optimizer, 0, 11, [a, b]);
      least = Math.min(least, (ends[10] - ends[4]) / 6);
    }
  return least;
}

function boundOf(plan: PipelinePlan, program: Program, optimizer: readonly number[]): ExchangeTimeline | undefined {
  return simulate(program, { ...timingOf(plan, program), optimizer: Float64Array.from(optimizer) })?.exchange;
}

describe('a bound for one order of operations', () => {
  test('is not over any order of tensors, and not under the bound for all orders of operations', () => {
    fc.assert(
      fc.property(aPipeline, (pipeline) => {
        const { plan, run } = runOf(textOf(pipeline));
        const optimizer = [pipeline.optimizer / 1e3, (2 * pipeline.optimizer) / 1e3];
        const found = boundOf(plan, run.program, optimizer);
        if (found === undefined) throw new Error('The lanes do not run.');
        expect(found.bound).toBeLessThanOrEqual(best(plan, run.program, optimizer) + 1e-7);
        expect(found.bound).toBeGreaterThanOrEqual(found.boundOfOrders);
      }),
      { numRuns: 20 },
    );
  });
  test('two stages of layers of 1 and 2 ms, with 20 and 100 MB: 39 ms, which pieces of 10 MB reach', () => {
    const layers = [20, 100, 20, 100].map(
      (megabytes, at) => `layer l${at} { forward = 1ms  backward = 2ms  weights = ${megabytes}MB }`,
    );
    const { run } = runOf(`model m { ${layers.join('  ')} }
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = quad  microbatches = 4  stages = balance(2)  schedule = 1f1b  data = 2
  sync = overlap(order = forward, partition = 10MB, barrier = false)
}`);
    // The first stage takes 30 ms from its first forward to its last backward. The gradients of its layer b are ready 2 ms before that, and
    // a is needed 1 ms before b: 30 − 2 + (2 + 10) − 1.
    expect(run.report.exchange?.bound).toBeCloseTo(0.039, 9);
    expect(run.report.exchange?.period).toBeCloseTo(0.039, 9);
    // Any order of operations: 24 ms of work.
    expect(run.timeline.exchange?.boundOfOrders).toBeCloseTo(0.024, 9);
  });
  test('the same with an optimizer: layers step behind the gradients for which the lane is busy', () => {
    const layers = [20, 100, 20, 100].map(
      (megabytes, at) => `layer l${at} { forward = 1ms  backward = 2ms  weights = ${megabytes}MB }`,
    );
    const { run } = runOf(`model m { ${layers.join('  ')} }
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = quad  microbatches = 4  stages = balance(2)  schedule = 1f1b  data = 2
  sync = overlap(order = forward, partition = 10MB, barrier = false)  optimizer = adam_mixed(step = 6ms)
}`);
    // Layer b has five sixths of the bytes, so it steps for 5 ms: 30 − 2 + (2 + 10) − 1 + 5.
    expect(run.report.exchange?.bound).toBeCloseTo(0.044, 9);
    expect(run.report.exchange?.period).toBeGreaterThanOrEqual(0.044);
  });
  test('a layer that does not need another one may run while the other waits', () => {
    const { run } = runOf(`model m {
  layer input { forward = 0ms  backward = 0ms }
  layer a { forward = 1ms  backward = 0ms  weights = 100MB  after = input }
  layer b { forward = 50ms  backward = 0ms  after = input }
  layer c { forward = 0ms  backward = 0ms  after = a, b }
}
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = pair  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 2
  sync = overlap(order = tio, barrier = false)  collective = ps(servers = 2)
}`);
    const { period, bound } = run.timeline.exchange ?? { period: NaN, bound: NaN };
    // Gradients of a are there after 20 ms, while b runs.
    expect(period).toBeCloseTo(0.051, 9);
    expect(bound).toBeCloseTo(0.051, 9);
  });
});
