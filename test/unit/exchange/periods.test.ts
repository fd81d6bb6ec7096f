/** Periods of pipelines without a barrier, against iterations that run one after the other. */
import { describe, expect, test } from 'vitest';
import type { CallCost, ExchangeRule } from '../../../engine/values/exchangePlan.ts';
import type { ExchangeTimeline } from '../../../engine/values/exchangeTimeline.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { runOf } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { referenceEnds } from './referencePeriods.ts';

const small = (min: number, max: number) => fc.integer({ min, max });
const aPipeline = fc.record({
  layers: fc.array(fc.record({ forward: small(1, 4), backward: small(1, 6), weights: small(0, 12) }), {
    minLength: 8,
    maxLength: 8,
  }),
  devices: fc.constantFrom(1, 2, 4),
  microbatches: fc.constantFrom(1, 2, 4, 8),
  schedule: fc.constantFrom('1f1b', 'gpipe', 'interleaved_1f1b'),
  latency: fc.constantFrom(0, 0.5),
  order: fc.constantFrom('ready', 'forward'),
  partition: fc.constantFrom(undefined, 10),
  optimizer: fc.constantFrom(0, 0, 3, 20),
});

test('periods are those of iterations that run one after the other', () => {
  fc.assert(
    fc.property(aPipeline, ({ layers, devices, microbatches, schedule, latency, order, partition, optimizer }) => {
      const chunks = schedule === 'interleaved_1f1b' ? 2 : 1;
      fc.pre(schedule !== 'interleaved_1f1b' || (devices > 1 && microbatches % devices === 0));
      const text = `model m {
${layers.map(({ forward, backward, weights }, at) => `  layer l${at} { forward = ${forward}ms  backward = ${backward}ms  weights = ${weights}0MB }`).join('\n')}
}
device gpu { memory = 800GiB }
cluster box { gpu[${2 * devices}] = gpu  link = 10GB/s + ${latency}ms }
pipeline p {
  model = m  devices = box  stages = balance(${devices * chunks})  microbatches = ${microbatches}  schedule = ${schedule}  data = 2
  sync = overlap(order = ${order}, barrier = false${partition === undefined ? '' : `, partition = ${partition}MB`})
}`;
      const { plan, run } = runOf(text);
      const { program } = run;
      const timing = timingOf(plan, program);
      const seconds = Float64Array.from({ length: devices }, (_, device) => (optimizer * (device + 1)) / 1e3);
      const timeline = simulate(program, { ...timing, optimizer: seconds });
      const exchange = timeline?.exchange;
      if (plan.exchange === undefined || exchange === undefined) return;
      const ends = referenceEnds(plan, program, [...seconds], latency / 1e3, 24);
      const last = ends[23] - ends[22];
      if (exchange.steady) expect(exchange.period).toBeCloseTo(last, 8);
      expect(exchange.period).toBeGreaterThanOrEqual(exchange.bound - 1e-9);
    }),
    { numRuns: 40 },
  );
});

describe('two stages of layers of 1 and 2 ms, of 20 and 100 MB', () => {
  const layers = ['a', 'b', 'c', 'd'].map(
    (name, at) => `  layer ${name} { forward = 1ms  backward = 2ms  weights = ${at % 2 === 0 ? 20 : 100}MB }`,
  );
  const { plan, run } = runOf(`model m {
${layers.join('\n')}
}
device gpu { memory = 800GiB }
cluster box { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  data = 2
  sync = overlap(barrier = false)
}`);
  const { exchange } = plan;
  if (exchange === undefined) throw new Error('The pipeline has no lanes.');
  const periodOf = (changed: PipelinePlan): ExchangeTimeline => {
    const timeline = simulate(run.program, timingOf(changed, run.program))?.exchange;
    if (timeline === undefined) throw new Error('The lanes do not run.');
    return timeline;
  };
  const milliseconds = (changed: PipelinePlan): number => {
    const { period, steady } = periodOf(changed);
    expect(steady).toBe(true);
    return period * 1e3;
  };
  const under = (rule: Partial<ExchangeRule>): PipelinePlan => ({
    ...plan,
    exchange: { ...exchange, rule: { ...exchange.rule, ...rule } },
  });

  test('as they get ready: 40 ms', () => {
    expect(milliseconds(plan)).toBeCloseTo(40, 9);
  });
  test('front first, in pieces of 10 MB: 39 ms', () => {
    expect(milliseconds(under({ order: 'forward', partition: 10e6, credit: 'piece' }))).toBeCloseTo(39, 9);
  });
  test('0.25 ms each way between stages: 41 ms; 0.5 ms: 42 ms', () => {
    // By hand, for 0.5 ms: 0F2 runs after 0B0, 13–15 ms, so stage 1 waits from 14.5 to 15.5, and 0B3 ends at 32.
    const between = (latency: number) => ({
      ...plan,
      routes: plan.routes.map((route) => ({ ...route, latency: latency * 1e-3 })),
    });
    expect(milliseconds(between(0.25))).toBeCloseTo(41, 9);
    expect(milliseconds(between(0.5))).toBeCloseTo(42, 9);
  });
  test('a call that is the least of two: one bucket is not under the bound', () => {
    const linear = (fixed: number, perByte: number) => ({ kind: 'linear', fixed, perByte }) as const;
    const push: CallCost = { kind: 'least', of: [linear(0, 1e-9), linear(100e-3, 1e-12)] };
    const lanes = exchange.lanes.map((lane) => ({ ...lane, calls: [{ name: 'least', push }] }));
    const fused: PipelinePlan = {
      ...plan,
      exchange: { ...exchange, lanes, rule: { ...exchange.rule, bucket: 200e6 } },
    };
    const { period, bound } = periodOf(fused);
    expect(bound).toBeLessThanOrEqual(period);
    // All bytes of a stage as one, 100 ms and 0.12, after 30 ms from the first forward of the first stage to its last backward.
    expect(bound).toBeCloseTo(0.13012, 9);
    expect(period).toBeCloseTo(0.13012, 9);
  });
});
