/**
 * Operations of a CUDA graph. A replay has no slice on the host for each operation. Its kernels carry the label that was in effect when
 * the graph was recorded: `args.name`, which `torch.cuda` writes into a trace. All kernels of a replay have one number.
 */
import type { TorchCell } from '../torchCsv/table.ts';
import type { ComputeSlice, Slice, TransferSlice } from './rankTrace.ts';

/** Work of a device that names its operation. */
export interface LabelledWork extends Slice {
  readonly cell: TorchCell;
  /** Of the call that launched it. */
  readonly number: number;
}

/** Operations and messages, each from its first kernel to the end of its last. Work is the union of the kernels of an operation. */
export function graphSlices(works: readonly LabelledWork[]): {
  readonly computing: readonly ComputeSlice[];
  readonly transfers: readonly TransferSlice[];
} {
  const groups = new Map<string, LabelledWork[]>();
  for (const work of works) {
    const key = `${work.number} ${JSON.stringify(work.cell)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [work]);
    else group.push(work);
  }
  const computing: ComputeSlice[] = [];
  const transfers: TransferSlice[] = [];
  for (const group of groups.values()) {
    const { busy, slice } = unionOf(group);
    const { cell } = group[0];
    if (cell.kind === 'compute') computing.push({ ...slice, actions: [cell], busy });
    else if (cell.kind === 'fused') computing.push({ ...slice, actions: cell.actions, busy });
    else if (cell.kind === 'transfer')
      transfers.push({ ...slice, type: cell.type, stage: cell.stage, microbatch: cell.microbatch, over: slice.to });
  }
  return { computing, transfers };
}

function unionOf(group: readonly LabelledWork[]): { readonly busy: number; readonly slice: Slice } {
  const [first, ...others] = group.toSorted((a, b) => a.from - b.from);
  let [busy, to] = [first.to - first.from, first.to];
  for (const work of others) {
    busy += Math.max(0, work.to - Math.max(work.from, to));
    to = Math.max(to, work.to);
  }
  const { from, process, thread, line, character } = first;
  return { busy, slice: { from, to, process, thread, line, character } };
}
