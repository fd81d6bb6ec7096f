/**
 * Orders of a few chains that share devices, within the windows of their operations. A device runs one operation at a time.
 *
 * States are prefixes of the chains with the ends of their last operations. From a state, the operation that can end first runs next,
 * or another one of the same device that can start before that end. Whatever can be done with an order can be done with one of
 * these (Giffler and Thompson 1960). Of two states with equal prefixes, one that is nowhere later than the other can do whatever the
 * other can. So the other is left. For two chains that share machines, this is the method of Akers (1956).
 */
export interface Strand {
  readonly length: number;
  readonly device: Int32Array;
  readonly ticks: Float64Array;
  /** Ticks from the end of the operation before to the start, at least. */
  readonly gap: Float64Array;
  /** Earliest start and latest end. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Operations of each other chain that end before each operation, on its device. Ascending. */
  readonly needs: readonly Int32Array[];
  /** Result: when each operation starts at the earliest in an order of all chains that keeps the windows. */
  readonly earliest: Float64Array;
}

export interface Contest {
  /** False if no order keeps the windows. Undefined if there are too many states: then `earliest` says nothing. */
  run(strands: readonly Strand[]): boolean | undefined;
  /** Operations looked at so far. */
  visited(): number;
}

/** `most`: states. `longest`: operations of a chain. */
export function contestFor(mostChains: number, longest: number, most: number): Contest {
  // The chains of a run: place p of chain c is at c · longest + p. Needs: (c · mostChains + other) · longest + p.
  const length = new Int32Array(mostChains);
  const device = new Int32Array(mostChains * longest);
  const ticks = new Float64Array(mostChains * longest);
  const gap = new Float64Array(mostChains * longest);
  const start = new Float64Array(mostChains * longest);
  const until = new Float64Array(mostChains * longest);
  const earliest = new Float64Array(mostChains * longest);
  const needs = new Int32Array(mostChains * mostChains * longest);
  // By state and chain: operations done, ends of the last ones, and earliest starts of the next ones.
  const places = new Int32Array(most * mostChains);
  const ended = new Float64Array(most * mostChains);
  const ready = new Float64Array(most * mostChains);
  /** The state that is nowhere later than this one; −1 for none. */
  const better = new Int32Array(most);
  /** Its children are the states from `first` to `end`. */
  const first = new Int32Array(most);
  const end = new Int32Array(most);
  const alive = new Uint8Array(most);
  /** Lists of states: those with equal numbers of operations, and those whose operations have equal hashes. */
  const newest = new Int32Array(mostChains * longest + 1);
  const older = new Int32Array(most);
  const table = new Int32Array(hashed);
  const alike = new Int32Array(most);
  // The state that runs, and its copy.
  const at = new Int32Array(mostChains);
  const last = new Float64Array(mostChains);
  const next = new Float64Array(mostChains);
  const ends = new Float64Array(mostChains);
  const isRival = new Uint8Array(mostChains);
  const [keptAt, keptLast, keptNext, keptEnds] = [at.slice(), last.slice(), next.slice(), ends.slice()];
  let chains = 0;
  let used = 0;
  let visited = 0;

  const isBlocked = (chain: number): boolean => {
    for (let other = 0; other < chains; other += 1)
      if (needs[(chain * mostChains + other) * longest + at[chain]] > at[other]) return true;
    return false;
  };

  /** Runs the next operation of a chain. 0: an operation ends too late then. 1: no other one waits for it. 2: another one does. */
  const step = (chain: number): 0 | 1 | 2 => {
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

  /** Keeps the state that runs; false if there is no room. */
  const keep = (): boolean => {
    if (used === most) return false;
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
    for (let chain = 0; chain < chains; chain += 1) {
      const here = one * mostChains + chain;
      const there = other * mostChains + chain;
      if (places[here] !== places[there]) return;
      if (ready[here] < ready[there] || ended[here] < ended[there]) isEarlier = true;
      if (ready[here] > ready[there] || ended[here] > ended[there]) isLater = true;
    }
    if (!isEarlier) better[one] = other;
    else if (!isLater) better[other] = one;
  };

  /** Whether all chains can end from a state, or from one that is nowhere later. */
  const livesOn = (state: number): boolean => {
    let earlier = state;
    while (better[earlier] >= 0) earlier = better[earlier];
    return alive[earlier] === 1;
  };

  /** Chains whose operation may run next: the one that can end first, and those that can start on its device before. */
  const chooseRivals = (): number => {
    let chosen = -1;
    let least = Infinity;
    let left = 0;
    isRival.fill(0);
    for (let chain = 0; chain < chains; chain += 1) {
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

  /**
   * Goes on from a state until a chain waits for another one or has a choice. Keeps the states then; false if there is no room.
   * With `notes`, it notes when operations start.
   */
  const go = (state: number, notes: boolean): boolean => {
    for (let chain = 0; chain < chains; chain += 1) {
      const from = state * mostChains + chain;
      at[chain] = places[from];
      last[chain] = ended[from];
      next[chain] = ready[from];
      ends[chain] = at[chain] < length[chain] ? next[chain] + ticks[chain * longest + at[chain]] : Infinity;
    }
    let child = first[state];
    for (let goesOn = true; goesOn;) {
      visited += chains;
      const rivals = chooseRivals();
      if (rivals === none) alive[state] = 1;
      if (rivals === none || rivals === stuck) return true;
      if (rivals > 1) {
        keptAt.set(at);
        keptLast.set(last);
        keptNext.set(next);
        keptEnds.set(ends);
      }
      goesOn = false;
      let isFirst = true;
      for (let chain = 0; chain < chains; chain += 1) {
        if (isRival[chain] === 0) continue;
        if (!isFirst) {
          at.set(keptAt);
          last.set(keptLast);
          next.set(keptNext);
          ends.set(keptEnds);
        }
        isFirst = false;
        const place = chain * longest + at[chain];
        const begin = next[chain];
        const waits = step(chain);
        if (waits === 0) continue;
        goesOn = waits === 1 && rivals === 1;
        if (!notes) {
          if (!goesOn && !keep()) return false;
          continue;
        }
        if (begin < earliest[place] && (goesOn || livesOn(child))) earliest[place] = begin;
        if (!goesOn) child += 1;
      }
    }
    return true;
  };

  const load = (strands: readonly Strand[]): number => {
    chains = strands.length;
    let total = 0;
    for (let chain = 0; chain < chains; chain += 1) {
      const strand = strands[chain];
      length[chain] = strand.length;
      total += strand.length;
      device.set(strand.device, chain * longest);
      ticks.set(strand.ticks, chain * longest);
      gap.set(strand.gap, chain * longest);
      start.set(strand.start, chain * longest);
      until.set(strand.end, chain * longest);
      for (let other = 0; other < chains; other += 1) {
        const to = (chain * mostChains + other) * longest;
        if (other === chain) needs.fill(0, to, to + strand.length);
        else needs.set(strand.needs[other], to);
      }
      at[chain] = 0;
      last[chain] = 0;
      next[chain] = strand.start[0];
      ends[chain] = next[chain] + strand.ticks[0];
    }
    return total;
  };

  const run = (strands: readonly Strand[]): boolean | undefined => {
    const total = load(strands);
    newest.fill(-1, 0, total + 1);
    table.fill(-1);
    used = 0;
    keep();
    // A state goes on to states of more operations: all of a list are in it before any of them goes on.
    for (let done = 0; done <= total; done += 1)
      for (let state = newest[done]; state >= 0; state = older[state]) {
        alive[state] = 0;
        first[state] = used;
        if (better[state] < 0 && !go(state, false)) return undefined;
        end[state] = used;
      }
    for (let done = total; done >= 0; done -= 1)
      for (let state = newest[done]; state >= 0; state = older[state])
        for (let child = first[state]; child < end[state] && alive[state] === 0; child += 1)
          if (livesOn(child)) alive[state] = 1;
    if (alive[0] === 0) return false;
    earliest.fill(Infinity);
    for (let state = 0; state < used; state += 1) if (better[state] < 0 && alive[state] === 1) go(state, true);
    strands.forEach((strand, chain) => {
      strand.earliest.set(earliest.subarray(chain * longest, chain * longest + strand.length));
    });
    return true;
  };
  return { run, visited: () => visited };
}

const hashed = 1 << 12;
/** Instead of a number of rivals: all chains have ended, or each one waits for another. */
const none = 0;
const stuck = -1;
