/** Gradients that are scattered, and weights that come back while the next iteration begins. */
import { describe, expect, test } from 'vitest';
import { runOf } from '../../support/analyse.ts';

const file = (sync: string, data = 4, step = '1ms'): string => `
model m {
  layer front { forward = 1ms  backward = 2ms  weights = 20MB }
  layer back[3] { forward = 1ms  backward = 2ms  weights = 40MB }
}
device gpu { memory = 64GiB }
cluster c { gpu[${data}] = gpu  link = 10GB/s + 20us }
pipeline p { model = m devices = c microbatches = 2 stages = balance(1) schedule = 1f1b data = ${data}
  optimizer = adam_mixed(shard = zero1, step = ${step})  sync = ${sync} }
`;

describe('weights in parts', () => {
  test.each(['ddp', 'overlap(credit = 1)', 'megatron', 'overlap(barrier = false)', 'dear'])(
    '%s: waits for gradients and for weights add up to what the iteration takes beyond its work',
    (sync) => {
      const { run } = runOf(file(sync));
      const { iteration, exchange, devices } = run.report;
      expect(exchange?.exposed.total).toBeCloseTo(iteration - devices[0].busy - 1e-3, 9);
    },
  );
  test('gathers run while the first forwards do, so an iteration is shorter than with all of them first', () => {
    const { run } = runOf(file('overlap(credit = 1)'));
    const { exchange, iteration } = run.report;
    const whole = runOf(file('end')).run.report.iteration;
    expect(iteration).toBeLessThan(whole);
    expect(exchange?.bound).toBeLessThanOrEqual(iteration);
  });
  test('take as long on lanes as in buckets', () => {
    const lanes = runOf(file('overlap(credit = 1)')).run.report.iteration;
    const buckets = runOf(file('overlap')).run.report.iteration;
    expect(lanes).toBeCloseTo(buckets, 12);
  });
});
