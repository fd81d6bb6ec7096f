/**
 * Memory of a device by the order of its operations alone: what it holds depends on what has run, not on when. What other
 * devices put there (evicted activations) is not part of it.
 */
import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { stagesOn } from '../../basics/stagesOn.ts';
import { keepsNothing } from './keepsNothing.ts';
import { type Held, walkState } from './counts.ts';
import { advanceByLength } from './byLength.ts';
import { advance, advanceExact, advancePlain, isExact, type SlotLevels } from './steps.ts';

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

/** Bytes that are there in addition while weights are updated: copies of gradients. */
export const updateBytes = (plan: PipelinePlan, device: number): number =>
  stagesOn(plan.placement, device).reduce((sum, stage) => sum + (plan.stages[stage].gradientCopies ?? 0), 0);

/** A walk along the slots of a device, stretch by stretch. */
interface MemoryWalk {
  readonly levels: SlotLevels;
  /** Writes the next slots into `levels`; how many there are, 0 at the end. */
  next(): number;
}

/** Slots of a stretch. */
const stretch = 512;

/**
 * F adds the activations of its microbatch when it starts; B frees them when it ends. With a split backward, I frees what only
 * the input gradient needs, and W the rest. What a backward recomputes is there while it runs. If recomputation is a separate
 * operation (`Program.apart`), all of it is there from the start of R to the end of the backward. A microbatch without R then has
 * everything from F on. If a stage runs forwards only, its activations are there only while F runs.
 *
 * This runs for each operation: levels go through arrays, because calls with seven numbers would allocate some of them.
 */
export function memoryWalk(plan: PipelinePlan, program: Program, device: number): MemoryWalk {
  const state = walkState(plan, program, device);
  const { fused, apart, forwardOnly, copies } = program;
  const { sizes } = state;
  const plain =
    sizes === undefined &&
    fused === undefined &&
    apart === undefined &&
    forwardOnly !== true &&
    copies?.forwards === undefined &&
    !stagesOn(plan.placement, device).some((stage) => keepsNothing(plan.stages[stage]));
  const slots = Math.min(stretch, program.offsets[device + 1] - program.offsets[device]);
  const levels: SlotLevels = {
    first: new Int32Array(slots),
    last: new Int32Array(slots),
    activations: new Float64Array(slots),
    workspace: new Float64Array(slots),
    held: new Int32Array(slots),
    after: new Float64Array(slots),
    heldAfter: new Int32Array(slots),
  };
  if (sizes !== undefined) return { levels, next: () => advanceByLength(state, sizes, slots, levels) };
  if (plain && state.stages === 1) return { levels, next: () => advancePlain(state, slots, levels) };
  if (plain && isExact(state, program.microbatches)) return { levels, next: () => advanceExact(state, slots, levels) };
  return { levels, next: () => advance(state, slots, levels) };
}

/** The same with a call for each slot. */
export function walkMemory(plan: PipelinePlan, program: Program, device: number, visit: MemoryVisit): void {
  const { levels, next } = memoryWalk(plan, program, device);
  const { first, last, activations, workspace, held, after, heldAfter } = levels;
  for (let count = next(); count > 0; count = next()) {
    for (let slot = 0; slot < count; slot += 1)
      visit(
        first[slot],
        last[slot] - first[slot] + 1,
        activations[slot],
        workspace[slot],
        held[slot],
        after[slot],
        heldAfter[slot],
      );
  }
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
  if (when === 'before') return nothing;
  const state = walkState(plan, program, device);
  const { sizes } = state;
  if (sizes === undefined) advance(state, program.order.length, undefined, position, when);
  else advanceByLength(state, sizes, program.order.length, undefined, position, when);
  return state;
}

const nothing: Held = { kept: new Int32Array(0), keptForWeight: new Int32Array(0), again: new Int32Array(0) };
