import type { Policy } from '../policy.ts';
import { vPolicy } from '../orders/vPolicy.ts';

/** Qi et al., "Pipeline Parallelism with Controllable Memory" (2024): V-Half. */
export const vHalf: Policy = vPolicy({
  name: 'v_half',
  summary:
    'Two chunks on each device in a V; each microbatch is held about half as long as under 1F1B. Half the activation memory, and idle time well below 1F1B’s.',
  split: true,
  share: 'half',
  // The extra slots keep the four operations of a device apart modulo six.
  block(device, devices) {
    const extra = devices % 2 === 0 ? 3 : 0;
    return [
      2 * device,
      3 * devices - device - 2,
      3 * devices + extra + 2 * device - 1,
      6 * devices + extra - device - 2,
    ];
  },
});
