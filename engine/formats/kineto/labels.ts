/** Names that PyTorch's pipelining gives to slices. */
import { type CellFault, readCell } from '../torchCsv/cell.ts';
import type { TorchCell } from '../torchCsv/table.ts';

/** Since September 2025 `_PipelineScheduleRuntime`, and all schedules built on it, name their actions. */
export const prefix = 'PP:';

export const readLabel = (name: string): TorchCell | CellFault => readCell(name.slice(prefix.length).trim());

/** `Forward 3` of `ScheduleGPipe`. */
export function singleStageLabel(name: string): { readonly type: 'F' | 'B'; readonly microbatch: number } | undefined {
  const [, word, number] = /^(Forward|Backward) (\d{1,8})$/.exec(name) ?? [];
  return word === undefined ? undefined : { type: word === 'Forward' ? 'F' : 'B', microbatch: Number(number) };
}

/** `ProfilerStep#3`. */
export function stepNumber(name: string): number | undefined {
  const digits = /^ProfilerStep#(\d{1,15})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Kernels of NCCL: a pipeline's messages are `SendRecv`, under the names of newer and of older versions. */
const collective = /^nccl(Dev)?Kernel_?/i;
export function kernelUse(name: string): 0 | 1 | 2 {
  if (!collective.test(name)) return 0;
  return /^nccl(Dev)?Kernel_SendRecv/i.test(name) ? 1 : 2;
}

/** Work of a GPU, and the calls that launch it: Triton launches through the driver. */
export const deviceCategories: ReadonlySet<string> = new Set(['kernel', 'gpu_memcpy', 'gpu_memset']);
export const launchCategories: ReadonlySet<string> = new Set(['cuda_runtime', 'cuda_driver']);
