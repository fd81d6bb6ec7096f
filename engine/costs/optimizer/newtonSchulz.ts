/** The products that orthogonalise the momentum of a matrix (Muon: Jordan et al. 2024; Liu et al., arXiv:2502.16982, section 2.1). */
import { kernelTime } from '../kernelTime.ts';
import { product } from '../kernels.ts';
import type { DeviceSpeed, Kernel } from '../types.ts';
import type { WeightMatrix } from '../weightMatrix.ts';

/** 16 bits, whatever the precision of the model (Jordan's `zeropower_via_newtonschulz5`, Megatron-LM's `fp32_matmul_prec = medium`). */
const element = 2;

/** X·Xᵀ, the square of that, and its product with X, where X has n rows and m ≥ n columns: 4·n²·m + 2·n³ FLOPs in each step. */
export function newtonSchulzKernels({ rows, columns }: WeightMatrix, steps: number): readonly Kernel[] {
  const [n, m] = [Math.min(rows, columns), Math.max(rows, columns)];
  return [product([n, m, n], element, steps), product([n, n, n], element, steps), product([n, n, m], element, steps)];
}

/** Seconds for one of these matrices, on a device with its rates for 16 bits. */
export const newtonSchulzTime = (one: WeightMatrix, steps: number, device: DeviceSpeed): number =>
  newtonSchulzKernels(one, steps).reduce((sum, kernel) => sum + kernel.count * kernelTime(kernel, device), 0);
