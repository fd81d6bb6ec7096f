/** Seconds of one kernel on a device. */
import type { DeviceSpeed, Kernel, SizedShares } from './types.ts';

/** The share of a size: the entry with the greatest `least` that is not above it. */
export const shareAt = (shares: SizedShares, size: number): number =>
  shares.findLast(({ least }) => least <= size)?.share ?? 1;

/**
 * Seconds of one kernel. Two terms overlap: FLOPs at peak × the share for their number, and bytes at bandwidth × the share for
 * theirs. Its launch is added. A peak or bandwidth of 0 is not known, and its term is left out.
 */
export function kernelTime({ flops, bytes }: Pick<Kernel, 'flops' | 'bytes'>, device: DeviceSpeed): number {
  const { compute, efficiency, efficiencyBySize, bandwidth, memoryEfficiency = [], memoryOverlap } = device;
  const share = efficiencyBySize === undefined ? efficiency : shareAt(efficiencyBySize, flops);
  const computing = compute > 0 ? flops / (compute * share) : 0;
  const moving = bandwidth > 0 ? bytes / (bandwidth * shareAt(memoryEfficiency, bytes)) : 0;
  return overlapTime(computing, moving, memoryOverlap) + launchOf(device);
}

export const launchOf = ({ launch = 0 }: DeviceSpeed): number => launch;

/**
 * Seconds of computing and of moving bytes, if this share of the shorter runs in parallel with the longer: all of it is a
 * roofline.
 */
export const overlapTime = (computing: number, moving: number, overlap = 1): number =>
  Math.max(computing, moving) + (1 - overlap) * Math.min(computing, moving);
