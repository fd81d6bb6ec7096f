import { withReduceGrad, withSharding } from './sharding.ts';
import {
  type ComputeAction,
  type TorchCell,
  type TorchTable,
  type TransferAction,
  computing,
  type Numbered,
} from './table.ts';
import { neededKey, resultKey } from './waits.ts';

/** Shape of a table that is a schedule: what `checkTable` finds out. */
export interface TorchShape {
  readonly stages: number;
  readonly microbatches: number;
  /** Rank of each stage. */
  readonly placement: Int32Array;
}

export type Lowered =
  | { readonly table: TorchTable }
  /** Cells (by row, and column of the compute-only table) that wait for each other for ever. */
  | { readonly stuck: readonly { readonly row: number; readonly column: number }[] };

/**
 * `compute_only` → `compute_comms`, as PyTorch's `_PipelineScheduleRuntime._prepare_schedule_with_comms` does. It gathers and
 * releases the parameters of stages and reduces gradients. Then it puts a send after each operation whose result another rank
 * needs, and the receive at the same moment into that rank's row. Nothing is sent between stages of one rank.
 */
export function lower(table: TorchTable, shape: TorchShape): Lowered {
  const rows = table.rows.map((row, rank) => {
    const numbered: Numbered[] = [];
    for (const [column, cell] of row.entries()) if (cell.kind !== 'blank') numbered.push({ cell, column, rank });
    return withReduceGrad(withSharding(numbered), shape.microbatches);
  });
  return withTransfers(table, rows, shape);
}

/** `_add_send_recv`: rank after rank takes its next cell if that is ready, again and again. */
function withTransfers(table: TorchTable, rows: readonly (readonly Numbered[])[], shape: TorchShape): Lowered {
  const { stages, microbatches } = shape;
  const done = new Uint8Array(3 * stages * microbatches);
  const result: TorchCell[][] = rows.map(() => []);
  const next = rows.map(() => 0);
  let working = rows.flatMap((row, rank) => (row.length > 0 ? [rank] : []));
  while (working.length > 0) {
    let moved = false;
    for (const rank of working) {
      const { cell } = rows[rank][next[rank]];
      const actions = computing(cell);
      const needs = actions.map((computeAction) => neededKey(computeAction, stages, microbatches));
      if (needs.some((need) => need >= 0 && done[need] === 0)) continue;
      moved = true;
      next[rank] += 1;
      result[rank].push(cell);
      for (const computeAction of actions) {
        done[resultKey(computeAction, stages, microbatches)] = 1;
        const pair = transferOf(computeAction, shape);
        if (pair === undefined) continue;
        result[rank].push(pair.send);
        result[pair.to].push(pair.receive);
      }
    }
    if (!moved) {
      return { stuck: working.map((rank) => ({ row: rank, column: rows[rank][next[rank]].column })) };
    }
    working = working.filter((rank) => next[rank] < rows[rank].length);
  }
  return { table: { ...table, rows: result } };
}

/** The send and the receive of an action's result; `undefined` where no other rank needs it. */
export function transferOf(
  { stage, type, microbatch }: ComputeAction,
  { stages, placement }: TorchShape,
): { readonly send: TransferAction; readonly receive: TransferAction; readonly to: number } | undefined {
  if (type === 'W') return undefined;
  const letter = type === 'F' ? 'F' : 'B';
  const target = type === 'F' ? stage + 1 : stage - 1;
  if (target < 0 || target >= stages || placement[target] === placement[stage]) return undefined;
  return {
    send: { kind: 'transfer', stage, type: `SEND_${letter}`, microbatch },
    receive: { kind: 'transfer', stage: target, type: `RECV_${letter}`, microbatch },
    to: placement[target],
  };
}
