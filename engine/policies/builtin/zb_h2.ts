import { type EqualTimes, fillingLines, idleLine, perDevice, postValidation } from '../describe.ts';
import { alternateSplit } from '../orders/alternate.ts';
import { linear } from '../placement.ts';
import type { Policy, Shape } from '../policy.ts';

const warmup = (shape: Shape, device: number): number => Math.min(shape.microbatches, 2 * (shape.devices - device) - 1);

/** Qi et al., "Zero Bubble Pipeline Parallelism" (2023), sections 2.2 and 4 (post-validation). */
export const zbH2: Policy = {
  name: 'zb_h2',
  summary:
    'ZB-H1 with about twice the warm-up. No idle time between the first and the last operation of a device, if the optimizer step needs no barrier.',
  page: 'zb_h1',
  parameters: [],
  split: true,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  check: () => [],
  order: (shape, device, out) => alternateSplit(device, shape.microbatches, warmup(shape, device), 2 * device, out),
  explain: (shape) => [
    `warm-up: min(m, 2(p − i) − 1) = ${perDevice(shape, (device) => warmup(shape, device))} forwards`,
    `W runs ${perDevice(shape, (device) => 2 * device)} input gradients after its input gradient`,
    idleLine(shape, '(p − 1)·max(F, F + I − 2W)', (times) => idleOf(shape, times)?.makespan),
    idleLine(
      shape,
      '(p − 1)·max(0, F + I − 2W)',
      (times) => idleOf(shape, times)?.span,
      'idle between first start and last end',
    ),
    ...fillingLines(shape),
    `in flight until W: min(m, 2p − 1) = ${Math.min(shape.microbatches, 2 * shape.devices - 1)} on every device`,
    postValidation,
  ],
};

/**
 * The paper gives the idle time of a span, (p − 1)(F + I − 2W). To the end of the last device the first one idles at least
 * (p − 1)F, the time until the last one starts. Both are exact where W is no longer than F and the warm-up is not cut short.
 */
function idleOf(
  shape: Shape,
  { f, i, w }: EqualTimes,
): { readonly makespan: number; readonly span: number } | undefined {
  if (shape.microbatches < 2 * shape.devices - 1 || w > f) return undefined;
  const following = shape.devices - 1;
  return { makespan: following * Math.max(f, f + i - 2 * w), span: following * Math.max(0, f + i - 2 * w) };
}
