import type { PipelinePlan } from '../values/plan.ts';
import { programDependencies } from '../order/dependencies.ts';
import { partnersOn } from '../policies/partners.ts';
import {
  B,
  kindOf,
  microbatchOf,
  needSlot,
  type Program,
  resultRow,
  resultRowOf,
  resultsIn,
  rowOf,
  stageOf,
} from '../values/program.ts';
import { slotTime } from '../order/slot.ts';
import { ticksOf } from './ticks.ts';
import { visitInOrder } from '../order/topology.ts';
import type { Ticks } from '../order/wholeTicks.ts';

/**
 * A policy's program on the devices of the plan, if the file puts stages elsewhere than the policy. Several rows may become one.
 * Operations of a device run in the order in which they would start if each row still had a device to itself. Ties follow an
 * order in which everything could run, so nothing can wait in a circle. Operations of one slot stay together if their stages do.
 */
export function relocate(program: Program, plan: PipelinePlan): Program {
  const placement = Int32Array.from(plan.placement);
  const devices = plan.devices.length;
  const moved = renamed(program, placement, devices) ?? merged(program, plan, placement, devices);
  if (program.partner === undefined) return moved;
  return { ...moved, partner: partnersOn(program.partner, program.placement, placement, devices) };
}

/** If each row goes to a different device, it stays as it is. */
function renamed(program: Program, placement: Int32Array, devices: number): Program | undefined {
  const target = new Int32Array(program.devices).fill(-1);
  const source = new Int32Array(devices).fill(-1);
  for (let stage = 0; stage < program.stages; stage += 1) {
    const from = program.placement[stage];
    const to = placement[stage];
    if ((target[from] >= 0 && target[from] !== to) || (source[to] >= 0 && source[to] !== from)) return undefined;
    target[from] = to;
    source[to] = from;
  }
  const positions = new Int32Array(program.order.length);
  const offsets = new Int32Array(devices + 1);
  for (let device = 0; device < devices; device += 1) {
    const from = source[device];
    const [first, end] = from < 0 ? [0, 0] : [program.offsets[from], program.offsets[from + 1]];
    for (let at = first; at < end; at += 1) positions[offsets[device] + at - first] = at;
    offsets[device + 1] = offsets[device] + end - first;
  }
  return { ...reordered(program, positions), devices, placement, offsets };
}

/** The operations at `positions`, in that order. Operations of one slot must be together, in the order of the slot. */
function reordered(program: Program, positions: Int32Array, apart?: Uint8Array): Program {
  const { fused } = program;
  const order = positions.map((position) => program.order[position]);
  if (fused === undefined) return { ...program, order };
  return { ...program, order, fused: Uint8Array.from(positions, (at) => (apart?.[at] === 1 ? 0 : fused[at])) };
}

function merged(program: Program, plan: PipelinePlan, placement: Int32Array, devices: number): Program {
  const { fused } = program;
  const total = program.order.length;
  const deviceOf = (position: number): number => placement[stageOf(program, program.order[position])];
  const { starts, turn } = startsOf(program, plan);
  // A slot is sorted by its first operation; where its two stages go to different devices, each goes alone.
  const apart = new Uint8Array(total);
  const second = new Uint8Array(total);
  for (let position = 0; fused !== undefined && position + 1 < total; position += 1) {
    if (fused[position] === 0) continue;
    if (deviceOf(position) === deviceOf(position + 1)) second[position + 1] = 1;
    else apart[position] = 1;
  }
  const firsts = Int32Array.from({ length: total }, (_, position) => position)
    .filter((position) => second[position] === 0)
    .sort((a, b) => deviceOf(a) - deviceOf(b) || starts[a] - starts[b] || turn[a] - turn[b]);
  const sorted = new Int32Array(total);
  let at = 0;
  for (const position of firsts) {
    sorted[at++] = position;
    if (second[position + 1] === 1) sorted[at++] = position + 1;
  }
  const offsets = new Int32Array(devices + 1);
  for (let position = 0; position < total; position += 1) offsets[deviceOf(position) + 1] += 1;
  for (let device = 0; device < devices; device += 1) offsets[device + 1] += offsets[device];
  return { ...reordered(program, sorted, apart), devices, placement, offsets };
}

/** Start of each operation if each row has a device to itself, in ticks, and its turn in an order in which all could run. */
function startsOf(program: Program, plan: PipelinePlan): { readonly starts: Float64Array; readonly turn: Int32Array } {
  const { stages, microbatches, fused, overlap = 0 } = program;
  const dependencies = programDependencies(program, plan.edges);
  const ticks = ticksOf(plan, dependencies, true, program.apart);
  const total = program.order.length;
  const starts = new Float64Array(total);
  const turn = new Int32Array(total);
  const end = new Float64Array(resultsIn(program) * stages * microbatches);
  const deviceOf = new Int32Array(total);
  for (let device = 0; device < program.devices; device += 1)
    deviceOf.fill(device, program.offsets[device], program.offsets[device + 1]);
  const free = new Float64Array(program.devices);
  let turns = 0;
  const resultAt = (position: number): number => resultRowOf(stages, rowOf(program, program.order[position]));
  const ready = (position: number): number => {
    const microbatch = microbatchOf(program, program.order[position]);
    let start = free[deviceOf[position]];
    for (
      let need = dependencies.offsets[resultAt(position)];
      need < dependencies.offsets[resultAt(position) + 1];
      need += 1
    ) {
      const slot = needSlot(dependencies, microbatches, need, microbatch);
      if (slot >= 0 && end[slot] + ticks.transfer[need] > start) start = end[slot] + ticks.transfer[need];
    }
    return start;
  };
  const ends = (position: number, start: number, over: number): void => {
    starts[position] = start;
    end[resultAt(position) * microbatches + microbatchOf(program, program.order[position])] = over;
    free[deviceOf[position]] = over;
  };
  visitInOrder(program, dependencies, (position) => {
    turn[position] = turns;
    turns += 1;
    const second = fused !== undefined && position > 0 && fused[position - 1] === 1;
    if (second) {
      // All that either needs has been visited: both start together.
      const start = Math.max(ready(position - 1), ready(position));
      const over =
        start + slotTime(lengthAt(program, ticks, position - 1), lengthAt(program, ticks, position), overlap);
      ends(position - 1, start, over);
      ends(position, start, over);
    } else if (fused === undefined || fused[position] === 0) {
      const start = ready(position);
      ends(position, start, start + lengthAt(program, ticks, position));
    }
  });
  return { starts, turn };
}

/** Ticks of an operation; a B takes as long as its I and W together. */
function lengthAt(program: Program, { duration }: Ticks, position: number): number {
  const { order, stages } = program;
  const kind = kindOf(program, order[position]);
  const stage = stageOf(program, order[position]);
  return duration[resultRow(stages, kind, stage)] + (kind === B ? duration[2 * stages + stage] : 0);
}
