import { idleLine, perDevice } from '../describe.ts';
import { alternate } from '../orders/alternate.ts';
import { linear } from '../placement.ts';
import type { Policy, Shape } from '../policy.ts';

const warmup = (shape: Shape, device: number): number => Math.min(shape.microbatches, 2 * (shape.devices - device) - 1);

/**
 * Sources: Fan et al., "DAPPLE" (2021; policy B); Zhuang et al., "On Optimizing the Communication of Model Parallelism" (2023;
 * overlap-friendly).
 */
export const eager1f1b: Policy = {
  name: 'eager_1f1b',
  summary:
    '1F1B with about twice the warm-up. Hides transfers of up to half of F + B, but holds up to twice as many microbatches in flight.',
  page: '1f1b',
  parameters: [],
  split: false,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  check: () => [],
  order: (shape, device, out) => alternate(device, shape.microbatches, warmup(shape, device), out),
  explain: (shape) => [
    `warm-up: min(m, 2(p − i) − 1) = ${perDevice(shape, (device) => warmup(shape, device))} forwards`,
    idleLine(shape, '(p − 1)(F + B)', ({ f, i, w }) => (shape.devices - 1) * (f + i + w)),
    `in flight: ${perDevice(shape, (device) => warmup(shape, device))}`,
  ],
};
