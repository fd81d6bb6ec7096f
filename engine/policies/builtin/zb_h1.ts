import { type EqualTimes, idleLine, perDevice } from '../describe.ts';
import { alternateSplit } from '../orders/alternate.ts';
import { linear } from '../placement.ts';
import type { Policy, Shape } from '../policy.ts';

const warmup = (shape: Shape, device: number): number => Math.min(shape.microbatches, shape.devices - device);

/** Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 2.1. */
export const zbH1: Policy = {
  name: 'zb_h1',
  summary:
    '1F1B with a split backward. Weight gradients fill two thirds of the idle time; every device needs the memory of 1F1B’s first device.',
  page: 'zb_h1',
  parameters: [],
  split: true,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  check: () => [],
  order: (shape, device, out) => alternateSplit(device, shape.microbatches, warmup(shape, device), device, out),
  explain: (shape) => [
    `warm-up: min(m, p − i) = ${perDevice(shape, (device) => warmup(shape, device))} forwards`,
    `W runs ${perDevice(shape, (device) => device)} input gradients after its input gradient`,
    idleLine(shape, '(p − 1)(F + I − W)', (times) => zbIdle(shape, times)),
    `in flight until W: min(m, p) = ${Math.min(shape.microbatches, shape.devices)} on every device`,
  ],
};

/**
 * Idle seconds of a device, (p − 1)(F + I − W); if it has several chunks, of operations of a chunk. Exact if no W is longer than
 * the F or the I that it replaces, and the warm-up is not cut short.
 */
export function zbIdle(shape: Shape, { f, i, w }: EqualTimes): number | undefined {
  return shape.microbatches >= shape.devices && w <= Math.min(f, i) ? (shape.devices - 1) * (f + i - w) : undefined;
}
