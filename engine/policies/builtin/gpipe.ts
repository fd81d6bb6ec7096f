import { idleLine } from '../describe.ts';
import { linear } from '../placement.ts';
import type { Policy } from '../policy.ts';

/** Huang et al., "GPipe" (2019), section 2.3. Backwards in ascending order, as PyTorch runs them. */
export const gpipe: Policy = {
  name: 'gpipe',
  summary: 'All forwards, then all backwards: the simplest order. Keeps the activations of every microbatch.',
  page: 'gpipe',
  parameters: [],
  split: false,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  check: () => [],
  order(shape, device, out) {
    for (let microbatch = 0; microbatch < shape.microbatches; microbatch += 1) out.forward(device, microbatch);
    for (let microbatch = 0; microbatch < shape.microbatches; microbatch += 1) out.backward(device, microbatch);
  },
  explain: (shape) => [
    `order: ${shape.microbatches} forwards, then ${shape.microbatches} backwards`,
    idleLine(shape, '(p − 1)(F + B)', ({ f, i, w }) => (shape.devices - 1) * (f + i + w)),
    `in flight: m = ${shape.microbatches} on every device`,
  ],
};
