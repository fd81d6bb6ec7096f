import type { PipelinePlan } from '../plan/plan.ts';
import { dependenciesOf, resultOf } from './dependencies.ts';
import type { Program } from './program.ts';
import { ticksOf } from './ticks.ts';
import { visitInOrder } from './topology.ts';

/**
 * A policy's program on the devices of the plan, where the file puts stages elsewhere than the policy would: several rows may
 * become one. Operations of a device run in the order in which they would start if each row still had a device to itself;
 * ties follow an order in which everything could run, so nothing can wait in a circle.
 */
export function relocate(program: Program, plan: PipelinePlan): Program {
  const placement = Int32Array.from(plan.placement);
  const devices = plan.devices.length;
  return renamed(program, placement, devices) ?? merged(program, plan, placement, devices);
}

/** Where each row goes to a device of its own, it stays as it is. */
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
  const order = new Int32Array(program.order.length);
  const offsets = new Int32Array(devices + 1);
  for (let device = 0; device < devices; device += 1) {
    const from = source[device];
    const row = from < 0 ? new Int32Array(0) : program.order.subarray(program.offsets[from], program.offsets[from + 1]);
    order.set(row, offsets[device]);
    offsets[device + 1] = offsets[device] + row.length;
  }
  return { ...program, devices, placement, order, offsets };
}

function merged(program: Program, plan: PipelinePlan, placement: Int32Array, devices: number): Program {
  const { stages, microbatches, shift } = program;
  const mask = (1 << shift) - 1;
  const dependencies = dependenciesOf(plan.edges, stages);
  const ticks = ticksOf(plan, dependencies, program.split);
  const total = program.order.length;
  const starts = new Float64Array(total);
  const turn = new Int32Array(total);
  const end = new Float64Array(3 * stages * microbatches);
  const rowOf = new Int32Array(total);
  for (let row = 0; row < program.devices; row += 1) rowOf.fill(row, program.offsets[row], program.offsets[row + 1]);
  const free = new Float64Array(program.devices);
  let turns = 0;
  visitInOrder(program, dependencies, (position) => {
    const word = program.order[position];
    const row = word >> shift;
    const result = resultOf[Math.trunc(row / stages)] * stages + (row % stages);
    let start = free[rowOf[position]];
    for (let need = dependencies.offsets[result]; need < dependencies.offsets[result + 1]; need += 1) {
      const arrives = end[dependencies.needs[need] * microbatches + (word & mask)] + ticks.transfer[need];
      if (arrives > start) start = arrives;
    }
    starts[position] = start;
    turn[position] = turns;
    turns += 1;
    const over = start + ticks.duration[result];
    end[result * microbatches + (word & mask)] = over;
    free[rowOf[position]] = over;
  });
  const deviceOf = (position: number): number => placement[(program.order[position] >> shift) % stages];
  const sorted = Int32Array.from({ length: total }, (_, position) => position).sort(
    (a, b) => deviceOf(a) - deviceOf(b) || starts[a] - starts[b] || turn[a] - turn[b],
  );
  const offsets = new Int32Array(devices + 1);
  for (let position = 0; position < total; position += 1) offsets[deviceOf(position) + 1] += 1;
  for (let device = 0; device < devices; device += 1) offsets[device + 1] += offsets[device];
  return { ...program, devices, placement, offsets, order: sorted.map((position) => program.order[position]) };
}
