/** Layers kernel by kernel: what the kernels of a forward are, and the seconds of all passes that follow from them. */
import { type CoreTimes, fusedTimes } from './fusedCore.ts';
import { extraBytes, type ProductPass } from './tiles.ts';
import { kernelTime } from './kernelTime.ts';
import type { DeviceSpeed, Kernel } from './types.ts';

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

/** The same kernels with weights that do not train. */
export const frozenKernels = (kernels: readonly Kernel[]): readonly Kernel[] =>
  kernels.map((kernel) => (kernel.part === 'linear' ? { ...kernel, frozen: true } : kernel));

/** Kernels that only move bytes. */
export const moves = (bytes: number, count = 1): Kernel => ({ part: 'elementwise', flops: 0, bytes, count });

/** Whether layers are costed kernel by kernel on a device: it says how well kernels of several sizes do. */
export const byKernel = ({ efficiencyBySize, memoryEfficiency = [] }: DeviceSpeed): boolean =>
  efficiencyBySize !== undefined || memoryEfficiency.length > 1;

/** Seconds of one microbatch on a device, without communication. */
export interface Work {
  readonly forward: number;
  /** Of the forward and of the input gradient, the attention core. */
  readonly core: number;
  readonly coreBackward: number;
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
 * Gradients that meet at a residual connection are added up. Fused cores have their own times where the device gives them
 * (`fusedTimes`); otherwise they count twice in I, too.
 *
 * Of a layer without FLOPs (`lookUp`: an embedding) the weight gradient moves what the forward does, and there is no other
 * gradient.
 */
export function kernelWork(kernels: readonly Kernel[], device: DeviceSpeed, lookUp: boolean): Work {
  if (device.cache !== undefined) return tiledWork(kernels, device, device.cache, lookUp);
  const time = { linear: 0, core: 0, elementwise: 0 };
  let [kept, coreBackward, frozen, inputless] = [0, 0, 0, 0];
  for (const kernel of kernels) {
    const fused = fusedOf(kernel, device);
    const seconds = kernel.count * (fused?.forward ?? kernelTime(kernel, device));
    time[kernel.part] += seconds;
    if (kernel.part === 'core') coreBackward += fused === undefined ? 2 * seconds : kernel.count * fused.backward;
    if (kernel.kept === true) kept += seconds;
    if (kernel.frozen === true) frozen += seconds;
    if (kernel.inputless === true) inputless += seconds;
  }
  const { linear, core, elementwise } = time;
  const forward = linear + core + elementwise;
  return {
    forward,
    core,
    coreBackward,
    backwardInput: lookUp ? 0 : linear - inputless + (coreBackward + 2 * elementwise),
    backwardWeight: lookUp ? forward : linear - frozen,
    full: forward - kept,
    selective: core,
  };
}

/** Times of a fused core on a device that says how fast these are. */
const fusedOf = (kernel: Kernel, device: DeviceSpeed): CoreTimes | undefined =>
  kernel.fused === undefined || device.attention === undefined
    ? undefined
    : fusedTimes(kernel, kernel.fused, device.attention, device);

/** The same where products are read tile by tile: the products of the backward have other sizes, so they move other bytes. */
function tiledWork(kernels: readonly Kernel[], device: DeviceSpeed, cache: number, lookUp: boolean): Work {
  const work = { forward: 0, core: 0, coreBackward: 0, backwardInput: 0, backwardWeight: 0, full: 0 };
  for (const kernel of kernels) {
    const seconds = (pass: ProductPass): number =>
      kernel.count * kernelTime({ flops: kernel.flops, bytes: kernel.bytes + extraBytes(kernel, pass, cache) }, device);
    const fused = fusedOf(kernel, device);
    const forward = fused === undefined ? seconds('forward') : kernel.count * fused.forward;
    work.forward += forward;
    if (kernel.part === 'core') work.core += forward;
    if (kernel.kept !== true) work.full += forward;
    if (lookUp) continue;
    if (kernel.part === 'core') {
      const backward = fused === undefined ? seconds('left') + seconds('right') : kernel.count * fused.backward;
      work.coreBackward += backward;
      work.backwardInput += backward;
      continue;
    }
    // A product without weights has the gradients of both factors in I.
    if (kernel.part === 'linear') work.backwardWeight += kernel.frozen === true ? 0 : seconds('right');
    else work.backwardInput += seconds('right');
    if (kernel.inputless !== true) work.backwardInput += seconds('left');
  }
  return { ...work, backwardWeight: lookUp ? work.forward : work.backwardWeight, selective: work.core };
}
