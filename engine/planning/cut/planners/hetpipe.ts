/** HetPipe's partition of a model over the devices of one virtual worker. */
import type { HetpipeProblem } from './hetpipeProblem.ts';
import { hetpipeRuns, type SiteRuns } from './hetpipeRuns.ts';
import { type HetpipeStage, orderedSearch } from './hetpipeSearch.ts';
import type { Planned } from './layers.ts';

/** Runs of layers on all kinds above which their table takes more than some 100 MB. */
const runLimit = 1_500_000;
/** Steps of a search: about a second. */
const budget = 40_000_000;
/** Each search looks at plans whose slowest stage takes at most so much longer than the least possible; the next one twice as much longer. */
const firstMargin = 0.02;

export const hetpipeInTime = (layers: number, kinds: number): boolean => layers * layers * kinds <= runLimit;

/** About how many elementary steps of 20 ns a search takes. */
export const hetpipeSize = ({ order, layers, classes }: HetpipeProblem): number => {
  const states = classes.reduce((product, { devices }) => product * (devices.length + 1), classes.length);
  return order.length ** 2 * (20 * layers.sites.length + Math.min(budget / order.length ** 2, states));
};

/** Why there is no plan: none fits in memory, or the budget ended before one was found. */
export type HetpipeAnswer = Planned | { readonly none: 'memory' | 'budget' };

/**
 * The partition whose slowest stage is fastest (Park et al., "HetPipe" (2020), section 7). A stage takes its forward and backward,
 * and the time to receive activations from the stage before and gradients from the one behind. Each device has one stage that
 * fits its memory with the minibatches in flight. All orders of the devices are compared. `seconds` is the time of one update.
 * If the budget ends first, the plan is the best one for the devices in a few orders, and `exact` is false.
 */
export function* hetpipeSteps(problem: HetpipeProblem, most = budget): Generator<void, HetpipeAnswer> {
  const { microbatches, classes, chain } = problem;
  const runs = yield* hetpipeRuns(problem);
  const floor = leastSlowest(problem, runs);
  const work = { done: 0, budget: most };
  const search = orderedSearch(problem, runs);
  let least = floor;
  let margin = firstMargin;
  let best: { readonly stages: readonly HetpipeStage[]; readonly slowest: number } | undefined;
  let stopped = false;
  // Without a limit the search sees every plan.
  for (let limit = floor * (1 + margin); best === undefined; limit = margin > 64 ? Infinity : floor * (1 + margin)) {
    const found = yield* search(limit, work);
    if (found === 'stopped') {
      stopped = true;
      break;
    }
    if (found !== 'none') best = found;
    else if (limit === Infinity) return { none: 'memory' };
    else least = limit;
    margin *= 2;
  }
  if (best === undefined) {
    for (const sequence of sequencesOf(problem, runs)) {
      const found = yield* search(Infinity, { done: 0, budget: Infinity }, sequence);
      if (typeof found === 'object' && found.slowest < (best?.slowest ?? Infinity)) best = found;
    }
  }
  if (best === undefined) return { none: 'budget' };
  const taken = new Int32Array(classes.length);
  const stages = best.stages.map(({ from, to, of }) => {
    const device = classes[of].devices[taken[of]];
    taken[of] += 1;
    return { from, to, replicas: 1, machines: [device] };
  });
  const searched = stopped ? least : best.slowest;
  // Another order of the layers may have a better plan.
  const below = Math.min(best.slowest, chain ? searched : floor);
  return {
    stages,
    seconds: microbatches * best.slowest,
    exact: !stopped && below >= best.slowest * (1 - 1e-9),
    least: microbatches * below,
  };
}

/**
 * Seconds that the slowest stage takes at least. Let w be the seconds of a layer on the first kind, and a device take at least
 * ρ · w for any layer. Stages of T or less then hold layers of at most T / ρ on each device, and all layers in sum.
 */
function leastSlowest({ order, classes, layers }: HetpipeProblem, runs: readonly SiteRuns[]): number {
  const costOf = (site: number, at: number): number => {
    const { costs, costOf: index } = layers.sites[site];
    const { forward, backwardInput, backwardWeight, recompute } = costs[index[order[at]]];
    return forward + backwardInput + backwardWeight + recompute;
  };
  const whole = Array.from(order.keys(), (at) => costOf(0, at));
  let rates = 0;
  let slowest = 0;
  for (const { site, devices } of classes) {
    let ratio = Infinity;
    for (const [at, seconds] of whole.entries()) if (seconds > 0) ratio = Math.min(ratio, costOf(site, at) / seconds);
    rates += ratio > 0 ? devices.length / ratio : Infinity;
  }
  for (const at of order.keys()) slowest = Math.max(slowest, Math.min(...runs.map((_, site) => costOf(site, at))));
  const sum = whole.reduce((total, seconds) => total + seconds, 0);
  return Math.max(slowest, rates > 0 ? sum / rates : 0) * (1 - 1e-9);
}

/** Orders of the devices for a plan without a search: as given, and by memory or by speed, in both directions. */
function sequencesOf({ classes, order }: HetpipeProblem, runs: readonly SiteRuns[]): readonly (readonly number[])[] {
  const given = classes.flatMap(({ devices }, of) => devices.map(() => of));
  const memory = (of: number): number => classes[of].capacity;
  const seconds = (of: number): number => runs[classes[of].site].seconds[order.length];
  const sorted = [memory, seconds].map((by) => given.toSorted((a, b) => by(a) - by(b)));
  return [given, ...sorted, ...sorted.map((sequence) => sequence.toReversed())];
}
