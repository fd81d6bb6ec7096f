import { type MemoryStack, pieceKinds } from '../../engine/simulate/memoryStack.ts';

/** The place of each piece of a stack, in bytes above the static ones. */
export interface PlacedStack {
  readonly stack: MemoryStack;
  /** Bytes that are always there. */
  readonly base: number;
  /**
   * Lower edge of each piece for as long as it is there. Undefined if pieces of unequal sizes would leave holes and reach higher than
   * the peak: then pieces are stacked anew at every change.
   */
  readonly offset: Float64Array | undefined;
}

/** Pieces that are placed one by one: more of them are narrower than a pixel. */
const most = 20_000;
const placed = new WeakMap<MemoryStack, PlacedStack>();

/**
 * Each piece takes the lowest free place, as an allocator would give it, so that it stays where it is. What lasts for one operation
 * lies on top. No two pieces overlap. O(pieces × pieces at a time).
 */
export function placedStack(stack: MemoryStack, peak: number): PlacedStack {
  const known = placed.get(stack);
  if (known !== undefined) return known;
  const base = Object.values(stack.statics).reduce((sum, bytes) => sum + bytes, 0);
  const made = { stack, base, offset: stack.from.length > most ? undefined : lowest(stack, peak - base) };
  placed.set(stack, made);
  return made;
}

function lowest({ from, to, bytes, kind }: MemoryStack, room: number): Float64Array | undefined {
  const offset = new Float64Array(from.length);
  const slack = to.reduce((last, time) => Math.max(last, time), 0) * 1e-12;
  /** Pieces that are there, lowest first. */
  let there: number[] = [];
  for (let piece = 0; piece < from.length; piece += 1) {
    there = there.filter((other) => to[other] > from[piece] + slack);
    const top = there.reduce((height, other) => Math.max(height, offset[other] + bytes[other]), 0);
    let at = 0;
    if (isBrief(kind[piece])) at = top;
    else
      for (const other of there) if (offset[other] < at + bytes[piece]) at = Math.max(at, offset[other] + bytes[other]);
    // Half a byte: sizes may be fractions.
    if (at + bytes[piece] > room + 0.5) return undefined;
    offset[piece] = at;
    const before = there.findIndex((other) => offset[other] > at);
    there.splice(before < 0 ? there.length : before, 0, piece);
  }
  return offset;
}

const isBrief = (kind: number): boolean => pieceKinds[kind] === 'recomputed' || pieceKinds[kind] === 'workspace';
