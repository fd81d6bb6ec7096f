/** States that a contest has come to, and which of them another one makes superfluous. */
import type { ContestMoves } from './contestMoves.ts';
import type { ContestTables } from './contestTables.ts';

export interface ContestStates {
  /** How many there are. */
  used(): number;
  /** The state that is nowhere later than this one; −1 for none. */
  readonly better: Int32Array;
  /** The newest state with as many operations, and the one before each state. */
  readonly newest: Int32Array;
  readonly older: Int32Array;
  /** Forgets all of them, and keeps the state in which nothing has run. */
  begin(operations: number): void;
  /** Keeps the state that runs; false if there is no room. */
  keep(): boolean;
  /** Makes a state the one that runs. */
  resume(state: number): void;
  /** That state, or the one that is nowhere later and that no other one makes superfluous. */
  earliest(state: number): number;
}

/** `most`: states. */
export function contestStates(
  tables: ContestTables,
  { at, last, next, ends }: ContestMoves,
  most: number,
): ContestStates {
  const { mostChains, longest, length, ticks, start } = tables;
  // By state and chain: operations done, ends of the last ones, and earliest starts of the next ones.
  const places = new Int32Array(most * mostChains);
  const ended = new Float64Array(most * mostChains);
  const ready = new Float64Array(most * mostChains);
  /** The state that is nowhere later than this one; −1 for none. */
  const better = new Int32Array(most);
  /** Lists of states: those with equal numbers of operations, and those whose operations have equal hashes. */
  const newest = new Int32Array(mostChains * longest + 1);
  const older = new Int32Array(most);
  const table = new Int32Array(hashed);
  const alike = new Int32Array(most);
  let used = 0;

  const keep = (): boolean => {
    if (used === most) return false;
    const { chains } = tables;
    const base = used * mostChains;
    let least = Infinity;
    let second = Infinity;
    let done = 0;
    let hash = 0;
    for (let chain = 0; chain < chains; chain += 1) {
      done += at[chain];
      hash = Math.imul(hash ^ at[chain], 0x9e3779b1);
      if (ends[chain] < least) {
        second = least;
        least = ends[chain];
      } else if (ends[chain] < second) second = ends[chain];
    }
    for (let chain = 0; chain < chains; chain += 1) {
      places[base + chain] = at[chain];
      ready[base + chain] = next[chain];
      // The end of a last operation matters only to a chain that may come to the same device before it.
      ended[base + chain] = last[chain] <= (ends[chain] === least ? second : least) ? 0 : last[chain];
    }
    better[used] = -1;
    const slot = (hash >>> 16) & (hashed - 1);
    for (let other = table[slot]; other >= 0 && better[used] < 0; other = alike[other])
      if (better[other] < 0) compare(used, other);
    alike[used] = table[slot];
    table[slot] = used;
    older[used] = newest[done];
    newest[done] = used;
    used += 1;
    return true;
  };

  /** Notes if one of two states has the same operations and is nowhere later. */
  const compare = (one: number, other: number): void => {
    let isEarlier = false;
    let isLater = false;
    for (let chain = 0; chain < tables.chains; chain += 1) {
      const here = one * mostChains + chain;
      const there = other * mostChains + chain;
      if (places[here] !== places[there]) return;
      if (ready[here] < ready[there] || ended[here] < ended[there]) isEarlier = true;
      if (ready[here] > ready[there] || ended[here] > ended[there]) isLater = true;
    }
    if (!isEarlier) better[one] = other;
    else if (!isLater) better[other] = one;
  };

  const resume = (state: number): void => {
    for (let chain = 0; chain < tables.chains; chain += 1) {
      const from = state * mostChains + chain;
      at[chain] = places[from];
      last[chain] = ended[from];
      next[chain] = ready[from];
      ends[chain] = at[chain] < length[chain] ? next[chain] + ticks[chain * longest + at[chain]] : Infinity;
    }
  };

  const begin = (operations: number): void => {
    for (let chain = 0; chain < tables.chains; chain += 1) {
      const place = chain * longest;
      at[chain] = 0;
      last[chain] = 0;
      next[chain] = start[place];
      ends[chain] = next[chain] + ticks[place];
    }
    newest.fill(-1, 0, operations + 1);
    table.fill(-1);
    used = 0;
    keep();
  };

  const earliest = (state: number): number => {
    let earlier = state;
    while (better[earlier] >= 0) earlier = better[earlier];
    return earlier;
  };
  return { used: () => used, better, newest, older, begin, keep, resume, earliest };
}

const hashed = 1 << 12;
