/**
 * Refutes "every operation of this pipeline, and the steps after them, end by tick C" by propagation: what must come before what,
 * and when each operation can start and end. What stays open may be possible or not; what is refuted is impossible. So every C
 * that is refuted is under the makespan of every order.
 */
import { toEnd } from '../basics/steps.ts';
import { chainRulesOf } from './chainRules.ts';
import { codesOf, inLayout } from './codes.ts';
import { memoriesOf, type MemoryState, roomForForwards, roomUntilFreed } from './memory.ts';
import { keeperOf, type OpenTick } from './openTick.ts';
import type { OrderProblem } from './orderProblem.ts';
import { pairAt, precedeByNeighbours, precedeByOthers, precedeByWindows, precedenceOf } from './precedence.ts';
import { probeSteps } from './probes.ts';
import { tightenWindows, windowScratch } from './windows.ts';

/**
 * How much is tried. `rules`: the rules of single devices. `pairs`, `triples` and `fours`: also the orders of two, three and four
 * chains, which take longer and longer. `probes`: orders of two chains, and of single pairs of operations.
 */
export type Depth = 'rules' | 'pairs' | 'triples' | 'fours' | 'probes';

export interface Refutation {
  /** Whether no order ends by this tick. What it finds out meanwhile stays for smaller ones. */
  refute(ticks: number): boolean;
  /** The same in steps of about one round over all devices. */
  refuteSteps(ticks: number, depth?: Depth): Generator<void, boolean>;
  /**
   * What the rules leave of a tick, for orders that end by it; undefined if they refute it. Whoever gets it may assume what he likes
   * until the next tick is asked.
   */
  openSteps(ticks: number): Generator<void, OpenTick | undefined>;
  /** Chains that short memory makes. With less than two, `pairs` finds no more than `rules`. */
  readonly chains: number;
  /** Operations visited so far: a measure of work that no clock changes. */
  effort(): number;
  /** The latest end that is left of each operation for the tick that was asked last, by place in a layout · m + microbatch. */
  latest(): Float64Array;
}

/** Chains whose orders are looked at together. */
const chainsOfSet: Readonly<Record<Depth, number>> = { rules: 0, pairs: 2, triples: 3, fours: 4, probes: 2 };

export function refutationOf(problem: OrderProblem): Refutation {
  const { microbatches: m } = problem;
  const codes = codesOf(problem);
  const { count, ticks, groups, ascending, feeds, delay, feeding } = codes;
  const memories = memoriesOf(problem, codes);
  const precedence = precedenceOf(codes, m);
  const chains = chainRulesOf(problem, codes, chainsOfSet.fours);
  const { before } = precedence;
  const implied = before.slice();
  /** The tick that what is in `before` holds for, and for smaller ones. */
  let knownFor = Infinity;
  const est = new Float64Array(count * m);
  const lft = new Float64Array(count * m);
  const scratch = windowScratch(codes, m);
  const state: MemoryState = { microbatches: m, codes, precedence, est, lft };
  const carried = Int32Array.from(
    codes.carried.flatMap(([a, b, c, d]) => [pairAt(precedence, codes, m, a, b), pairAt(precedence, codes, m, c, d)]),
  );
  const plainRound = groups.reduce((sum, { length }) => sum + 6 * length ** 3 * m, 60 * count * m);
  /** By device: what its windows and its order added up to when they were last tightened. Windows only shrink, order only grows. */
  const tightened = new Float64Array(2 * groups.length);
  let visited = 0;

  /** Longest paths from the start; false if a window closes. */
  const forwards = (): boolean => {
    for (let j = 0; j < m; j += 1)
      for (const code of ascending) {
        const at = code * m + j;
        const from = feeds[code];
        let start = est[at];
        if (j > 0) start = Math.max(start, est[at - 1] + ticks[code]);
        if (from >= 0) start = Math.max(start, est[from * m + j] + ticks[from] + delay[code]);
        if (start + ticks[code] > lft[at]) return false;
        est[at] = start;
      }
    return true;
  };
  /** Longest paths to the end. */
  const backwards = (): boolean => {
    for (let j = m - 1; j >= 0; j -= 1)
      for (let index = ascending.length - 1; index >= 0; index -= 1) {
        const code = ascending[index];
        const at = code * m + j;
        let end = lft[at];
        if (j + 1 < m) end = Math.min(end, lft[at + 1] - ticks[code]);
        for (const to of feeding[code]) end = Math.min(end, lft[to * m + j] - ticks[to] - delay[to]);
        if (est[at] + ticks[code] > end) return false;
        lft[at] = end;
      }
    return true;
  };
  /** Whether a device's windows or order have changed since this was last called for it. */
  const changed = (device: number): boolean => {
    const group = groups[device];
    let slack = 0;
    let known = 0;
    for (const code of group) for (let at = code * m; at < (code + 1) * m; at += 1) slack += lft[at] - est[at];
    const from = precedence.base[device];
    for (let at = from; at < from + group.length ** 2 * m; at += 1) known += before[at];
    if (slack === tightened[2 * device] && known === tightened[2 * device + 1]) return false;
    tightened[2 * device] = slack;
    tightened[2 * device + 1] = known;
    return true;
  };
  /** One round of all rules; false if one of them refutes. */
  const round = (last: number): boolean => {
    visited += plainRound;
    if (!forwards() || !backwards()) return false;
    precedeByWindows(precedence, codes, m, est, lft);
    precedeByOthers(precedence, codes, m);
    precedeByNeighbours(precedence, carried, m);
    for (const memory of memories) {
      if (memory === undefined) continue;
      if (!roomForForwards(state, memory) || !roomUntilFreed(state, memory)) return false;
    }
    for (let device = 0; device < groups.length; device += 1) {
      if (!changed(device)) continue;
      visited += 8 * (groups[device].length * m) ** 2;
      for (const mirrored of [false, true])
        if (!tightenWindows(codes, precedence, scratch, state, device, last, mirrored)) return false;
      changed(device);
    }
    return forwards() && backwards();
  };

  /** The rules until nothing changes, at most that number of rounds; false if they refute. Sets of more chains come last. */
  function* settleSteps(last: number, rounds: number, most: number): Generator<void, boolean> {
    for (let slack = Infinity, size = 2, at = 0; at < rounds; at += 1) {
      if (size === 2 && !round(last)) return false;
      if (most > 1 && !(yield* chains.tightenSteps(est, lft, precedence, size))) return false;
      let left = 0;
      for (let operation = 0; operation < est.length; operation += 1) left += lft[operation] - est[operation];
      if (left < slack) size = 2;
      else if (size >= most) break;
      else size += 1;
      slack = left;
      yield;
    }
    return true;
  }

  /** What is known of orders that end by a later tick, if this one is refuted: what follows from an assumption that is false says nothing. */
  let [known, keptFor] = [implied, Infinity];
  function* narrow(last: number, most: number): Generator<void, boolean> {
    // What is known of orders that end by a tick says nothing of those that end later.
    if (last > knownFor) before.set(implied);
    [known, keptFor] = [before.slice(), last > knownFor ? Infinity : knownFor];
    knownFor = last;
    est.fill(0);
    tightened.fill(NaN);
    chains.begin(last);
    for (let code = 0; code < count; code += 1)
      lft.fill(last - problem.step[codes.ofDevice[code]], code * m, (code + 1) * m);
    return yield* settleSteps(last, Infinity, most);
  }
  const openAt = (last: number, most: number): OpenTick => ({
    ...{ microbatches: m, codes, precedence, est, lft },
    settleSteps: (rounds) => settleSteps(last, rounds, most),
    keeper: () => keeperOf([est, lft, before, tightened]),
  });

  function* refuteSteps(last: number, depth: Depth = 'rules'): Generator<void, boolean> {
    let open = yield* narrow(last, chainsOfSet[depth]);
    if (open && depth === 'probes') open = !(yield* probeSteps(openAt(last, chainsOfSet.probes)));
    if (!open) {
      before.set(known);
      knownFor = keptFor;
    }
    return !open;
  }

  function* openSteps(last: number): Generator<void, OpenTick | undefined> {
    const open = yield* narrow(last, chainsOfSet.rules);
    // Assumptions may be made from here on, so that nothing in `before` holds for any other tick.
    knownFor = -Infinity;
    return open ? openAt(last, chainsOfSet.rules) : undefined;
  }
  return {
    refuteSteps,
    openSteps,
    refute: (last) => toEnd(refuteSteps(last)),
    chains: chains.count,
    effort: () => visited + chains.effort(),
    latest() {
      const latest = new Float64Array(3 * codes.forward.length * m);
      inLayout(codes).forEach((there, code) => latest.set(lft.subarray(code * m, (code + 1) * m), there * m));
      return latest;
    },
  };
}
