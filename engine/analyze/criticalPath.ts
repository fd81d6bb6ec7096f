import { microbatchOf, resultRowOf, rowOf, stageOf } from '../values/program.ts';
import { type Timeline, endAt, startAt, stepAt, stepEnd } from '../values/timeline.ts';
import { bindingNeed, slotFirst } from './binding.ts';
import { blockingPath } from './blocking.ts';
import { lastOnLanes } from './waits/iterationEnd.ts';
import { piecesOf } from './waits/lanePieces.ts';

/**
 * One chain of operations that decides the makespan: positions in `order`, first operation first. There may be several such
 * chains; this one is canonical. Walking back from the last end, it stays on the device as long as the operation before ended
 * just in time. Otherwise it goes to the (lowest) stage whose result arrived last. O(operations).
 */
export function criticalPath(timeline: Timeline): Int32Array {
  const { program } = timeline;
  const { devices, stages, order, offsets, microbatches } = program;
  if (order.length === 0) return new Int32Array(0);
  if (timeline.blocking !== undefined) {
    return blockingPath(timeline, timeline.blocking, lastDevice(timeline));
  }
  const slack = timeline.makespan * 1e-12;
  // The walk goes back in time, so on each device it finds positions in falling order: one cursor a device, moved only down.
  const cursors = Int32Array.from({ length: devices }, (_, device) => offsets[device + 1] - 1);
  const find = (result: number, microbatch: number): number => {
    const device = program.placement[result % stages];
    let at = cursors[device];
    for (; at >= offsets[device]; at -= 1) {
      const row = rowOf(program, order[at]);
      if (microbatchOf(program, order[at]) === microbatch && resultRowOf(stages, row) === result) break;
    }
    cursors[device] = at;
    return at;
  };

  const path: number[] = [];
  let at = lastPosition(timeline);
  while (at >= 0) {
    path.push(at);
    const start = startAt(timeline, at);
    if (start <= slack) break;
    const device = program.placement[stageOf(program, order[at])];
    const first = slotFirst(timeline, at);
    if (first > offsets[device] && Math.abs(endAt(timeline, first - 1) - start) <= slack) {
      at = first - 1;
      continue;
    }
    const binding = bindingNeed(timeline, at, slack);
    at = binding === undefined ? -1 : find(Math.trunc(binding.slot / microbatches), binding.slot % microbatches);
  }
  return Int32Array.from(path.reverse());
}

/**
 * The last operation of the device that ends last, synchronisation and optimizer step included. If gradients on a lane are later, it is
 * the operation that made the gradients for which the lane and then the device had to wait.
 */
function lastPosition(timeline: Timeline): number {
  const device = lastDevice(timeline);
  if (device < 0) return -1;
  const last = timeline.timing.exchange?.rule.barrier === true ? lastOnLanes(timeline, device) : undefined;
  const walk = { timeline, slack: timeline.makespan * 1e-12, causes: [], later: 0 };
  const made = last === undefined ? -1 : piecesOf(walk, last.lane, last.tensor);
  return made < 0 ? timeline.program.offsets[device + 1] - 1 : made;
}

/** Of devices that exchange gradients with each other, the one whose last operation the others wait for. */
function lastDevice(timeline: Timeline): number {
  const { program, timing, makespan } = timeline;
  const { holders } = timing;
  const runs = (device: number) => program.offsets[device + 1] > program.offsets[device];
  let found = -1;
  for (let device = 0; found < 0 && device < program.devices; device += 1)
    if (runs(device) && stepEnd(timeline, device) >= makespan) found = device;
  for (let device = 0; holders !== undefined && device < program.devices; device += 1)
    if (runs(device) && holders[device] === holders[found] && stepAt(timeline, device) > stepAt(timeline, found))
      found = device;
  return found;
}
