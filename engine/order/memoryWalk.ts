/**
 * Memory of a device by the order of its operations alone: what it holds depends on what has run, not on when. What other
 * devices put there (evicted activations) is not part of it.
 */
import type { PipelinePlan } from '../plan.ts';
import { B, F, I, kindOfRow, type Program, R, U, W } from '../program.ts';
import { stagesOn, turnsOf } from '../stagesOn.ts';

/**
 * Called for each slot of a device, in order. `activations` is the bytes while it runs, with what is recomputed. `held` is the
 * number of microbatches of a stage each while it runs. `after` and `heldAfter` are the same once it has ended, with what a
 * separate R recomputed.
 */
export type MemoryVisit = (
  position: number,
  width: number,
  activations: number,
  workspace: number,
  held: number,
  after: number,
  heldAfter: number,
) => void;

/** Bytes that are always there: weights, gradients, optimizer state, buffers. */
export function staticBytes(plan: PipelinePlan, device: number): number {
  return stagesOn(plan.placement, device).reduce((sum, index) => {
    const { weights, gradients, optimizer, buffers } = plan.stages[index];
    return sum + weights + gradients + optimizer + buffers;
  }, 0);
}

/**
 * F adds the activations of its microbatch when it starts; B frees them when it ends. With a split backward, I frees what only
 * the input gradient needs, and W the rest. What a backward recomputes is there while it runs. If recomputation is a separate
 * operation (`Program.apart`), all of it is there from the start of R to the end of the backward. A microbatch without R then has
 * everything from F on. If nothing runs backwards, activations are there only while F runs.
 */
export function walkMemory(plan: PipelinePlan, program: Program, device: number, visit: MemoryVisit): void {
  walk(plan, program, device, visit);
}

/** Microbatches that a device holds something of, by stage of the device (`stagesOn`). */
export interface Held {
  /** All that their forwards left. */
  readonly kept: Int32Array;
  /** What their weight gradients need. */
  readonly keptForWeight: Int32Array;
  /** What a separate R recomputed, or what a microbatch without that R never gave up; empty if none has an R. */
  readonly again: Int32Array;
}

/**
 * What `walkMemory` counts at one slot of a device, whose last operation is at `position`: while the slot runs, or once it has
 * ended. Before it, which is asked only for the first slot, the result is empty. What the slot itself recomputes is not included.
 */
export function heldAt(
  plan: PipelinePlan,
  program: Program,
  device: number,
  position: number,
  when: 'before' | 'during' | 'after',
): Held {
  return when === 'before' ? nothing : walk(plan, program, device, unseen, position, when);
}

const nothing: Held = { kept: new Int32Array(0), keptForWeight: new Int32Array(0), again: new Int32Array(0) };
const unseen: MemoryVisit = () => {};

/** Ends at the slot whose last operation is at `until`, while it runs or once it has ended, with what it counts then. */
function walk(
  plan: PipelinePlan,
  program: Program,
  device: number,
  visit: MemoryVisit,
  until = -1,
  when: 'during' | 'after' = 'after',
): Held {
  const { order, offsets, shift, stages, fused, apart } = program;
  const [from, to] = [offsets[device], offsets[device + 1]];
  const local = stagesOn(plan.placement, device);
  const recomputes =
    apart === undefined ? undefined : recomputedApart(program, apart, local, turnsOf(plan.placement), from, to);
  // Levels are sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
  const kept = new Int32Array(local.length);
  const keptForWeight = new Int32Array(local.length);
  const again = new Int32Array(apart === undefined ? 0 : local.length);
  const turn = turnsOf(plan.placement);
  const level = () => {
    let sum = 0;
    for (let index = 0; index < local.length; index += 1) {
      const { activation, activationForWeight, recomputed, recomputedWhole } = plan.stages[local[index]];
      sum += kept[index] * activation + keptForWeight[index] * activationForWeight;
      if (apart !== undefined) sum += again[index] * (recomputedWhole ?? recomputed);
    }
    return sum;
  };
  let held = 0;
  for (let position = from; position < to;) {
    const width = fused !== undefined && fused[position] === 1 ? 2 : 1;
    let recomputed = 0;
    let workspace = 0;
    for (let at = position; at < position + width; at += 1) {
      const row = order[at] >> shift;
      const kind = kindOfRow(stages, row);
      const stage = row - kind * stages;
      if (kind <= U) workspace += plan.stages[stage].workspace;
      if (kind === F) {
        kept[turn[stage]] += 1;
        held += 1;
        if (recomputes !== undefined && apart?.[stage] === 1 && !recomputes(order[at])) again[turn[stage]] += 1;
      } else if (kind === R) again[turn[stage]] += 1;
      else if ((kind === B || kind === I) && apart?.[stage] !== 1) recomputed += plan.stages[stage].recomputed;
    }
    const last = position + width - 1;
    if (last === until && when === 'during') break;
    const during = level() + recomputed;
    const heldDuring = held;
    for (let at = position; at < position + width; at += 1) {
      const row = order[at] >> shift;
      const kind = kindOfRow(stages, row);
      const stage = row - kind * stages;
      if (kind === B || kind === I) {
        kept[turn[stage]] -= 1;
        if (apart?.[stage] === 1) again[turn[stage]] -= 1;
      }
      if (kind === I) keptForWeight[turn[stage]] += 1;
      if (kind === W) keptForWeight[turn[stage]] -= 1;
      // Without a backward nothing is kept for it.
      if (program.forwardOnly === true) kept[turn[stage]] -= 1;
      if (kind === B || kind === W || program.forwardOnly === true) held -= 1;
    }
    visit(position, width, during, workspace, heldDuring, level(), held);
    if (last === until) break;
    position += width;
  }
  return { kept, keptForWeight, again };
}

/** Whether the microbatch of an operation of this device has a separate R. */
function recomputedApart(
  { order, shift, stages, microbatches }: Program,
  apart: Uint8Array,
  local: readonly number[],
  turn: Int32Array,
  from: number,
  to: number,
): ((word: number) => boolean) | undefined {
  if (!local.some((stage) => apart[stage] === 1)) return undefined;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const found = new Uint8Array(local.length * microbatches);
  for (let at = from; at < to; at += 1) {
    const row = order[at] >> shift;
    if (kindOfRow(stages, row) === R) found[turn[row % stages] * microbatches + (order[at] & mask)] = 1;
  }
  return (word) => found[turn[(word >> shift) % stages] * microbatches + (word & mask)] === 1;
}
