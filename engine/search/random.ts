/** Numbers that look random and are the same on every machine: xorshift with 32 bits (Marsaglia 2003). */
export interface Random {
  /** A whole number from 0 to `below` − 1. */
  whole(below: number): number;
  /** From 0 to 1, without 1. */
  share(): number;
}

export function randomOf(seed: number): Random {
  let state = seed | 0 || 0x9e3779b9;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let skipped = 0; skipped < 8; skipped += 1) next();
  return { whole: (below) => Math.floor((next() / 2 ** 32) * below), share: () => next() / 2 ** 32 };
}

/** A seed from numbers: equal numbers give equal seeds. */
export function seedOf(lists: readonly ArrayLike<number>[]): number {
  const bits = new Float64Array(1);
  const halves = new Int32Array(bits.buffer);
  let hash = 0x811c9dc5;
  for (const list of lists) {
    for (let at = 0; at <= list.length; at += 1) {
      bits[0] = at < list.length ? list[at] : Number.MAX_VALUE;
      hash = Math.imul(hash ^ halves[0], 0x01000193);
      hash = Math.imul(hash ^ halves[1], 0x01000193);
      hash ^= hash >>> 15;
    }
  }
  return hash;
}
