import type { SchedulePlan } from '../../values/plan.ts';
import { integerArgument } from '../../policies/arguments.ts';
import { type Program, kindOf, microbatchOf, stageOf } from '../../values/program.ts';
import { idleSteps } from './steps.ts';
import { type ComputeAction, type TorchCell, type TorchTable, blank, tableOf } from './table.ts';

/**
 * Where blanks go. PyTorch drops them when it loads a table; they show idle steps to a reader.
 * `none`: nowhere, as `ScheduleGPipe` and `Schedule1F1B` list themselves. `steps`: wherever a device waits if each cell takes one step.
 * `leading`: the device's number of them before its first operation and nowhere else, as `ScheduleZBVZeroBubble` has them.
 * `interleaved`: as `ScheduleInterleaved1F1B` places them, where a forward and a backward share a period of two steps; `group` is the
 * number of microbatches that go through a chunk in turn.
 */
export type Layout =
  | { readonly kind: 'none' }
  | { readonly kind: 'steps' }
  | { readonly kind: 'leading' }
  | { readonly kind: 'interleaved'; readonly group: number };

/** The layout that PyTorch's own tables of this schedule have; `steps` for those that it does not know. */
export function layoutOf(schedule: SchedulePlan, { devices, microbatches }: Program): Layout {
  if (schedule.kind !== 'policy') return { kind: 'steps' };
  // PyTorch has no table with a longer warm-up.
  if (schedule.name === 'interleaved_1f1b' && integerArgument(schedule.args, 'extra_warmup', 0) === 0)
    return { kind: 'interleaved', group: integerArgument(schedule.args, 'group', devices) };
  // PyTorch writes this one as it is run, without idle steps.
  if (schedule.name === 'dualpipe_v') return { kind: 'none' };
  // With fewer microbatches PyTorch leaves a blank for each operation that is not there.
  return schedule.name === 'zb_v' && microbatches >= 2 * devices - 1 ? { kind: 'leading' } : { kind: 'steps' };
}

export interface Exported {
  readonly table: TorchTable;
  /** Slots of more than two operations: no cell can hold them. Named by their first operation. */
  readonly tooWide: readonly string[];
}

/** The `compute_only` table of a program. */
export function tableOfProgram(program: Program, layout: Layout): Exported {
  const tooWide: string[] = [];
  const rows: TorchCell[][] = [];
  for (let device = 0; device < program.devices; device += 1) rows.push(cellsOf(program, device, tooWide));
  return { table: tableOf(spaced(program, rows, layout)), tooWide };
}

function cellsOf(program: Program, device: number, tooWide: string[]): TorchCell[] {
  const { order, offsets, fused } = program;
  const cells: TorchCell[] = [];
  let slot: ComputeAction[] = [];
  for (let position = offsets[device]; position < offsets[device + 1]; position += 1) {
    const action = actionAt(program, order[position]);
    if (action !== undefined) slot.push(action);
    if (fused?.[position] === 1 && position + 1 < offsets[device + 1]) continue;
    const [first, second] = slot;
    if (slot.length > 2) tooWide.push(`${first.stage}${first.type}${first.microbatch}`);
    if (second !== undefined) cells.push({ kind: 'fused', actions: [first, second] });
    else if (first !== undefined) cells.push(first);
    slot = [];
  }
  return cells;
}

const types: readonly (ComputeAction['type'] | undefined)[] = ['F', 'B', 'I', 'W'];

/** `undefined` for an operation that PyTorch has no action for; `notCarried` names those. */
function actionAt(program: Program, word: number): ComputeAction | undefined {
  const type = types[kindOf(program, word)];
  if (type === undefined) return undefined;
  return { kind: 'compute', stage: stageOf(program, word), type, microbatch: microbatchOf(program, word) };
}

function spaced(program: Program, rows: readonly TorchCell[][], layout: Layout): readonly (readonly TorchCell[])[] {
  switch (layout.kind) {
    case 'none':
      return rows;
    case 'leading':
      return rows.map((row, device) => [...Array.from({ length: device }, () => blank), ...row]);
    case 'interleaved':
      return rows.map((row, device) => interleavedBlanks(program, row, device, layout.group));
    case 'steps': {
      const idle = idleSteps(rows, program.stages, program.microbatches);
      if (idle === undefined) return rows;
      return rows.map((row, device) =>
        row.flatMap((cell, at) => [...Array.from({ length: idle[device][at] }, () => blank), cell]),
      );
    }
  }
}

/**
 * `_get_1f1b_rank_ops` of PyTorch 2.13. First come as many blanks as the device's number. After the warm-up come blanks that put
 * the first backward at step v·p + 2(p − 1 − i) + 1. One more comes before each backward without a forward.
 */
function interleavedBlanks(program: Program, row: readonly TorchCell[], device: number, group: number): TorchCell[] {
  const { devices, stages, microbatches } = program;
  const chunks = Math.ceil(stages / devices);
  const total = microbatches * chunks;
  const warmup = Math.min(total, (chunks - 1) * group + 2 * (devices - 1 - device));
  const wait = chunks * devices + 2 * (devices - 1 - device) - (warmup + device);
  const cells: TorchCell[] = Array.from({ length: device }, () => blank);
  let forwards = 0;
  let backwards = 0;
  for (const cell of row) {
    if (cell.kind === 'compute' && cell.type === 'F') forwards += 1;
    else {
      if (backwards >= total - warmup) cells.push(blank);
      backwards += 1;
    }
    cells.push(cell);
    if (cell.kind === 'compute' && cell.type === 'F' && forwards === warmup)
      for (let waited = 0; waited < wait; waited += 1) cells.push(blank);
  }
  return cells;
}
