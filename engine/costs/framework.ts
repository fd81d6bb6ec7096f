/** What the libraries of a training run hold on every device before the first tensor is there. */
import type { DeviceFamily } from '../values/accuracy.ts';
import type { FrameworkSettings } from '../basics/host.ts';

/** Sizes of the groups that a device talks in; 1 where there is none. */
export interface Groups {
  /** Whether the pipeline has at least two ranks. */
  readonly pipeline: boolean;
  readonly tensor: number;
  /** Parts of the sequence. */
  readonly context: number;
  /** Ranks that reduce their gradients together: of data parallelism, and replicas of a stage. */
  readonly data: number;
  readonly expert: number;
}

export interface FrameworkBytes {
  readonly context: number;
  /** Bytes of all communicators together. */
  readonly communicators: number;
  /** Communicator groups that the device is in. */
  readonly groups: number;
}

const MiB = 2 ** 20;

/**
 * Workspaces of products that the allocator of the framework holds from the first product on. PyTorch gives cuBLAS 32 MiB on Hopper and
 * Blackwell and 8.125 MiB before (`aten/src/ATen/cuda/CublasHandlePool.cpp`, `parseChosenWorkspaceSize`), once for the thread of the
 * forwards and once for the one of autograd. Transformer Engine has 32 or 4 MiB more (`get_cublas_workspace_size_bytes`).
 */
export function workspaceBytes(family: DeviceFamily, hasTransformerEngine: boolean): number {
  const isNew = family !== 'ampere';
  return (2 * (isNew ? 32 : 8.125) + (hasTransformerEngine ? (isNew ? 32 : 4) : 0)) * MiB;
}

/**
 * A context and one communicator for each group that the device is in. Groups are neighbours in the pipeline, tensor, context,
 * gradients (data × context ranks) and experts. At most `reservedMost`, of which the context comes first.
 *
 * 1.5 GiB, 0.5 GiB and 3 GiB are a judgement of published sizes. Contexts take 0.2 to 0.7 GB, more with older drivers
 * (pytorch/pytorch#28113, #107667). Workspaces of the matrix library and other loaded code take about the same again. A
 * communicator takes 342 MiB (the system files of aiconfigurator) to 688 MB (NVIDIA/nccl#964) by version and ranks. The first
 * communicator takes more than the next ones.
 */
export function frameworkBytes(
  { pipeline, tensor, context, data, expert }: Groups,
  settings: FrameworkSettings,
): FrameworkBytes {
  const groups = [pipeline, tensor > 1, context > 1, data * context > 1, expert > 1].filter(Boolean).length;
  const contextBytes = Math.min(settings.context, settings.reservedMost);
  const communicators = Math.min(groups * settings.communicator, settings.reservedMost - contextBytes);
  return { context: contextBytes, communicators, groups };
}
