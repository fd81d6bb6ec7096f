import { type MemoryStack, pieceKinds } from '../../engine/simulate/memoryStack.ts';

/** Places of pieces of a stack; all arrays by stretch, in order of `from`. A piece that moves has several stretches. */
export interface Places {
  readonly piece: Int32Array;
  /** Seconds. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Lower edge, in bytes above the static ones. */
  readonly offset: Float64Array;
}

/** The place of each piece of a stack. */
export interface PlacedStack {
  readonly stack: MemoryStack;
  /** Bytes that are always there. */
  readonly base: number;
  /** Undefined if there are more stretches than anyone can see. */
  readonly places: Places | undefined;
}

/** Stretches that are placed: more of them are narrower than a pixel. */
const most = 60_000;
const placed = new WeakMap<MemoryStack, PlacedStack>();

/**
 * Stacks the pieces without holes, so that their upper edge is the memory held at every moment. A new piece takes the place of an equal
 * one that ends then; otherwise it goes on top. If a piece leaves a hole, the topmost one drops into it, provided that it fits exactly;
 * otherwise all above it move down. Older versions of weights lie above all that operations hold, and workspace above them.
 */
export function placedStack(stack: MemoryStack): PlacedStack {
  const known = placed.get(stack);
  if (known !== undefined) return known;
  const base = Object.values(stack.statics).reduce((sum, bytes) => sum + bytes, 0);
  const made = { stack, base, places: placesOf(stack) };
  placed.set(stack, made);
  return made;
}

interface Stretch {
  readonly piece: number;
  readonly from: number;
  readonly offset: number;
  to: number;
}

const isOnTop = (kind: number): boolean => pieceKinds[kind] === 'versions' || pieceKinds[kind] === 'workspace';

/** O(pieces · log) where pieces are equal; otherwise O(pieces × pieces at a time). */
function placesOf({ from, to, bytes, kind }: MemoryStack): Places | undefined {
  const slack = to.reduce((last, time) => Math.max(last, time), 0) * 1e-12;
  const ends = Array.from(to.keys()).sort((a, b) => to[a] - to[b]);
  const stretches: Stretch[] = [];
  /** The stretch that a piece is in. */
  const current: Stretch[] = [];
  /** Pieces that are there, lowest first, and the index of each in this list. */
  const pile: number[] = [];
  const indexOf = new Int32Array(from.length);
  let top: readonly number[] = [];
  let now = 0;

  function place(piece: number, offset: number): void {
    const before = current[piece];
    if (before?.offset === offset) return;
    if (before !== undefined) before.to = now;
    current[piece] = { piece, from: now, offset, to: to[piece] };
    stretches.push(current[piece]);
  }
  const upperEdge = (index: number): number => (index < 0 ? 0 : current[pile[index]].offset + bytes[pile[index]]);
  function put(piece: number, index: number): void {
    pile[index] = piece;
    indexOf[piece] = index;
    place(piece, upperEdge(index - 1));
  }
  /** Fills the place of a piece that ends. */
  function leave(piece: number, come: number[]): void {
    const index = indexOf[piece];
    const equal = come.findIndex((other) => bytes[other] === bytes[piece]);
    if (equal >= 0) {
      put(come[equal], index);
      come.splice(equal, 1);
      return;
    }
    const last = pile.pop();
    if (last === undefined || last === piece) return;
    if (bytes[last] === bytes[piece]) {
      put(last, index);
      return;
    }
    pile.push(last);
    pile.splice(index, 1);
    for (let above = index; above < pile.length; above += 1) put(pile[above], above);
  }

  let [start, end] = [0, 0];
  while (start < from.length || end < ends.length) {
    now = Math.min(from[start] ?? Infinity, to[ends[end]] ?? Infinity);
    const come: number[] = [];
    for (; start < from.length && from[start] <= now + slack; start += 1) if (to[start] > now + slack) come.push(start);
    const toPile = come.filter((piece) => !isOnTop(kind[piece]));
    for (; end < ends.length && to[ends[end]] <= now + slack; end += 1) {
      const piece = ends[end];
      if (current[piece] !== undefined && !isOnTop(kind[piece])) leave(piece, toPile);
    }
    for (const piece of toPile) put(piece, pile.length);
    top = [...top.filter((piece) => to[piece] > now + slack), ...come.filter((piece) => isOnTop(kind[piece]))];
    let offset = upperEdge(pile.length - 1);
    for (const piece of top.toSorted((a, b) => kind[a] - kind[b])) {
      place(piece, offset);
      offset += bytes[piece];
    }
    if (stretches.length > most) return undefined;
  }
  const seen = stretches.filter((stretch) => stretch.to - stretch.from > slack);
  return {
    piece: Int32Array.from(seen, ({ piece }) => piece),
    from: Float64Array.from(seen, (stretch) => stretch.from),
    to: Float64Array.from(seen, (stretch) => stretch.to),
    offset: Float64Array.from(seen, ({ offset }) => offset),
  };
}
