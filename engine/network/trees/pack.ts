/** The most bytes per second that spanning trees can move at once. */
import { basisOf } from './basis.ts';
import { mergeAlike, type Packing, type Tree, type TreeProblem } from './problem.ts';
import { radiusOf, type Spanning, spanningOf } from './spanning.ts';

/** A tree whose price is this close to 1 brings nothing. */
const enough = 1e-12;
/** A tree that brings less is not worth a step before the search. */
const brings = 1e-9;
/** A slack enters before a tree if its price is below. It saves pivots, and any value is right. */
const pressing = -0.2;
/** Trees of the greedy packing for each resource. More save steps of the search, and take longer than these. */
const greedy = 4;

/**
 * max Σ y_T over spanning trees T, where no resource carries more than it can. There are n^(n − 2) trees, so a tree enters only if it
 * brings something: the lightest one by the prices of resources (column generation, Gilmore and Gomory, 1961). Prices are taken
 * between the prices of the basis and the best ones known, which needs fewer trees (in-out separation, Ben-Ameur and Neto, 2007).
 *
 * `undefined` if the edges do not join the ranks. The search stops after `most` steps; `bound` then says how far off it may be.
 */
export function packTrees(given: TreeProblem, most = 20_000): Packing | undefined {
  const { problem, first } = mergeAlike(given);
  const { ranks, edges, capacity } = problem;
  if (ranks < 2) return undefined;
  const spanning = spanningOf(problem);
  const weight = new Float64Array(edges.length);
  const weigh = (prices: Float64Array): void => {
    for (const [index, { uses }] of edges.entries()) {
      let sum = 0;
      for (const { resource, amount } of uses) sum += Math.max(0, prices[resource]) * amount;
      weight[index] = sum;
    }
  };
  const best = new Float64Array(capacity.length).fill(1);
  weigh(best);
  const start = spanning.lightest(weight);
  if (start === Infinity) return undefined;
  for (let resource = 0; resource < best.length; resource += 1) best[resource] /= start;
  let bound = worth(best, capacity);

  const top = Math.max(...capacity);
  const basis = basisOf(capacity.map((bytes) => bytes / top));
  const columns: Int32Array[] = [];
  const entries = new Float64Array(capacity.length);
  /** What a tree brings for each unit of it; prices may be negative here. */
  const gainOf = (tree: Int32Array): number => {
    let gain = 1;
    for (const edge of tree)
      for (const { resource, amount } of edges[edge].uses) gain -= amount * basis.prices[resource];
    return gain;
  };
  const take = (tree: Int32Array): void => {
    entries.fill(0);
    for (const edge of tree) for (const { resource, amount } of edges[edge].uses) entries[resource] += amount;
    columns.push(tree);
    basis.enter(columns.length - 1, entries, gainOf(tree));
  };
  // Low trees have less delay, so they enter first if they bring anything.
  for (const tree of lowTrees(spanning, ranks)) if (gainOf(tree) > brings) take(tree);
  // Then trees that avoid what earlier ones have used (greedy packing, Thorup, 2007): together they are nearly the best.
  const load = new Float64Array(capacity.length);
  let step = 0;
  const unfinished = (): boolean => step < most && basis.total() * top < bound * (1 - enough);
  for (; step < greedy * capacity.length && unfinished(); step += 1) {
    weigh(load);
    spanning.lightest(weight);
    const tree = spanning.edges.slice();
    for (const edge of tree)
      for (const { resource, amount } of edges[edge].uses) load[resource] += amount / capacity[resource];
    if (gainOf(tree) > brings) take(tree);
  }
  const between = new Float64Array(capacity.length);
  let share = 0.7;
  let settled = false;
  for (; unfinished(); step += 1) {
    const slack = mostNegative(basis.prices);
    if (slack >= 0 && (settled || basis.prices[slack] < pressing)) {
      basis.enterSlack(slack);
      settled = false;
      continue;
    }
    for (let resource = 0; resource < between.length; resource += 1)
      between[resource] = share * best[resource] + (1 - share) * Math.max(0, basis.prices[resource]);
    weigh(between);
    const price = spanning.lightest(weight);
    const found = worth(between, capacity) / price;
    if (found < bound) {
      bound = found;
      for (let resource = 0; resource < best.length; resource += 1) best[resource] = between[resource] / price;
    }
    if (price < 1 - enough) take(spanning.edges.slice());
    else if (slack >= 0) settled = true;
    else if (share === 0) break;
    else share = share < 1e-3 ? 0 : share / 2;
  }
  const trees: Tree[] = [];
  for (const [row, column] of basis.columns.entries())
    if (column >= 0 && basis.values[row] > enough)
      trees.push({ edges: [...columns[column]], rate: basis.values[row] * top });
  const limits = first.filter((_, resource) => best[resource] * capacity[resource] > 1e-9 * bound);
  return finished(problem, trees, bound, limits);
}

/** Rates are made smaller by what rounding has put over a capacity. */
function finished(problem: TreeProblem, trees: readonly Tree[], bound: number, limits: readonly number[]): Packing {
  const { edges, capacity } = problem;
  const used = new Float64Array(capacity.length);
  for (const tree of trees)
    for (const edge of tree.edges)
      for (const { resource, amount } of edges[edge].uses) used[resource] += amount * tree.rate;
  const over = capacity.reduce((worst, bytes, resource) => Math.max(worst, used[resource] / bytes), 1);
  const scaled = trees.map((tree) => ({ edges: tree.edges, rate: tree.rate / over }));
  return {
    rate: scaled.reduce((sum, { rate }) => sum + rate, 0),
    bound,
    trees: scaled,
    depth: scaled.reduce((most, tree) => Math.max(most, radiusOf(problem, tree.edges)), 0),
    limits,
  };
}

/** A tree of fewest hops from each rank. */
const lowTrees = (spanning: Spanning, ranks: number): readonly Int32Array[] =>
  Array.from({ length: ranks }, (_, root) => spanning.fromRank(root));

function mostNegative(prices: Float64Array): number {
  let [found, least] = [-1, -enough];
  for (let row = 0; row < prices.length; row += 1) if (prices[row] < least) [found, least] = [row, prices[row]];
  return found;
}

/** Σ b·z */
function worth(prices: Float64Array, capacity: readonly number[]): number {
  let sum = 0;
  for (let row = 0; row < prices.length; row += 1) sum += Math.max(0, prices[row]) * capacity[row];
  return sum;
}
