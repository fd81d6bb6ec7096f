/** Of cuts of a graph that are equally fast, one that sends less. */
import type { Dag } from './graph.ts';
import { type Budget, membersOf, type Move, moverOf } from './moves.ts';

export interface CrossingRequest {
  readonly dag: Dag;
  /** Weight of each node in each stage, whole numbers. */
  readonly weights: readonly Float64Array[];
  /** Bytes that a node sends to each other stage with a node that needs it. */
  readonly outputs: Float64Array;
  /** No stage becomes slower than this. */
  readonly limit: number;
  readonly budget: Budget;
}

/** Bytes that go from stage to stage: each tensor once to each other stage with a node that needs it. */
export function crossingBytes(
  { dag, weights, outputs }: CrossingRequest,
  stageOf: Int32Array,
  makers: Iterable<number> = stageOf.keys(),
): number {
  const counted = new Int32Array(weights.length).fill(-1);
  let bytes = 0;
  for (const maker of makers) {
    counted[stageOf[maker]] = maker;
    for (let at = dag.users.from[maker]; at < dag.users.from[maker + 1]; at += 1) {
      const stage = stageOf[dag.users.nodes[at]];
      if (counted[stage] === maker) continue;
      counted[stage] = maker;
      bytes += outputs[maker];
    }
  }
  return bytes;
}

/**
 * Moves layers between neighbouring stages as long as fewer bytes cross from stage to stage, or as many and the sum of squared stage times
 * falls. Stages stay non-empty. What is reached is no proven least.
 */
export function lessCrossing(request: CrossingRequest, given: Int32Array): Int32Array {
  const { dag, weights, limit, budget } = request;
  const stageOf = Int32Array.from(given);
  const parts = weights.length;
  const mover = moverOf(dag, budget);
  const members = membersOf(stageOf, parts);
  const loads = new Float64Array(parts);
  for (const [node, stage] of stageOf.entries()) loads[stage] += weights[stage][node];
  /** Of the tensors that these nodes make or take. */
  const bytesAround = (nodes: readonly number[]): number => {
    const makers = new Set<number>(nodes);
    for (const node of nodes)
      for (let at = dag.needs.from[node]; at < dag.needs.from[node + 1]; at += 1) makers.add(dag.needs.nodes[at]);
    for (const maker of makers) budget.left -= dag.users.from[maker + 1] - dag.users.from[maker];
    return crossingBytes(request, stageOf, makers);
  };
  const tryMove = ({ nodes }: Move, from: number, to: number): boolean => {
    if (nodes.some((node) => stageOf[node] !== from)) return false;
    const left = loads[from] - nodes.reduce((sum, node) => sum + weights[from][node], 0);
    const right = loads[to] + nodes.reduce((sum, node) => sum + weights[to][node], 0);
    if (right > limit) return false;
    const bytes = bytesAround(nodes);
    for (const node of nodes) stageOf[node] = to;
    const change = bytesAround(nodes) - bytes;
    const evener = left ** 2 + right ** 2 < (loads[from] ** 2 + loads[to] ** 2) * (1 - 1e-9);
    // Shares of a byte are rounded.
    const less = change < -1e-9 * bytes;
    if (less || (Math.abs(change) <= 1e-9 * bytes && evener)) {
      loads[from] = left;
      loads[to] = right;
      const leaving = new Set(nodes);
      members[from] = members[from].filter((value) => !leaving.has(value));
      members[to] = [...members[to], ...nodes];
      return true;
    }
    for (const node of nodes) stageOf[node] = from;
    return false;
  };
  for (let better = true; better && budget.left > 0;) {
    better = false;
    for (let first = 0; first + 1 < parts; first += 1) {
      for (const [from, to] of [
        [first + 1, first],
        [first, first + 1],
      ]) {
        const moves = mover.moves(members[from], stageOf, weights[from], to < from ? 'before' : 'behind');
        // One at a time: each changes what others are.
        if (moves.some((move) => tryMove(move, from, to))) better = true;
      }
    }
  }
  return stageOf;
}
