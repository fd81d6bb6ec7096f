/** `fill = true` of a clock table: operations move to where a device would idle, and no device holds more than under the table. */
import type { PipelinePlan, RowPlan } from '../values/plan.ts';
import { declaredOperations } from './declaredOperations.ts';
import { fillV } from './fillV.ts';
import { type Heap, heapOf, pop, push } from '../order/heap.ts';
import { type Dependencies, programDependencies } from '../order/dependencies.ts';
import { type Ticks, ticksAt } from '../order/wholeTicks.ts';
import {
  B,
  F,
  kindOf,
  microbatchOf,
  needSlot,
  type Program,
  resultRowOf,
  rowOf,
  runsForwardOnly,
  stageOf,
  W,
} from '../values/program.ts';
import { emptyEnds } from '../values/timeline.ts';
import { ticksOf } from './ticks.ts';

/**
 * The program of a table, filled for the times of the plan. Tables of two chunks in a V go through the passes of the built-in V
 * schedules. For others, a free device runs the ready operation that comes first in the table; or W only if nothing else is ready.
 * Of these orders and the table the one that ends first is taken.
 */
export function fillTable(plan: PipelinePlan, program: Program, rows: readonly RowPlan[]): Program {
  const v = fillV(plan, program, rows);
  if (v !== undefined) return v;
  // Operations of the schedule wait for all that they name: which of it matters depends on the order.
  const operations = plan.schedule.kind === 'rows' ? plan.schedule.operations : undefined;
  const declaredFor = (of: Program, which: 'needed' | 'all'): Program =>
    operations === undefined ? of : { ...of, declared: declaredOperations(plan, operations, of, which) };
  const work = workOf(plan, declaredFor(program, 'all'));
  const table = run(work, 'table');
  // What waits for itself is reported by the validator.
  if (table === undefined) return program;
  const filled = (['table order', 'weights last'] as const).flatMap((how) => run(work, how) ?? []);
  const best = filled.reduce((first, other) => (other.end < first.end ? other : first), table);
  if (best === table) return program;
  const items = program.items === undefined ? {} : { items: best.positions.map((at) => program.items?.[at] ?? 0) };
  const order = best.positions.map((at) => program.order[at]);
  return declaredFor({ ...program, order, ...items }, 'needed');
}

interface Work {
  readonly program: Program;
  readonly dependencies: Dependencies;
  readonly ticks: Ticks;
  /** By position: its result row, its microbatch, its class on its device (kind and stage), and what it adds to what the device holds. */
  readonly result: Int32Array;
  readonly microbatch: Int32Array;
  readonly taken: Int8Array;
  /** Positions of each class of a device, in order. */
  readonly classes: readonly (readonly Int32Array[])[];
  /** Most that each device holds under the table. */
  readonly limits: Int32Array;
  /** By result row: devices that wait for it, and the ticks until it is there. */
  readonly receivers: readonly (readonly { readonly device: number; readonly after: number }[])[];
}

function workOf(plan: PipelinePlan, program: Program): Work {
  const { devices, stages, order, offsets, placement } = program;
  const dependencies = programDependencies(program, plan.edges);
  const ticks = ticksOf(plan, dependencies, program.split, undefined, program.declared);
  const result = order.map((word) => resultRowOf(stages, rowOf(program, word)));
  const microbatch = order.map((word) => microbatchOf(program, word));
  const taken = new Int8Array(order.length);
  const limits = new Int32Array(devices);
  const classes = Array.from({ length: devices }, (_, device) => {
    const lists = new Map<number, number[]>();
    let held = 0;
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      const kind = kindOf(program, order[at]);
      const alone = runsForwardOnly(program, stageOf(program, order[at]));
      taken[at] = alone ? 0 : kind === F ? 1 : kind === B || kind === W ? -1 : 0;
      held += taken[at];
      limits[device] = Math.max(limits[device], held);
      const list = lists.get(rowOf(program, order[at]));
      if (list === undefined) lists.set(rowOf(program, order[at]), [at]);
      else list.push(at);
    }
    return [...lists.values()].map((list) => Int32Array.from(list));
  });
  const receivers: { readonly device: number; readonly after: number }[][] = Array.from(
    { length: dependencies.offsets.length - 1 },
    () => [],
  );
  for (let row = 0; row < dependencies.offsets.length - 1; row += 1) {
    for (let need = dependencies.offsets[row]; need < dependencies.offsets[row + 1]; need += 1)
      receivers[dependencies.needs[need]].push({ device: placement[row % stages], after: ticks.transfer[need] });
  }
  return { program, dependencies, ticks, result, microbatch, taken, classes, limits, receivers };
}

/** Positions in the order in which devices run them, and the tick at which the last ends; `undefined` if some never start. */
function run(
  work: Work,
  how: 'table' | 'table order' | 'weights last',
): { readonly positions: Int32Array; readonly end: number } | undefined {
  const { program, dependencies, ticks, result, microbatch, taken, classes, limits, receivers } = work;
  const { devices, microbatches, order, offsets } = program;
  const ends = emptyEnds(program).map((end) => (end < 0 ? Infinity : end));
  const positions = new Int32Array(order.length);
  const written = Int32Array.from(offsets.subarray(0, devices));
  // What remains of each device as a list.
  const next = Int32Array.from({ length: order.length }, (_, at) => at + 1);
  const before = Int32Array.from({ length: order.length + 1 }, (_, at) => at - 1);
  const first = Int32Array.from(offsets.subarray(0, devices));
  const done = classes.map((lists) => new Int32Array(lists.length));
  const held = new Int32Array(devices);
  const free = new Float64Array(devices);
  const readyAt = (at: number): number => {
    let ready = 0;
    for (let need = dependencies.offsets[result[at]]; need < dependencies.offsets[result[at] + 1]; need += 1) {
      const slot = needSlot(dependencies, microbatches, need, microbatch[at]);
      // What the program leaves out is NaN, and nothing waits for it.
      if (slot >= 0 && ends[slot] + ticks.transfer[need] > ready) ready = ends[slot] + ticks.transfer[need];
    }
    return ready;
  };
  const within = (device: number, until: number): boolean => {
    let most = held[device] + 1;
    for (let at = first[device]; at < until && most <= limits[device]; at = next[at]) most += taken[at];
    return most <= limits[device];
  };
  const choose = (device: number, now: number): { readonly at: number; readonly list: number } | undefined => {
    let least = Infinity;
    let found: { readonly at: number; readonly list: number } | undefined;
    for (let list = 0; list < classes[device].length; list += 1) {
      if (done[device][list] >= classes[device][list].length) continue;
      const at = classes[device][list][done[device][list]];
      if (how === 'table' && at !== first[device]) continue;
      const rank = how === 'weights last' && kindOf(program, order[at]) === W ? order.length + at : at;
      if (rank >= least || readyAt(at) > now) continue;
      if (taken[at] <= 0 || at === first[device] || within(device, at)) {
        least = rank;
        found = { at, list };
      }
    }
    return found;
  };
  const fanOut = result.reduce((sum, row) => sum + receivers[row].length + 1, devices);
  const events: Heap = heapOf(fanOut);
  for (let device = 0; device < devices; device += 1) push(events, 0, device);
  let last = 0;
  let count = 0;
  while (events.size > 0) {
    const now = events.keys[0];
    const device = pop(events);
    const chosen = free[device] > now ? undefined : choose(device, now);
    if (chosen === undefined) continue;
    const { at, list } = chosen;
    if (at === first[device]) first[device] = next[at];
    else next[before[at]] = next[at];
    before[next[at]] = before[at];
    positions[written[device]++] = at;
    done[device][list] += 1;
    held[device] += taken[at];
    count += 1;
    const end = now + ticksAt(ticks, microbatches, result[at], microbatch[at]);
    ends[result[at] * microbatches + microbatch[at]] = end;
    free[device] = end;
    last = Math.max(last, end);
    push(events, end, device);
    for (const { device: to, after } of receivers[result[at]]) if (to !== device) push(events, end + after, to);
  }
  return count === order.length ? { positions, end: last } : undefined;
}
