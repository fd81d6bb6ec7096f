/** The state of a contest that runs: which operation of which chain comes next. */
import type { ContestTables } from './contestTables.ts';

export interface ContestMoves {
  /** By chain: operations done, ends of the last ones, earliest starts and ends of the next ones. */
  readonly at: Int32Array;
  readonly last: Float64Array;
  readonly next: Float64Array;
  readonly ends: Float64Array;
  /** 1 for chains whose operation may run next, as of the last `chooseRivals`. */
  readonly isRival: Uint8Array;
  /** Chooses the chains whose operation may run next: the one that can end first, and those that can start on its device before. */
  chooseRivals(): number;
  /** Runs the next operation of a chain. 0: an operation ends too late then. 1: no other one waits for it. 2: another one does. */
  step(chain: number): 0 | 1 | 2;
  /** Copies the state, and goes back to the copy. */
  save(): void;
  restore(): void;
}

/** Instead of a number of rivals: all chains have ended, or each one waits for another. */
export const none = 0;
export const stuck = -1;

export function contestMoves(tables: ContestTables): ContestMoves {
  const { mostChains, longest, length, device, ticks, gap, start, until, needs } = tables;
  const at = new Int32Array(mostChains);
  const last = new Float64Array(mostChains);
  const next = new Float64Array(mostChains);
  const ends = new Float64Array(mostChains);
  const isRival = new Uint8Array(mostChains);
  const [keptAt, keptLast, keptNext, keptEnds] = [at.slice(), last.slice(), next.slice(), ends.slice()];

  const isBlocked = (chain: number): boolean => {
    for (let other = 0; other < tables.chains; other += 1)
      if (needs[(chain * mostChains + other) * longest + at[chain]] > at[other]) return true;
    return false;
  };

  const step = (chain: number): 0 | 1 | 2 => {
    const { chains } = tables;
    const now = ends[chain];
    const ran = chain * longest + at[chain];
    if (now > until[ran]) return 0;
    at[chain] += 1;
    last[chain] = now;
    let waits: 1 | 2 = 1;
    for (let other = 0; other < chains; other += 1) {
      if (at[other] === length[other]) {
        next[other] = Infinity;
        ends[other] = Infinity;
        continue;
      }
      const place = other * longest + at[other];
      if (other === chain) {
        let begin = now + gap[place];
        if (start[place] > begin) begin = start[place];
        for (let third = 0; third < chains; third += 1)
          if (third !== chain && last[third] > begin && at[third] > 0)
            if (device[third * longest + at[third] - 1] === device[place]) begin = last[third];
        next[other] = begin;
      } else if (now > next[other] && device[place] === device[ran]) {
        next[other] = now;
        waits = 2;
      }
      ends[other] = next[other] + ticks[place];
      if (ends[other] > until[place]) return 0;
    }
    return waits;
  };

  const chooseRivals = (): number => {
    const { chains } = tables;
    let chosen = -1;
    let least = Infinity;
    let left = 0;
    for (let chain = 0; chain < chains; chain += 1) {
      isRival[chain] = 0;
      if (at[chain] === length[chain]) continue;
      left += 1;
      if (isBlocked(chain)) continue;
      isRival[chain] = 1;
      if (ends[chain] < least) {
        chosen = chain;
        least = ends[chain];
      }
    }
    if (left === 0) return none;
    if (chosen < 0) return stuck;
    const on = device[chosen * longest + at[chosen]];
    let rivals = 0;
    for (let chain = 0; chain < chains; chain += 1) {
      if (isRival[chain] === 0) continue;
      if (chain !== chosen && (next[chain] >= least || device[chain * longest + at[chain]] !== on)) isRival[chain] = 0;
      rivals += isRival[chain];
    }
    return rivals;
  };

  // Of a few chains: loops are faster than calls that copy arrays.
  const save = (): void => {
    for (let chain = 0; chain < tables.chains; chain += 1) {
      keptAt[chain] = at[chain];
      keptLast[chain] = last[chain];
      keptNext[chain] = next[chain];
      keptEnds[chain] = ends[chain];
    }
  };
  const restore = (): void => {
    for (let chain = 0; chain < tables.chains; chain += 1) {
      at[chain] = keptAt[chain];
      last[chain] = keptLast[chain];
      next[chain] = keptNext[chain];
      ends[chain] = keptEnds[chain];
    }
  };
  return { at, last, next, ends, isRival, chooseRivals, step, save, restore };
}
