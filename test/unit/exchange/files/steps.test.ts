/** Without a barrier, a later stage steps while it waits for activations. Worked out by hand, in seconds. */
import { expect, test } from 'vitest';
import { runsOf } from './fixture.ts';

/**
 * The first stage works from 0 to 1, and from 9 to 10. It exchanges nothing, so it steps until 12, and its next forward ends at 13. The
 * gradients of `b` are ready at 7, and take `seconds` from then on.
 */
const periodOf = (seconds: number, tail = ''): number => {
  const [run] = runsOf(`
model m {
  layer front { forward = 1s  backward = 1s }
  layer a { forward = 4s  backward = 2s }
  layer b { forward = 1s  backward = 1s  weights = ${seconds}MB }
}
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 1MB/s }
pipeline p {
  model = m  devices = quad  microbatches = 1  schedule = 1f1b  data = 2
  stage s0 { layers = front }
  stage s1 { layers = [a, b] }
  sync = overlap(barrier = false)
  optimizer = adam_mixed(step = 2s)
  ${tail}
}`).values();
  return run.iteration;
};

test.each([
  // b steps from 11 to 13, while the stage waits for activations.
  [4, 12],
  // From 12 to 14: a starts at 14.
  [5, 13],
  // There at 13, when the activations are, or while a runs: a from 13 to 17, step to 19, b to 20.
  [6, 14],
  [7, 14],
  [10, 14],
  // There at 18: b waits for 1 s, steps to 20, and ends at 21.
  [11, 15],
])('gradients that take %d s: a period of %d s', (seconds, period) => {
  expect(periodOf(seconds)).toBeCloseTo(period, 9);
});

test('a stage that steps late makes the next one wait, which then steps late, too', () => {
  // Backwards end at 18, and the first stage steps until 20. The second has activations at 21, and b1 at 22: a1 to 25, step to 27, b1 to
  // 28. The third has b2 at 30: a2 to 32, step to 34, b2 to 35. Without steps it would end at 31.
  const [run] = runsOf(`
model m {
  layer front { forward = 1s  backward = 1s }
  layer a1 { forward = 4s  backward = 2s }
  layer b1 { forward = 1s  backward = 1s  weights = 7MB }
  layer a2 { forward = 4s  backward = 2s }
  layer b2 { forward = 1s  backward = 1s  weights = 18MB }
}
device gpu { memory = 16GiB }
cluster six { gpu[6] = gpu  link = 1MB/s }
pipeline p {
  model = m  devices = six  microbatches = 1  schedule = 1f1b  data = 2
  stage s0 { layers = front }
  stage s1 { layers = [a1, b1] }
  stage s2 { layers = [a2, b2] }
  sync = overlap(barrier = false)
  optimizer = adam_mixed(step = 2s)
}`).values();
  expect(run.iteration).toBeCloseTo(20 + 4, 9);
});
