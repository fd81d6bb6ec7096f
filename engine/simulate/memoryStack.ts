/** What the memory of a device is made of over time, piece by piece. */
import { stageFor } from '../basics/lengths.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { B, F, I, kindOf, microbatchOf, R, runsForwardOnly, stageOf, U, W } from '../values/program.ts';
import { slotWidth } from '../order/slot.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { type Timeline, endAt, startAt } from '../values/timeline.ts';
import { updateBytes } from '../order/memory/walk.ts';
import { movesOf } from './guests.ts';
import { heldByOperations } from './heldByOperations.ts';
import { updateStart } from './memory.ts';
import { versionBytes } from './versionBytes.ts';

/** What comes and goes, in the order in which it is stacked. */
export const pieceKinds = [
  'versions',
  'activations',
  'activations_for_weight',
  'recomputed',
  'workspace',
  'operations',
  'gradient_copies',
] as const;
export type PieceKind = (typeof pieceKinds)[number];

/** Bytes that are there from one moment to another; all arrays by piece, in order of `from`. Seconds. */
export interface MemoryStack {
  readonly device: number;
  /** Always there. */
  readonly statics: Readonly<Record<'weights' | 'gradients' | 'optimizer' | 'buffers', number>>;
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly bytes: Float64Array;
  /** Index of `pieceKinds`. */
  readonly kind: Uint8Array;
  /** Stage of the program, and microbatch; −1 for versions and for copies of gradients. */
  readonly stage: Int32Array;
  readonly microbatch: Int32Array;
  /** Number of the declared operation that holds or has sent it; −1 for other pieces. */
  readonly operation: Int8Array;
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly kind: number;
  readonly stage: number;
  readonly microbatch: number;
  readonly operation?: number;
}

/**
 * The pieces of a device. At every moment they and the static bytes add up to `memoryTrack`; `walkMemory` has the rules.
 * O(operations of the device · log).
 */
export function memoryStack(plan: PipelinePlan, timeline: Timeline, device: number): MemoryStack {
  const pieces = [
    ...held(plan, timeline, device),
    ...versionPieces(plan, timeline, device),
    ...heldByOperations(plan, timeline, device).map((piece) => ({ ...piece, kind: kindNumber('operations') })),
    ...updatePieces(plan, timeline, device),
  ];
  pieces.sort((a, b) => a.from - b.from || a.kind - b.kind || a.microbatch - b.microbatch);
  const local = stagesOn(plan.placement, device);
  const sum = (key: 'weights' | 'gradients' | 'optimizer' | 'buffers') =>
    local.reduce((bytes, stage) => bytes + plan.stages[stage][key], 0);
  return {
    device,
    statics: {
      weights: sum('weights'),
      gradients: sum('gradients'),
      optimizer: sum('optimizer'),
      buffers: sum('buffers'),
    },
    from: Float64Array.from(pieces, (piece) => piece.from),
    to: Float64Array.from(pieces, (piece) => piece.to),
    bytes: Float64Array.from(pieces, (piece) => piece.bytes),
    kind: Uint8Array.from(pieces, (piece) => piece.kind),
    stage: Int32Array.from(pieces, (piece) => piece.stage),
    microbatch: Int32Array.from(pieces, (piece) => piece.microbatch),
    operation: Int8Array.from(pieces, (piece) => piece.operation ?? -1),
  };
}

/** Copies of gradients, from the start of the update on. */
function updatePieces(plan: PipelinePlan, timeline: Timeline, device: number): readonly Piece[] {
  const bytes = updateBytes(plan, device);
  const kind = kindNumber('gradient_copies');
  const [from, to] = [updateStart(timeline, device), endOf(timeline, device)];
  return bytes > 0 && to > from ? [{ kind, bytes, stage: -1, microbatch: -1, from, to }] : [];
}

/** End of the iteration, and of the last activations of other devices. */
function endOf(timeline: Timeline, device: number): number {
  const moves = movesOf(timeline, device);
  return Math.max(timeline.makespan, moves?.at.at(-1) ?? 0);
}

const kindNumber = (kind: PieceKind): number => pieceKinds.indexOf(kind);

/** Activations, what is recomputed, and workspace. */
function held(plan: PipelinePlan, timeline: Timeline, device: number): Piece[] {
  const { program, makespan } = timeline;
  const { order, offsets, apart, microbatches } = program;
  const pieces: Piece[] = [];
  const push = (kind: PieceKind, bytes: number, stage: number, microbatch: number, from: number, to: number) => {
    if (bytes > 0) pieces.push({ kind: kindNumber(kind), bytes, stage, microbatch, from, to });
  };
  /** Starts of what is held, by stage and microbatch. */
  const kept = new Map<number, number>();
  const keptForWeight = new Map<number, number>();
  const again = new Map<number, number>();
  const recomputes = recomputedApart(timeline, device);
  const away = awayOf(timeline, device);

  const release = (stage: number, microbatch: number, until: number) => {
    const key = stage * microbatches + microbatch;
    const { activation, recomputed, recomputedWhole } = stageFor(plan, stage, microbatch);
    const from = kept.get(key);
    if (from !== undefined) {
      kept.delete(key);
      const hole = away.gone.get(key);
      push('activations', activation, stage, microbatch, from, hole?.from ?? until);
      if (hole !== undefined) push('activations', activation, stage, microbatch, hole.to, until);
    }
    const made = again.get(key);
    if (made === undefined) return;
    again.delete(key);
    push('recomputed', recomputedWhole ?? recomputed, stage, microbatch, made, until);
  };

  for (let position = offsets[device]; position < offsets[device + 1]; position += slotWidth(program, position)) {
    const last = position + slotWidth(program, position) - 1;
    const [start, end] = [startAt(timeline, position), endAt(timeline, last)];
    for (let at = position; at <= last; at += 1) {
      const [kind, stage, microbatch] = [
        kindOf(program, order[at]),
        stageOf(program, order[at]),
        microbatchOf(program, order[at]),
      ];
      const key = stage * microbatches + microbatch;
      const separate = apart?.[stage] === 1;
      if (kind <= U) push('workspace', stageFor(plan, stage, microbatch).workspace, stage, microbatch, start, end);
      if (kind === F) {
        kept.set(key, start);
        if (separate && !recomputes.has(key)) again.set(key, start);
      } else if (kind === R) again.set(key, start);
      else if ((kind === B || kind === I) && !separate)
        push('recomputed', stageFor(plan, stage, microbatch).recomputed, stage, microbatch, start, end);
      if (kind === I)
        push('activations_for_weight', plan.stages[stage].offloaded?.forWeight ?? 0, stage, microbatch, start, end);
      if (kind === B || kind === I || runsForwardOnly(program, stage)) release(stage, microbatch, end);
      if (kind === I) keptForWeight.set(key, end);
      const forWeight = kind === W ? keptForWeight.get(key) : undefined;
      if (forWeight === undefined) continue;
      keptForWeight.delete(key);
      const { activationForWeight } = stageFor(plan, stage, microbatch);
      push('activations_for_weight', activationForWeight, stage, microbatch, forWeight, end);
    }
  }
  // What no operation frees stays to the end.
  const until = Math.max(makespan, ...away.until);
  for (const key of [...kept.keys(), ...again.keys()])
    release(Math.trunc(key / microbatches), key % microbatches, until);
  for (const [key, from] of keptForWeight) {
    const [stage, microbatch] = [Math.trunc(key / microbatches), key % microbatches];
    push(
      'activations_for_weight',
      stageFor(plan, stage, microbatch).activationForWeight,
      stage,
      microbatch,
      from,
      until,
    );
  }
  for (const [key, { from, to }] of away.guests) {
    const stage = Math.trunc(key / microbatches);
    push('activations', plan.stages[stage].activation, stage, key % microbatches, from, to);
  }
  return pieces;
}

/** Microbatches of a stage (stage × microbatches + microbatch) with a separate R. */
function recomputedApart({ program }: Timeline, device: number): ReadonlySet<number> {
  const found = new Set<number>();
  if (program.apart === undefined) return found;
  for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
    const word = program.order[at];
    if (kindOf(program, word) === R)
      found.add(stageOf(program, word) * program.microbatches + microbatchOf(program, word));
  }
  return found;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** When activations of the device are on another one (`gone`), and when activations of other devices are here (`guests`); by stage and microbatch. */
function awayOf(timeline: Timeline, device: number) {
  const gone = new Map<number, Stretch>();
  const guests = new Map<number, Stretch>();
  const moves = movesOf(timeline, device);
  const { program } = timeline;
  for (const [index, at] of moves?.at.entries() ?? []) {
    const stage = moves?.stage[index] ?? 0;
    const key = stage * program.microbatches + (moves?.microbatch[index] ?? 0);
    const local = program.placement[stage] === device;
    const map = local ? gone : guests;
    const leaves = (moves?.change[index] ?? 0) < 0;
    const known = map.get(key);
    // A guest comes and leaves; what is evicted leaves and comes back.
    if (leaves === local) map.set(key, { from: at, to: known?.to ?? timeline.makespan });
    else map.set(key, { from: known?.from ?? 0, to: at });
  }
  return { gone, guests, until: moves === undefined ? [] : [moves.at[moves.at.length - 1]] };
}

/** Older versions of weights as a step function; empty where all microbatches use the same weights. */
function versionPieces(plan: PipelinePlan, timeline: Timeline, device: number): Piece[] {
  const { program, makespan } = timeline;
  const older = versionBytes(plan, program, device);
  const [first, stop] = [program.offsets[device], program.offsets[device + 1]];
  if (older === undefined || first === stop) return [];
  const pieces: Piece[] = [];
  let from = 0;
  let level = 0;
  const step = (time: number, bytes: number) => {
    if (bytes === level) return;
    if (level > 0 && time > from)
      pieces.push({ kind: kindNumber('versions'), bytes: level, stage: -1, microbatch: -1, from, to: time });
    from = time;
    level = bytes;
  };
  for (let position = first; position < stop; position += slotWidth(program, position)) {
    const last = position + slotWidth(program, position) - 1;
    step(startAt(timeline, position), older.during(position));
    step(endAt(timeline, last), older.after(last));
  }
  step(makespan, NaN);
  return pieces;
}
