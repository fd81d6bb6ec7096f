/** Makes neighbouring stages of a cut of a graph more equal, as far as moving and swapping layers goes. */
import type { Dag } from './graph.ts';
import { type Budget, membersOf, type Move, moverOf } from './moves.ts';

/** A pair of stages is left alone where it gains less than this share of what stages take. */
const leastGain = 1e-6;

/**
 * A cut that is no slower. For each two neighbouring stages, it moves a set from one to the other, or swaps two sets, such that
 * their difference shrinks the most. It ends when no difference shrinks, no stage is over `least`, or the budget is spent. Stages
 * are of one kind and stay non-empty.
 */
export function evenOut(
  dag: Dag,
  weights: Float64Array,
  given: Int32Array,
  parts: number,
  least: number,
  budget: Budget,
): Int32Array {
  const stageOf = Int32Array.from(given);
  const mover = moverOf(dag, budget);
  const members = membersOf(stageOf, parts);
  const loads = members.map((nodes) => nodes.reduce((sum, node) => sum + weights[node], 0));
  const moved = (move: Move | undefined, from: number, to: number) => {
    if (move === undefined) return;
    for (const node of move.nodes) stageOf[node] = to;
    const leaving = new Set(move.nodes);
    members[from] = members[from].filter((value) => !leaving.has(value));
    members[to] = [...members[to], ...move.nodes];
    loads[from] -= move.weight;
    loads[to] += move.weight;
  };
  for (let better = true; better && budget.left > 0;) {
    better = false;
    for (let first = 0; first + 1 < parts && Math.max(...loads) > least; first += 1) {
      const half = (loads[first + 1] - loads[first]) / 2;
      if (Math.abs(half) <= leastGain * least) continue;
      const [before, behind] = [
        mover.moves(members[first + 1], stageOf, weights, 'before'),
        mover.moves(members[first], stageOf, weights, 'behind'),
      ];
      const best = bestPair(dag, before, behind, half, budget);
      if (best === undefined || Math.abs(best.change - half) > Math.abs(half) - leastGain * least) continue;
      moved(best.before, first + 1, first);
      moved(best.behind, first, first + 1);
      better = true;
    }
  }
  return stageOf;
}

interface Pair {
  readonly before?: Move;
  readonly behind?: Move;
  readonly change: number;
}

/** What changes the earlier stage's load by nearly `wanted`: one move, or one each way of which neither needs the other. */
function bestPair(
  dag: Dag,
  before: readonly Move[],
  behind: readonly Move[],
  wanted: number,
  budget: Budget,
): Pair | undefined {
  let best: Pair | undefined;
  const isCloser = (change: number) => best === undefined || Math.abs(change - wanted) < Math.abs(best.change - wanted);
  for (const move of before) if (isCloser(move.weight)) best = { before: move, change: move.weight };
  for (const move of behind) if (isCloser(-move.weight)) best = { behind: move, change: -move.weight };
  const sorted = behind.toSorted((a, b) => a.weight - b.weight);
  for (const move of before) {
    budget.left -= 4;
    if (budget.left <= 0) break;
    const nearest = firstFrom(sorted, move.weight - wanted);
    // Those next to the wanted weight, as long as one might do.
    for (const by of [-1, 1]) {
      for (let at = by < 0 ? nearest - 1 : nearest, tries = 0; tries < 4; at += by, tries += 1) {
        if (at < 0 || at >= sorted.length || !isCloser(move.weight - sorted[at].weight)) break;
        if (isNeeded(dag, move, sorted[at])) continue;
        best = { before: move, behind: sorted[at], change: move.weight - sorted[at].weight };
        break;
      }
    }
  }
  return best;
}

/** Index of the first move of at least that weight. */
function firstFrom(sorted: readonly Move[], weight: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle].weight < weight) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether what goes to the earlier stage needs something that leaves it. */
function isNeeded({ needs }: Dag, before: Move, behind: Move): boolean {
  const leaving = new Set(behind.nodes);
  return before.nodes.some((node) => {
    for (let at = needs.from[node]; at < needs.from[node + 1]; at += 1) if (leaving.has(needs.nodes[at])) return true;
    return false;
  });
}
