import type { Policy } from '../policy.ts';
import { vPolicy } from '../orders/vPolicy.ts';

/** Qi et al., "Pipeline Parallelism with Controllable Memory" (2024): V-Min. */
export const vMin: Policy = vPolicy({
  name: 'v_min',
  summary:
    'Two chunks on each device in a V; each microbatch is held for the shortest possible time. About a third of the activation memory of 1F1B, and about two thirds of its idle time.',
  split: true,
  share: 'a third',
  // The extra slots keep the four operations of a device apart modulo six.
  block(device, devices) {
    const extra = devices % 3 === 0 ? 2 : 0;
    return [device, 2 * devices - device - 1, 2 * devices + extra + device, 4 * devices + extra - device - 1];
  },
});
