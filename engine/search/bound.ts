import { leastOf } from './least.ts';
import type { OrderProblem } from './orderProblem.ts';
import { type Depth, type Refutation, refutationOf } from './refutation.ts';
import { unitOf, upTo } from './unit.ts';

export interface Bound {
  /** Ticks that no order is under. */
  readonly bound: number;
  /** Operations that were visited to find it. */
  readonly effort: number;
  /** Whether more effort could not raise it: it is the given makespan, or the least tick that is not refuted. */
  readonly closed: boolean;
  /** Only once a tick is not refuted: the latest end of each operation in all orders that may end by then, by place in a layout · m + microbatch. */
  readonly latest?: Float64Array;
}

/** Rounds over all devices that a refutation with probes may take, before the longest ones are tried. */
const shortRounds = 30;
/** Ends of a bisection that are closer than this share of the bound count as found: if nothing, a little or a lot may raise it later. */
const [fine, middling, coarse] = [1e-7, 1e-4, 1e-3];
/** Shares of the effort that is left for each step of sets of chains; probes take the rest. */
const [pairShare, tripleShare] = [0.3, 0.4];
const [longTripleShare, fourShare] = [0.6, 0.75];
/** Share of the effort to ask whether anything is under an order that is likely the shortest. */
const likelyShare = 0.5;
/** Share of the bound that the first step of long probes adds to it, and how much longer a step is after one that was refuted. */
const firstStep = 2e-3;
const growth = 3;
/** Share of the effort for each of the first long probes, until one has refuted a tick: what they can refute takes less. */
const firstShare = 0.25;

/**
 * A bound on the makespans of all orders, at most `upper`, the makespan of an order that is known. First what takes no time to
 * find, then whether anything is under `upper`, then bisection with the rules alone. If memory makes chains, it then goes up from
 * there with pairs and triples of them. It bisects with short probes, and at last goes up with long probes. What can be refuted is
 * refuted far sooner than what cannot be is given up. Yields what is proven after each round over the devices, and ends when more
 * than `effort` operations have been visited: what is proven by then holds. More effort goes on from there, and never gives a lower bound.
 * `proven`: ticks that such a search has proven, which goes on with long probes. `isLikely`: the order of `upper` is likely the shortest.
 */
export function* boundSteps(
  problem: OrderProblem,
  upper: number,
  effort: number,
  proven = 0,
  isLikely = false,
): Generator<Bound, Bound> {
  let low = Math.min(upper, Math.max(proven, leastOf(problem)));
  if (low >= upper || !(upper < Infinity)) return { bound: low, effort: 0, closed: low >= upper };
  const round = roundOf(problem);
  if (round > effort) return { bound: low, effort: 0, closed: false };
  const refutation = refutationOf(problem);
  const unit = unitOf(problem);
  let open = upper;
  let isExact = false;
  /** Takes note of whether a tick is refuted. It counts as open if that takes too long. */
  function* ask(last: number, depth: Depth, until: number): Generator<Bound, void> {
    // No order ends between two multiples, and an earlier end is sooner refuted.
    const ticks = Math.max(low, Math.floor(last / unit) * unit);
    const refuted = yield* refutes(refutation, ticks, depth, Math.min(effort, until), low);
    if (refuted === true) low = Math.min(upper, upTo(unit, ticks + 1));
    else {
      [open, isExact] = [ticks, refuted === false];
      yield { bound: low, effort: refutation.effort(), closed: false, latest: refutation.latest() };
    }
  }
  const isSpent = (): boolean => low >= upper || refutation.effort() >= effort;
  /** First whether anything is under `upper`, then bisection. */
  function* bisect(depth: Depth): Generator<Bound, void> {
    const within = (): number => (depth === 'rules' ? Infinity : refutation.effort() + shortRounds * round);
    const close = depth === 'rules' ? fine : coarse;
    open = upper;
    yield* ask(upper - 1, depth, within());
    while (open - low > close * low && !isSpent()) yield* ask(low + Math.floor((open - low) / 2), depth, within());
  }
  /** Up from what is proven, in steps that get longer. `until`: operations visited in all. */
  function* climb(depth: Depth, until: number): Generator<Bound, void> {
    open = upper;
    const close = depth === 'probes' ? fine : middling;
    let isDoubtful = depth === 'probes' && proven > 0;
    for (let step = Math.ceil(firstStep * low); open - low > close * low && !isSpent();) {
      if (refutation.effort() >= until) break;
      const from = low;
      const isAfterFirst = open < upper;
      const half = isAfterFirst ? Math.floor((open - low) / 2) : Infinity;
      // The least tick is the soonest refuted: if long probes cannot refute it either, they raise nothing.
      const isLeast = isDoubtful && isAfterFirst;
      const ticks = isLeast ? low : Math.min(low + step, low + half, open - 1);
      // Half of what is left may go into a tick that cannot be refuted; all of it, if nothing is left to refute after it.
      const isLast = depth === 'probes' && ticks === upper - 1;
      const share = isDoubtful ? firstShare : 0.5;
      yield* ask(ticks, depth, isLast ? Infinity : refutation.effort() + share * (until - refutation.effort()));
      if (low > from) isDoubtful = false;
      step = low > from ? growth * step : step;
    }
  }
  const spent = (share: number): number => refutation.effort() + share * (effort - refutation.effort());
  if (proven === 0) {
    yield* bisect('rules');
    if (refutation.chains > 1 && !isSpent()) yield* climb('pairs', spent(pairShare));
    if (refutation.chains > 2 && !isSpent()) yield* climb('triples', spent(tripleShare));
    if (!isSpent()) yield* bisect('probes');
  } else {
    // What is open after steps from below is often refuted at once: sets of chains need not find it out anew for each step.
    if (refutation.chains > 3 && isLikely) yield* ask(upper - 1, 'fours', spent(likelyShare));
    if (refutation.chains > 2 && !isSpent()) yield* climb('triples', spent(longTripleShare));
    if (refutation.chains > 3 && !isSpent()) yield* climb('fours', spent(fourShare));
  }
  if (!isSpent()) yield* climb('probes', effort);
  return { bound: low, effort: refutation.effort(), closed: low >= upper || (isExact && open - low <= fine * low) };
}

/** Undefined where the effort is spent. */
function* refutes(
  refutation: Refutation,
  ticks: number,
  depth: Depth,
  until: number,
  low: number,
): Generator<Bound, boolean | undefined> {
  const steps = refutation.refuteSteps(ticks, depth);
  for (;;) {
    if (refutation.effort() >= until) return undefined;
    const step = steps.next();
    if (step.done === true) return step.value;
    yield { bound: low, effort: refutation.effort(), closed: false };
  }
}

/** About what one round of a refutation visits. */
export function roundOf({ microbatches, device, devices, weight }: OrderProblem): number {
  const operations = new Float64Array(devices);
  device.forEach((on, stage) => {
    operations[on] += (weight[stage] > 0 ? 3 : 2) * microbatches;
  });
  return operations.reduce((sum, count) => sum + 8 * count * count, 0);
}
