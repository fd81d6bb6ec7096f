import type { Policy } from '../policy.ts';
import { vPolicy } from '../orders/vPolicy.ts';

/** Qi et al., "Pipeline Parallelism with Controllable Memory" (2024): 1F1B-V. */
export const oneFOneBV: Policy = vPolicy({
  name: '1f1b_v',
  summary:
    'Two chunks on each device in a V, with a whole backward. About two thirds of the activation memory of 1F1B, for frameworks that cannot split the backward.',
  split: false,
  share: 'two thirds',
  // A backward has two slots. A pause of three after every third one keeps the four operations of a device apart modulo six.
  block(device, devices) {
    const backward = (nth: number): number => {
      const [paused, before] = devices % 3 === 0 ? [1, 3] : devices % 3 === 1 ? [0, 0] : [2, 0];
      return 2 * devices + before + 2 * nth + 3 * Math.floor((paused + nth) / 3);
    };
    return [device, 2 * devices - device - 1, backward(device), backward(2 * devices - 1 - device)];
  },
});
