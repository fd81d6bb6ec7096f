/** Seconds of fused attention cores: FlashAttention and its like, which are slower than products of their size. */
import { launchOf, overlapTime, shareAt } from './kernelTime.ts';
import type { AttentionSpeed, DeviceSpeed, FusedCore, SizedShares } from './types.ts';

/**
 * FLOPs of a backward per FLOP of a forward. A backward has five products where a forward has two: it makes the scores again
 * (FlashAttention-2, arXiv:2307.08691, section 4.1).
 */
export const backwardFlops = 2.5;

/**
 * A softmax takes as long for narrow heads as for wide ones, though their products are shorter. Kernels of 64-wide heads reach
 * 0.69 to 0.88 of the rate of 128-wide ones (FlashAttention-3, arXiv:2407.08608, figures 5 and 6); wider heads gain nothing.
 */
const widthShare = (width: number): number => Math.min(1, (1 + softmax / fullWidth) / (1 + softmax / width));
const fullWidth = 128;
/** Width whose products take as long as the softmax that they wait for: heads of 64 reach 0.83. */
const softmax = 32;

export interface CoreTimes {
  readonly forward: number;
  readonly backward: number;
}

/** One kernel of `flops` in the forward. A backward reads and writes each tensor and its gradient: twice the bytes. */
export function fusedTimes(
  { flops, bytes }: { readonly flops: number; readonly bytes: number },
  { keys, width }: FusedCore,
  { compute, forward, backward }: AttentionSpeed,
  device: DeviceSpeed,
): CoreTimes {
  const { bandwidth, memoryEfficiency = [], memoryOverlap } = device;
  const seconds = (work: number, moved: number, shares: SizedShares): number => {
    const computing = compute > 0 ? work / (compute * shareAt(shares, keys) * widthShare(width)) : 0;
    const moving = bandwidth > 0 ? moved / (bandwidth * shareAt(memoryEfficiency, moved)) : 0;
    return overlapTime(computing, moving, memoryOverlap) + launchOf(device);
  };
  return { forward: seconds(flops, bytes, forward), backward: seconds(backwardFlops * flops, 2 * bytes, backward) };
}

/** All fused cores of a layer, one after the other, without the bytes that they move. */
export function coreTimes(flops: number, fused: FusedCore, speed: AttentionSpeed, device: DeviceSpeed): CoreTimes {
  const { second } = fused;
  if (second === undefined) return fusedTimes({ flops, bytes: 0 }, fused, speed, device);
  const [a, b] = [
    fusedTimes({ flops: flops * (1 - second.share), bytes: 0 }, fused, speed, device),
    fusedTimes({ flops: flops * second.share, bytes: 0 }, second, speed, device),
  ];
  return { forward: a.forward + b.forward, backward: a.backward + b.backward };
}
