/** Tables of two chunks in a V, as the V schedules of the registry fill them. */
import { nothing, unpack } from '../basics/packed.ts';
import { type PipelinePlan, type RowPlan, setsWork } from '../values/plan.ts';
import {
  type Block,
  F0,
  F1,
  fitsPeriod,
  I0,
  I1,
  type Row,
  splitBackward,
  W1,
  wholeBackward,
} from '../policies/orders/vBlocks.ts';
import { best } from '../policies/orders/vSearch.ts';
import { vTimesOf } from '../policies/orders/vTimes.ts';
import { shapeOf } from '../policies/shape.ts';
import { B, F, I, type Program, W, wordOf } from '../values/program.ts';

/** Operations of a chunk in a period of the V schedules. */
const period = 6;

/** The program, filled; `undefined` for a table that is no building block of a V. */
export function fillV(plan: PipelinePlan, program: Program, rows: readonly RowPlan[]): Program | undefined {
  const { devices, stages, split, placement, microbatches, copies } = program;
  // Their passes take all microbatches to be alike, and know letters only.
  if (setsWork(plan.schedule)) return undefined;
  const isV =
    copies === undefined &&
    stages === 2 * devices &&
    placement.every((device, stage) => device === (stage < devices ? stage : stages - 1 - stage)) &&
    plan.edges.length === stages - 1 &&
    plan.edges.every(({ from, to }) => to === from + 1);
  if (!isV) return undefined;
  const blocks = rows.map((row, device) => blockOf(row, [device, stages - 1 - device], split ? I : B, microbatches));
  if (!blocks.every((block) => block !== undefined)) return undefined;
  const taken = split ? splitBackward : wholeBackward;
  const found = best(blocks, microbatches, vTimesOf(shapeOf(plan), taken));
  return { ...program, ...ordered(program, rows, found) };
}

/** Slots of microbatch 0, if the other microbatches follow by the period and each W takes the first free slot. */
function blockOf(
  written: RowPlan,
  [down, up]: readonly [number, number],
  backward: number,
  microbatches: number,
): Block | undefined {
  const kinds = unpack(written.kinds);
  const stages = unpack(written.stages);
  const row = unpack(written.microbatches);
  const slots = unpack(written.slots ?? nothing);
  const block: [number, number, number, number] = [NaN, NaN, NaN, NaN];
  const classOf = (at: number): number =>
    kinds[at] === F ? (stages[at] === down ? F0 : F1) : kinds[at] === backward ? (stages[at] === up ? I1 : I0) : -1;
  for (let at = 0; at < kinds.length; at += 1)
    if (row[at] === 0 && classOf(at) >= 0) block[classOf(at)] = slots[at] ?? NaN;
  // The search repeats the block: two operations in one slot never end.
  if (!fitsPeriod(block)) return undefined;
  let waiting = 0;
  let free = 0;
  for (let at = 0; at < kinds.length; at += 1) {
    const slot = slots[at] ?? NaN;
    const kind = classOf(at);
    if (kind >= 0 && slot !== block[kind] + period * row[at]) return undefined;
    if (kind < 0) {
      // A W that leaves a slot before it empty has a slot of its own.
      if (waiting === 0 || (slot !== free && free >= 0)) return undefined;
      waiting -= 1;
    } else if (kind === I1 || kind === I0) waiting += backward === I ? 1 : 0;
    free = waiting > 0 ? slot + 1 : -1;
  }
  return kinds.length === (backward === I ? 6 : 4) * microbatches ? block : undefined;
}

/** Rows of the V schedules as words, each with the expression that wrote its kind. */
function ordered(
  program: Program,
  rows: readonly RowPlan[],
  found: readonly Row[],
): { readonly order: Int32Array; readonly items: Int32Array } {
  const { microbatches, stages, split, offsets } = program;
  const order = new Int32Array(program.order.length);
  const items = new Int32Array(order.length);
  for (const [device, row] of found.entries()) {
    const written = unpack(rows[device].items);
    const itemOf = new Map(Array.from(unpack(rows[device].kinds), (kind, at) => [kind, written[at]]));
    for (const [at, operation] of row.entries()) {
      const group = Math.trunc(operation / microbatches);
      const stage = group === F0 || group === I0 || group > W1 ? device : stages - 1 - device;
      const kind = group === F0 || group === F1 ? F : !split ? B : group === I1 || group === I0 ? I : W;
      order[offsets[device] + at] = wordOf(program, kind, stage, operation - group * microbatches);
      items[offsets[device] + at] = itemOf.get(kind) ?? 0;
    }
  }
  return { order, items };
}
