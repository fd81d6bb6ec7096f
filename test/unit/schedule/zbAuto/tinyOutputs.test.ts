import { expect, test } from 'vitest';
import { analyse } from '../../../support/analyse.ts';

/** Everything is recomputed, so F keeps half a byte of each layer, and W needs 256 MiB. The weights do not fit anyway. */
const text = `model toy {
  layer block[5] { forward = 0.31ms  backward = 7.3ms  weights = 900GiB  activation = 256MiB  output = 0.5B }
}
device card { memory = 16GiB }
cluster box { gpu[4] = card  link = 25GB/s + 5us }
pipeline train {
  model        = toy
  devices      = box
  microbatches = 8
  recompute    = full
  stages       = split(1, 1, 1, 2)
  schedule     = zb_auto
}
`;

test('zb_auto tries only limits that change an order, however much more W needs than F keeps', () => {
  const [{ run }] = analyse(text).pipelines;
  expect(run?.report.operations).toBe(96);
});
