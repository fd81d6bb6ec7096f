import { type Chain, chainsOf } from './chains.ts';
import type { Codes } from './codes.ts';
import { type Contest, contestFor } from './contest.ts';
import type { Strand } from './contestTables.ts';
import type { OrderProblem } from './orderProblem.ts';
import { pairAt, type Precedence } from './precedence.ts';

/** Rules for the chains that short memory makes: windows that no order of a few of them can use are cut off. */
export interface ChainRules {
  /** Chains of the problem; without two of them there is no rule. */
  readonly count: number;
  /** Windows of orders that end by `last` from now on: forgets what was settled. */
  begin(last: number): void;
  /**
   * Looks at every set of `size` chains whose windows or order have changed since it was last looked at. Raises earliest starts,
   * lowers latest ends, and yields after each set. False if a set of chains has no order.
   */
  tightenSteps(est: Float64Array, lft: Float64Array, precedence: Precedence, size: number): Generator<void, boolean>;
  /** Operations visited so far. */
  effort(): number;
}

/** States of a set of chains; a set that has more is left. */
const mostStates = 20_000;
/** Operations of a refutation that take as long as one that a contest looks at. */
const weight = 24;

/** `mostChains`: chains of a set. */
export function chainRulesOf(problem: OrderProblem, codes: Codes, mostChains: number): ChainRules {
  const { microbatches: m } = problem;
  const chains = chainsOf(problem, codes);
  const longest = chains.reduce((most, { operations }) => Math.max(most, operations.length), 0);
  let contest: Contest | undefined;
  const views = [false, true].map((mirrored) => chains.map((chain) => strandOf(chain, chains, mirrored)));
  const fillNeeds = needsOf(chains, views, codes, m);
  const settled = new Map<number, number>();
  let [last, visited] = [0, 0];

  /** All that the rules read of a set of chains, added up: windows only shrink and needs only grow. */
  const stateOf = (set: readonly number[], est: Float64Array, lft: Float64Array): number => {
    let sum = 0;
    for (const chain of set) {
      const { operations } = chains[chain];
      for (let place = 0; place < operations.length; place += 1) sum += lft[operations[place]] - est[operations[place]];
      for (const other of set) {
        const counts = views[0][chain].needs[other];
        for (let place = 0; place < counts.length; place += 1) sum -= counts[place];
      }
    }
    return sum;
  };

  const tighten = (contest: Contest, set: readonly number[], est: Float64Array, lft: Float64Array): boolean => {
    for (const mirrored of [false, true]) {
      const strands = set.map((chain): Strand => {
        const { operations } = chains[chain];
        const strand = views[mirrored ? 1 : 0][chain];
        for (let place = 0; place < operations.length; place += 1) {
          const operation = operations[mirrored ? operations.length - 1 - place : place];
          strand.start[place] = mirrored ? last - lft[operation] : est[operation];
          strand.end[place] = mirrored ? last - est[operation] : lft[operation];
        }
        return { ...strand, needs: set.map((other) => strand.needs[other]) };
      });
      const open = contest.run(strands);
      if (open === false) return false;
      if (open === undefined) return true;
      set.forEach((chain, at) => {
        const { operations } = chains[chain];
        const { earliest } = strands[at];
        for (let place = 0; place < operations.length; place += 1) {
          const operation = operations[mirrored ? operations.length - 1 - place : place];
          if (mirrored) lft[operation] = Math.min(lft[operation], last - earliest[place]);
          else est[operation] = Math.max(est[operation], earliest[place]);
        }
      });
    }
    return true;
  };

  function* tightenSteps(
    est: Float64Array,
    lft: Float64Array,
    precedence: Precedence,
    size: number,
  ): Generator<void, boolean> {
    if (chains.length < size) return true;
    // Room for all states: not for a refutation that the other rules decide.
    contest ??= contestFor(mostChains, longest, mostStates);
    fillNeeds(precedence);
    visited += longest * chains.length ** 2;
    for (const set of setsOf(chains.length, size)) {
      const key = set.reduce((sum, chain) => sum * chains.length + chain, size);
      if (settled.get(key) === stateOf(set, est, lft)) continue;
      const before = contest.visited();
      const open = tighten(contest, set, est, lft);
      visited += weight * (contest.visited() - before) + longest * size;
      if (!open) return false;
      settled.set(key, stateOf(set, est, lft));
      yield;
    }
    return true;
  }
  return {
    count: chains.length,
    begin: (ticks) => {
      last = ticks;
      settled.clear();
    },
    tightenSteps,
    effort: () => visited,
  };
}

/** All sets of `size` of the first `count` numbers. */
function* setsOf(count: number, size: number): Generator<readonly number[], void> {
  const set = Array.from({ length: size }, (_, at) => at);
  while (set.length > 0 && (set.at(-1) ?? count) < count) {
    yield set;
    let at = size - 1;
    while (at > 0 && set[at] === count - size + at) at -= 1;
    set[at] += 1;
    for (let next = at + 1; next < size; next += 1) set[next] = set[next - 1] + 1;
  }
}

/** A chain with room for windows and needs. With `mirrored`, time runs backwards. */
function strandOf({ device, ticks, gap }: Chain, chains: readonly Chain[], mirrored: boolean): Strand {
  const { length } = device;
  return {
    length,
    device: mirrored ? device.toReversed() : device,
    ticks: mirrored ? ticks.toReversed() : ticks,
    gap: mirrored ? gap.map((_, place) => (place === 0 ? 0 : gap[length - place])) : gap,
    start: new Float64Array(length),
    end: new Float64Array(length),
    needs: chains.map(() => new Int32Array(length)),
    earliest: new Float64Array(length),
  };
}

/** Fills the needs of the chains, and of the mirrored ones, from what is known of the order of each device. */
function needsOf(
  chains: readonly Chain[],
  [views, mirrored]: readonly (readonly Strand[])[],
  codes: Codes,
  m: number,
): (precedence: Precedence) => void {
  const chainOf = new Int32Array(codes.count * m).fill(-1);
  const placeOf = new Int32Array(codes.count * m);
  chains.forEach(({ operations }, chain) =>
    operations.forEach((operation, place) => {
      chainOf[operation] = chain;
      placeOf[operation] = place;
    }),
  );
  const turn = (needs: Int32Array, into: Int32Array): void => {
    let own = needs.length;
    for (let place = into.length - 1; place >= 0; place -= 1) {
      while (own > 0 && needs[own - 1] > place) own -= 1;
      into[into.length - 1 - place] = needs.length - own;
    }
  };
  return (precedence) => {
    const last = new Int32Array(chains.length);
    chains.forEach(({ operations }, chain) => {
      last.fill(0);
      for (let place = 0; place < operations.length; place += 1) {
        const code = Math.floor(operations[place] / m);
        const microbatch = operations[place] - code * m;
        for (const other of codes.groups[codes.ofDevice[code]]) {
          const count =
            other === code ? microbatch : precedence.before[pairAt(precedence, codes, m, other, code) + microbatch];
          // The operations of a code belong to the chains in turn.
          for (let at = count - 1; at >= Math.max(0, count - chains.length); at -= 1) {
            const by = chainOf[other * m + at];
            if (by >= 0) last[by] = Math.max(last[by], placeOf[other * m + at] + 1);
          }
        }
        for (let by = 0; by < chains.length; by += 1) views[chain].needs[by][place] = last[by];
      }
    });
    for (let chain = 0; chain < chains.length; chain += 1)
      for (let other = 0; other < chains.length; other += 1)
        if (other !== chain) turn(views[chain].needs[other], mirrored[other].needs[chain]);
  };
}
