/** Layers kernel by kernel: what the kernels of a forward are, and the seconds of all passes that follow from them. */
import { extraBytes, type ProductPass } from './tiles.ts';
import type { DeviceSpeed, Kernel, SizedShares } from './types.ts';

/** Products with weights (rows × inner) · (inner × columns): both factors are read, the result is written. */
export const product = (
  [rows, inner, columns]: readonly [number, number, number],
  element: number,
  count = 1,
): Kernel => ({
  part: 'linear',
  flops: 2 * rows * inner * columns,
  bytes: element * (rows * inner + inner * columns + rows * columns),
  count,
  factors: { rows, inner, columns, element, times: 1 },
});

/** Kernels that only move bytes. */
export const moves = (bytes: number, count = 1): Kernel => ({ part: 'elementwise', flops: 0, bytes, count });

/** The share of a size: the entry with the greatest `least` that is not above it. */
export const shareAt = (shares: SizedShares, size: number): number =>
  shares.findLast(({ least }) => least <= size)?.share ?? 1;

/** Whether layers are costed kernel by kernel on a device: it says how well kernels of several sizes do. */
export const byKernel = ({ efficiencyBySize, memoryEfficiency = [] }: DeviceSpeed): boolean =>
  efficiencyBySize !== undefined || memoryEfficiency.length > 1;

/**
 * Seconds of one kernel. Two terms overlap: FLOPs at peak × the share for their number, and bytes at bandwidth × the share for
 * theirs. Its launch is added. A peak or bandwidth of 0 is not known, and its term is left out.
 */
export function kernelTime({ flops, bytes }: Pick<Kernel, 'flops' | 'bytes'>, device: DeviceSpeed): number {
  const { compute, efficiency, efficiencyBySize, bandwidth, memoryEfficiency = [], launch = 0, memoryOverlap } = device;
  const share = efficiencyBySize === undefined ? efficiency : shareAt(efficiencyBySize, flops);
  const computing = compute > 0 ? flops / (compute * share) : 0;
  const moving = bandwidth > 0 ? bytes / (bandwidth * shareAt(memoryEfficiency, bytes)) : 0;
  return overlapTime(computing, moving, memoryOverlap) + launch;
}

/**
 * Seconds of computing and of moving bytes, if this share of the shorter runs in parallel with the longer: all of it is a
 * roofline.
 */
export const overlapTime = (computing: number, moving: number, overlap = 1): number =>
  Math.max(computing, moving) + (1 - overlap) * Math.min(computing, moving);

/** Seconds of one microbatch on a device, without communication. */
export interface Work {
  readonly forward: number;
  /** Of the forward, the attention core. */
  readonly core: number;
  readonly backwardInput: number;
  readonly backwardWeight: number;
  /** Of making activations again, under full and under selective recomputation. */
  readonly full: number;
  readonly selective: number;
}

/**
 * Every product with weights is there twice more in the backward, with the same sizes. I has the gradient of its input, W the
 * gradient of its weights. The attention core and element-wise kernels are there twice in I. A product without weights has two
 * factors to differentiate. A kernel that only moves memory reads the gradient in addition to what it read.
 * Gradients that meet at a residual connection are added up. A FlashAttention recomputes its scores, 2.5 times its forward in
 * FLOPs (arXiv:2307.08691, section 4.1). This counts as twice here too, as it does without kernels.
 *
 * Of a layer without FLOPs (`lookUp`: an embedding) the weight gradient moves what the forward does, and there is no other
 * gradient.
 */
export function kernelWork(kernels: readonly Kernel[], device: DeviceSpeed, lookUp: boolean): Work {
  if (device.cache !== undefined) return tiledWork(kernels, device, device.cache, lookUp);
  const time = { linear: 0, core: 0, elementwise: 0 };
  let kept = 0;
  for (const kernel of kernels) {
    const seconds = kernel.count * kernelTime(kernel, device);
    time[kernel.part] += seconds;
    if (kernel.kept === true) kept += seconds;
  }
  const { linear, core, elementwise } = time;
  const forward = linear + core + elementwise;
  return {
    forward,
    core,
    backwardInput: lookUp ? 0 : linear + 2 * (core + elementwise),
    backwardWeight: lookUp ? forward : linear,
    full: forward - kept,
    selective: core,
  };
}

/** The same where products are read tile by tile: the products of the backward have other sizes, so they move other bytes. */
function tiledWork(kernels: readonly Kernel[], device: DeviceSpeed, cache: number, lookUp: boolean): Work {
  const work = { forward: 0, core: 0, backwardInput: 0, backwardWeight: 0, full: 0 };
  for (const kernel of kernels) {
    const seconds = (pass: ProductPass): number =>
      kernel.count * kernelTime({ flops: kernel.flops, bytes: kernel.bytes + extraBytes(kernel, pass, cache) }, device);
    const forward = seconds('forward');
    work.forward += forward;
    if (kernel.part === 'core') work.core += forward;
    if (kernel.kept !== true) work.full += forward;
    if (lookUp) continue;
    // A product without weights has the gradients of both factors in I.
    if (kernel.part === 'linear') work.backwardWeight += seconds('right');
    else work.backwardInput += seconds('right');
    work.backwardInput += seconds('left');
  }
  return { ...work, backwardWeight: lookUp ? work.forward : work.backwardWeight, selective: work.core };
}
