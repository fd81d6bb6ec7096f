/** What a device holds while it works through its order, slot by slot. */
import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { firstOfSlot } from '../slot.ts';
import type { Change } from './effects.ts';
import { exactUpTo } from './exact.ts';
import { memoryOperations, type MemoryOperations } from './operations.ts';
import type { Sizes } from './sizes.ts';

/** Slots of a device in order, as a struct of arrays, one element for each slot of a stretch. */
export interface SlotLevels {
  /** Position of its last operation. */
  readonly last: Int32Array;
  /** While the slot runs: bytes of activations, of what is recomputed and of workspace; and microbatches of a stage each. */
  readonly bytes: Float64Array;
  readonly held: Int32Array;
  /** Once it has ended. */
  readonly after: Float64Array;
  readonly heldAfter: Int32Array;
}

/** A walk along the slots of a device, stretch by stretch. */
export interface HeldBytes {
  readonly levels: SlotLevels;
  /** Writes the next slots into `levels`; how many there are, 0 at the end. */
  next(): number;
  /** Of `bytes`, the workspace of the slot whose last operation is at a position. */
  workspaceAt(last: number): number;
}

/** Slots of a stretch. */
const stretch = 512;

/**
 * The bytes of a device by the order of its operations, as `effectOf` says. This runs for each operation: levels go through
 * arrays, because calls with five numbers would allocate some of them.
 */
export function heldBytes(plan: PipelinePlan, program: Program, device: number): HeldBytes {
  const operations = memoryOperations(plan, program, device);
  const tables = tablesOf(plan, program, operations);
  const slots = Math.min(stretch, operations.to - operations.from);
  const levels: SlotLevels = {
    last: new Int32Array(slots),
    bytes: new Float64Array(slots),
    held: new Int32Array(slots),
    after: new Float64Array(slots),
    heldAfter: new Int32Array(slots),
  };
  const place: Place = { position: operations.from, bytes: 0, held: 0 };
  const workspaceOf = (position: number): number => tables.workspace[tableIndex(program, operations, position)];
  return {
    levels,
    next: () => step(program, operations, tables, place, levels),
    workspaceAt(last) {
      const first = firstOfSlot(program, device, last);
      return workspaceOf(last) + (first < last ? workspaceOf(first) : 0);
    },
  };
}

interface Place {
  position: number;
  bytes: number;
  held: number;
}

/** Goes on by as many slots as `levels` has room for, up to the end of the device; how many there were. */
function step(
  program: Program,
  operations: MemoryOperations,
  { atStart, atEnd, heldAtStart, heldAtEnd, passing }: EffectTables,
  place: Place,
  { last, bytes, held, after, heldAfter }: SlotLevels,
): number {
  const { order, shift, fused } = program;
  const { to, effectOfRow, keepsAll, kindOf } = operations;
  const plain = keepsAll === undefined && kindOf === undefined;
  const most = last.length;
  let { position, bytes: level, held: count } = place;
  let slot = 0;
  /** Of the first of two operations in a slot: what it holds only while they run, and what happens at their end. */
  let [passes, later, countLater] = [0, 0, 0];
  for (; slot < most && position < to; position += 1) {
    const effect = plain ? effectOfRow[order[position] >> shift] : tableIndex(program, operations, position);
    level += atStart[effect];
    count += heldAtStart[effect];
    if (fused !== undefined && fused[position] === 1) {
      passes = passing[effect];
      later = atEnd[effect];
      countLater = heldAtEnd[effect];
      continue;
    }
    last[slot] = position;
    bytes[slot] = level + passes + passing[effect];
    held[slot] = count;
    level += later + atEnd[effect];
    count += countLater + heldAtEnd[effect];
    after[slot] = level;
    heldAfter[slot] = count;
    slot += 1;
    passes = later = countLater = 0;
  }
  place.position = position;
  place.bytes = level;
  place.held = count;
  return slot;
}

/** Where the tables have an operation. */
function tableIndex(
  { order, shift }: Program,
  { effectOfRow, keepsAll, keepingAll, kindOf, sizes }: MemoryOperations,
  position: number,
): number {
  const word = order[position];
  const effect = effectOfRow[word >> shift] + (keepsAll?.(word) === true ? keepingAll : 0);
  return kindOf === undefined ? effect : effect * sizes[0].length + kindOf[word & ((1 << shift) - 1)];
}

/** By effect × kinds of microbatches + kind: tables, since these are read for each operation. */
interface EffectTables {
  /** Bytes and microbatches that come or go. */
  readonly atStart: Float64Array;
  readonly atEnd: Float64Array;
  readonly heldAtStart: Int8Array;
  readonly heldAtEnd: Int8Array;
  /** Bytes that are there only while it runs, and of these its workspace. */
  readonly passing: Float64Array;
  readonly workspace: Float64Array;
}

function tablesOf(
  plan: PipelinePlan,
  { microbatches }: Program,
  { local, effects, width, sizes }: MemoryOperations,
): EffectTables {
  const kinds = sizes[0]?.length ?? 1;
  const count = effects.length * kinds;
  const tables: EffectTables = {
    atStart: new Float64Array(count),
    atEnd: new Float64Array(count),
    heldAtStart: new Int8Array(count),
    heldAtEnd: new Int8Array(count),
    passing: new Float64Array(count),
    workspace: new Float64Array(count),
  };
  const exact = exactUpTo(microbatches * sizes.reduce((sum, ofStage) => sum + Math.max(...ofStage.map(whole)), 0));
  for (const [number, { starts, ends, works, recomputes, loads }] of effects.entries()) {
    const index = Math.trunc(number / width);
    const loaded = loads ? (plan.stages[local[index]].offloaded?.forWeight ?? 0) : 0;
    for (const [kind, size] of sizes[index].entries()) {
      const at = number * kinds + kind;
      const bytes = ({ kept, keptForWeight, again }: Change): number =>
        kept * exact(size.activation) +
        keptForWeight * exact(size.activationForWeight) +
        again * exact(size.recomputedWhole);
      tables.atStart[at] = bytes(starts);
      tables.atEnd[at] = bytes(ends);
      tables.heldAtStart[at] = starts.held;
      tables.heldAtEnd[at] = ends.held;
      tables.workspace[at] = works ? size.workspace : 0;
      tables.passing[at] = (recomputes ? size.recomputed : 0) + loaded + tables.workspace[at];
    }
  }
  return tables;
}

const whole = ({ activation, activationForWeight, recomputedWhole }: Sizes): number =>
  activation + activationForWeight + recomputedWhole;
