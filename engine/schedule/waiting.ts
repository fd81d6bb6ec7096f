import type { Dependencies } from '../order/dependencies.ts';
import {
  kindOfRow,
  kindsIn,
  microbatchOf,
  needSlot,
  type Program,
  resultRowOf,
  rowOf,
  slotOf,
} from '../values/program.ts';

/** Who waits for whom among the operations of a program that never run. */
export interface Waiting {
  readonly program: Program;
  readonly dependencies: Dependencies;
  /** First position of each device that never runs; its end, where all run. */
  readonly stuck: Int32Array;
  /** Position of an operation that never runs, by `slotOf`; −1 for others. */
  readonly positions: Int32Array;
  /** First position of the fused group that a stuck position belongs to; −1 for positions that run. A group waits as one. */
  readonly starts: Int32Array;
}

export function waitingOf(program: Program, dependencies: Dependencies, stuck: Int32Array): Waiting {
  const { order, offsets, fused, devices, stages, microbatches } = program;
  const positions = new Int32Array(kindsIn(program) * stages * microbatches).fill(-1);
  const starts = new Int32Array(order.length).fill(-1);
  for (let device = 0; device < devices; device += 1) {
    for (let position = stuck[device]; position < offsets[device + 1]; position += 1) {
      positions[slotOf(program, order[position])] = position;
      const joined = position > stuck[device] && fused !== undefined && fused[position - 1] === 1;
      starts[position] = joined ? starts[position - 1] : position;
    }
  }
  return { program, dependencies, stuck, positions, starts };
}

/** `waiter` (a position of the group) waits for the operation at `target`, which it needs or which comes before it. */
export type Wait = (waiter: number, target: number, because: 'needs' | 'order') => void;

// An input gradient (result 1) is that of B or of I, whichever the program has.
const kindsOfResult: readonly (readonly number[])[] = [[0], [1, 2], [3], [4], [5], [6], [7]];

/** Calls `visit` for what the group that starts at `group` waits for: first its needs, then what comes before it. */
export function eachWait(
  { program, dependencies, stuck, positions, starts }: Waiting,
  group: number,
  visit: Wait,
): void {
  const { order, stages, microbatches } = program;
  for (let position = group; position < order.length && starts[position] === group; position += 1) {
    const word = order[position];
    const result = resultRowOf(stages, rowOf(program, word));
    for (let need = dependencies.offsets[result]; need < dependencies.offsets[result + 1]; need += 1) {
      const slot = needSlot(dependencies, microbatches, need, microbatchOf(program, word));
      if (slot < 0) continue;
      const row = dependencies.needs[need];
      const asked = kindOfRow(stages, row);
      for (const kind of asked < kindsOfResult.length ? kindsOfResult[asked] : [asked + 1]) {
        const target = positions[(kind * stages + (row % stages)) * microbatches + (slot % microbatches)];
        if (target >= 0) visit(position, target, 'needs');
      }
    }
  }
  if (group > stuck[deviceAt(program, group)]) visit(group, group - 1, 'order');
}

/** Device whose row holds a position of `order`. */
export function deviceAt({ offsets, devices }: Program, position: number): number {
  let low = 0;
  let high = devices - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
