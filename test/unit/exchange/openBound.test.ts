/** The least period of iterations without a barrier: of any order of operations, and of this one. */
import { describe, expect, test } from 'vitest';
import { runOf } from '../../support/analyse.ts';

/** Equal stages of 1 ms, 1 ms and 1 ms, whose gradients take no time worth a mention. */
function bound(schedule: string, microbatches: number, weights = '1B'): Record<'period' | 'least' | 'inOrder', number> {
  const { run } = runOf(`
model m { layer a[4] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms  weights = ${weights} } }
device gpu { memory = 16GiB }
cluster c { gpu[8] = gpu  link = 1000GB/s }
pipeline p { model = m devices = c microbatches = ${microbatches} stages = balance(4) schedule = ${schedule} data = 2
  sync = overlap(barrier = false) }
`);
  const { period, bound: inOrder } = run.report.exchange ?? { period: NaN, bound: NaN };
  // A device works 3 ms for each microbatch, and the rest of the least period is idle.
  const least = (3 * microbatches) / (1 - run.report.bubble.bound);
  return { period: 1000 * period, least, inOrder: 1000 * inOrder };
}

describe('without a barrier no order is under', () => {
  test('the work of a device, where weight gradients fill the way up and down', () => {
    // 3m against 2m + 2(p − 1).
    expect(bound('1f1b', 8).least).toBeCloseTo(24, 6);
  });
  test('its forwards and input gradients with the way up and down, where weight gradients do not fill it', () => {
    expect(bound('1f1b', 2).least).toBeCloseTo(2 * 2 + 2 * 3, 6);
    expect(bound('1f1b', 1).least).toBeCloseTo(2 * 4, 6);
  });
  test.each(['1f1b', 'gpipe', 'zb_h1', 'zb_h2', 'zb_auto'])('%s is never under it', (schedule) => {
    for (const microbatches of [4, 6, 12])
      for (const weights of ['1B', '10MB', '3GB']) {
        const { period, least } = bound(schedule, microbatches, weights);
        expect(period).toBeGreaterThanOrEqual(least * (1 - 1e-9));
      }
  });
  test('a lane that is busy all the time is a bound, too', () => {
    const { period, least, inOrder } = bound('1f1b', 2, '30GB');
    expect(least).toBeCloseTo(30, 6);
    // The first stage waits for two microbatches on four stages, 15 ms, and then for its lane.
    expect(inOrder).toBeCloseTo(15 + 30, 6);
    expect(period).toBeCloseTo(15 + 30, 6);
  });
});
