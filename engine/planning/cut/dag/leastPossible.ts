/** What no cut of a graph can be below. */
import { bestSlowest } from '../balance.ts';
import { type Dag, pairLimit, weightsAfter, weightsBefore } from './graph.ts';
import { heaviestPaths } from './orders.ts';

/**
 * A lower bound of the slowest stage over all cuts; `weights` are whole numbers, one row for each stage. It is the largest of
 * these bounds:
 * 1. The mean.
 * 2. The heaviest layer.
 * 3. The least sum of layers that must share a stage, since there are more heavy layers than stages.
 * 4. The slowest stage of the best cut of the heaviest chain.
 * 5. For each layer, its stage leaves room for all that the layer needs before it and all that needs it behind.
 *
 * If the rows differ, other bounds are used: see `leastOfUnlike`.
 */
export function leastPossible(dag: Dag, weights: readonly Float64Array[]): number {
  const [row] = weights;
  const parts = weights.length;
  if (weights.some((weight) => weight !== row)) return leastOfUnlike(weights);
  const total = row.reduce((sum, value) => sum + value, 0);
  let least = Math.ceil(total / parts);
  const heaviest = row.toSorted().reverse();
  least = Math.max(least, heaviest[0] ?? 0);
  // Of any k · parts + 1 layers, k + 1 share a stage.
  for (let shared = 1; shared * parts < heaviest.length; shared += 1) {
    const joined = heaviest.subarray(shared * parts - shared, shared * parts + 1);
    least = Math.max(
      least,
      joined.reduce((sum, value) => sum + value, 0),
    );
  }
  least = Math.max(least, bestSlowest(heaviestChain(dag, row), parts));
  // Nothing takes time, or all pairs are too many.
  return least === 0 || dag.count > pairLimit ? least : leastAround(dag, row, parts, least);
}

/** Weights along the heaviest path. */
function heaviestChain(dag: Dag, weights: Float64Array): Float64Array {
  const heaviest = heaviestPaths(dag, weights);
  const chain: number[] = [];
  let candidates: Iterable<number> = heaviest.keys();
  for (;;) {
    let next = -1;
    for (const node of candidates) if (next < 0 || heaviest[node] > heaviest[next]) next = node;
    if (next < 0) return Float64Array.from(chain);
    chain.push(weights[next]);
    candidates = dag.users.nodes.subarray(dag.users.from[next], dag.users.from[next + 1]);
  }
}

/** Least limit under which each layer has a stage: ⌈before / limit⌉ + ⌈behind / limit⌉ ≤ parts + 1, the layer in both. */
function leastAround(dag: Dag, weights: Float64Array, parts: number, from: number): number {
  const before = weightsBefore(dag, weights);
  const behind = weightsAfter(dag, weights);
  const possible = (limit: number): boolean =>
    before.every((sum, node) => Math.ceil(sum / limit) + Math.ceil(behind[node] / limit) <= parts + 1);
  let low = from;
  let high = Math.max(
    low,
    weights.reduce((sum, weight) => sum + weight, 0),
  );
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (possible(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Rounds in which prices are looked for. */
const rounds = 60;

/**
 * For stages of different speeds. With a price λ for each stage, the slowest takes at least Σ λ · load / Σ λ, and each layer adds
 * at least the least of λ · its weight to that sum. Any prices prove a bound; they are raised where the cheapest stages get too
 * much. A second bound: each layer runs somewhere.
 */
function leastOfUnlike(weights: readonly Float64Array[]): number {
  const rows = [...new Set(weights)];
  const stages = rows.map((row) => weights.filter((weight) => weight === row).length);
  const totals = rows.map((row) => row.reduce((sum, value) => sum + value, 0));
  const count = rows[0].length;
  let least = rows[0].reduce((most, _, node) => Math.max(most, Math.min(...rows.map((row) => row[node]))), 0);
  // Layers that take no time on some kind prove nothing.
  if (totals.some((total) => total === 0)) return least;
  let prices = totals.map((total) => 1 / total);
  for (let round = 0; round < rounds; round += 1) {
    const loads = rows.map(() => 0);
    let sum = 0;
    for (let node = 0; node < count; node += 1) {
      let cheapest = 0;
      for (let kind = 1; kind < rows.length; kind += 1)
        if (prices[kind] * rows[kind][node] < prices[cheapest] * rows[cheapest][node]) cheapest = kind;
      loads[cheapest] += rows[cheapest][node] / stages[cheapest];
      sum += prices[cheapest] * rows[cheapest][node];
    }
    const all = prices.reduce((total, price, kind) => total + price * stages[kind], 0);
    // Prices are rounded, so that a little is left out of what they prove.
    least = Math.max(least, Math.ceil((sum / all) * (1 - 1e-12)));
    const most = Math.max(...loads);
    // Every layer takes no time on one of the kinds.
    if (most === 0) return least;
    const step = 1 / (2 + round);
    prices = prices.map((price, kind) => price * Math.exp(step * (loads[kind] / most - 1)));
  }
  return least;
}
