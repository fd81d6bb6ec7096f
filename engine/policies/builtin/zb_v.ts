import { type EqualTimes, fillingLines, idleLine, near, postValidation } from '../describe.ts';
import { heldMost } from '../orders/held.ts';
import { wave } from '../placement.ts';
import type { OperationSink, Policy, Shape } from '../policy.ts';

/**
 * Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 6 and figure 8. The order is for at least 2p − 1 microbatches;
 * with fewer, those that are not there are left out, as PyTorch does.
 */
export const zbV: Policy = {
  name: 'zb_v',
  summary:
    'Two chunks on each device in a V, with a split backward. No idle time between the first and the last operation of a device if F = I = W, with the memory of 1F1B.',
  page: 'v_schedules',
  parameters: [],
  split: true,
  chunks: () => 2,
  placement: (shape) => wave(shape.stages, shape.devices),
  check: () => [],
  order,
  explain: (shape) => [
    'chunks: device i holds stages i and 2p − 1 − i',
    idleLine(shape, '(p − 1)F of one chunk, for F = I = W', (times) =>
      exact(shape, times) ? (shape.devices - 1) * times.f : undefined,
    ),
    idleLine(
      shape,
      '0 for F = I = W',
      (times) => (exact(shape, times) ? 0 : undefined),
      'idle between first start and last end',
    ),
    ...fillingLines(shape),
    `in flight until W: ${heldMost(shape, order) / 2} microbatches at most${shape.microbatches < 2 * shape.devices - 1 ? '' : ', p'}`,
    postValidation,
  ],
};

function exact(shape: Shape, { f, i, w }: EqualTimes): boolean {
  return shape.microbatches >= 2 * shape.devices - 1 && near(f, i) && near(f, w);
}

function order({ devices, stages, microbatches }: Shape, device: number, out: OperationSink): void {
  const all = Math.max(2 * devices - 1, microbatches);
  const stage = [device, stages - 1 - device];
  const forwards = [0, 0];
  const inputs = [0, 0];
  const weights = [0, 0];
  const forward = (chunk: 0 | 1): void => {
    if (forwards[chunk] < microbatches) out.forward(stage[chunk], forwards[chunk]);
    forwards[chunk] += 1;
  };
  const input = (chunk: 0 | 1): void => {
    if (inputs[chunk] < microbatches) out.backwardInput(stage[chunk], inputs[chunk]);
    inputs[chunk] += 1;
  };
  const weight = (chunk: 0 | 1): void => {
    if (weights[chunk] < microbatches) out.backwardWeight(stage[chunk], weights[chunk]);
    weights[chunk] += 1;
  };
  for (let count = 0; count < 2 * (devices - device) - 1; count += 1) forward(0);
  for (let count = 0; count < device; count += 1) {
    forward(1);
    forward(0);
  }
  for (let count = device; count < devices; count += 1) {
    forward(1);
    input(1);
    weight(1);
  }
  while (forwards[1] < forwards[0] || forwards[0] < all) {
    if (forwards[0] < all) forward(0);
    input(0);
    weight(0);
    forward(1);
    input(1);
    weight(1);
  }
  for (let count = 0; count < device; count += 1) {
    input(0);
    input(1);
  }
  for (let count = device; count < devices; count += 1) {
    input(0);
    weight(0);
  }
  while (weights[1] < inputs[1]) weight(1);
  while (weights[0] < inputs[0]) weight(0);
}
