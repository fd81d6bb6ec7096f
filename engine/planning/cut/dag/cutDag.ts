/** Cuts a graph of layers into stages, each of which needs only itself and earlier ones, with the fastest slowest stage. */
import { crossingBytes, type CrossingRequest, lessCrossing } from './crossing.ts';
import { evenOut } from './evenOut.ts';
import { type FastestCut, fastestCut } from './fastestCut.ts';
import { type Dag, pairLimit, withoutNodes } from './graph.ts';
import { idealsOf } from './ideals.ts';
import { leastPossible } from './leastPossible.ts';
import { goodOrders } from './orders.ts';
import { wholeWeights } from './wholeWeights.ts';

export interface DagCutRequest {
  readonly dag: Dag;
  /** Seconds of each node, one row for each kind of device. */
  readonly times: readonly Float64Array[];
  /** Row of each stage. */
  readonly kinds: Int32Array;
  /** Bytes that each node sends to each other stage with a node that needs it. */
  readonly outputs: Float64Array;
  /** First positions of the best cut of one order, no stage empty. */
  inOrder(order: Int32Array): Int32Array;
}

export interface DagCut {
  /** Nodes, stage by stage, each after those that it needs. */
  readonly order: Int32Array;
  /** First position of each stage. */
  readonly starts: Int32Array;
  /** Seconds that no cut's slowest stage can be below. */
  readonly least: number;
  /** How far the slowest stage is above that at most, as a share; 0: no cut is faster. */
  readonly above: number;
}

/** Steps of all searches that move layers: some tens of milliseconds. */
const steps = 3_000_000;

/** Number of cuts that are evened out: the cuts of the best orders. */
const seeds = 3;

/** Orders × nodes × stages that are cut, the numbering in any case. */
const mostOrdered = 400_000;

/**
 * The fastest cut over all sets of layers, not only the sets that follow one order. It is exact if the sets are few enough to
 * look at all of them, or if a cut meets the lower bound. Otherwise it is the best of good orders after moving layers. At most as
 * slow as the best cut of any of these orders, the numbering among them. Among equally fast cuts, the search prefers one that
 * sends little.
 */
export function cutDag(request: DagCutRequest): DagCut {
  const { dag, times, kinds, outputs, inOrder } = request;
  const whole = wholeWeights(times);
  const weights = Array.from(kinds, (kind) => whole.rows[kind]);
  const parts = weights.length;
  const slowest = (stageOf: Int32Array): number => {
    const loads = new Float64Array(parts);
    for (const [node, stage] of stageOf.entries()) loads[stage] += weights[stage][node];
    return loads.reduce((most, load) => Math.max(most, load), 0);
  };
  const cutOf = (order: Int32Array): Candidate => {
    const stageOf = stagesOf(order, inOrder(order));
    return { stageOf, slowest: slowest(stageOf) };
  };
  let least = leastPossible(dag, weights);
  let found = bestOrdered(request, weights[0], cutOf);
  const alike = weights.every((row) => row === weights[0]);
  if (found[0].slowest > least && alike) {
    const evened = found.slice(0, seeds).map(({ stageOf }) => {
      const share = { left: steps / (2 * seeds) };
      const better = evenOut(dag, weights[0], stageOf, parts, least, share);
      return { stageOf: better, slowest: slowest(better) };
    });
    found = [...found, ...evened].sort((a, b) => a.slowest - b.slowest);
  }
  if (found[0].slowest > least) {
    const exact = overAllSets(dag, weights, least, found[0].slowest);
    if (exact !== undefined) {
      least = Math.max(least, exact.slowest);
      // Stages of it may be empty; the best cut of its order is as fast where speeds are alike.
      if (exact.stageOf !== undefined) found = [cutOf(byStage(exact.stageOf)), ...found];
      found.sort((a, b) => a.slowest - b.slowest);
    }
  }
  const [best] = found;
  const stageOf = leastCrossing(
    { dag, weights, outputs, limit: best.slowest, budget: { left: steps / 2 } },
    found.filter((candidate) => candidate.slowest === best.slowest).map((candidate) => candidate.stageOf),
  );
  const order = byStage(stageOf);
  const starts = new Int32Array(parts);
  for (const stage of stageOf) if (stage + 1 < parts) starts[stage + 1] += 1;
  for (let stage = 1; stage < parts; stage += 1) starts[stage] += starts[stage - 1];
  const above = least > 0 ? best.slowest / least - 1 : 0;
  return { order, starts, least: least * whole.unit, above: above > rounding ? above : 0 };
}

interface Candidate {
  readonly stageOf: Int32Array;
  readonly slowest: number;
}

/** Less than this is no difference: weights are rounded. */
const rounding = 1e-11;

/** Cuts of good orders, the fastest first, the numbering's before others that are as fast. */
function bestOrdered(
  { dag, kinds }: DagCutRequest,
  weights: Float64Array,
  cutOf: (order: Int32Array) => Candidate,
): Candidate[] {
  const most = Math.max(1, Math.floor(mostOrdered / (dag.count * kinds.length)));
  return goodOrders(dag, weights, most)
    .map(cutOf)
    .sort((a, b) => a.slowest - b.slowest);
}

/** Of equally fast cuts the one that sends the least once layers have been moved; the first of equal ones. */
function leastCrossing(request: CrossingRequest, cuts: readonly Int32Array[]): Int32Array {
  const distinct = new Map(cuts.map((stageOf) => [stageOf.join(), stageOf]));
  const share = { left: request.budget.left / distinct.size };
  return [...distinct.values()]
    .map((given) => {
      const stageOf = lessCrossing({ ...request, budget: { ...share } }, given);
      return { stageOf, bytes: crossingBytes(request, stageOf) };
    })
    .reduce((best, each) => (each.bytes < best.bytes * (1 - 1e-9) ? each : best)).stageOf;
}

/** Layers that take no time go with what they need, so that only the others make sets. */
function overAllSets(dag: Dag, weights: readonly Float64Array[], least: number, known: number): FastestCut | undefined {
  if (dag.count > pairLimit) return undefined;
  const kept = Uint8Array.from({ length: dag.count }, (_, node) => (weights.some((row) => row[node] > 0) ? 1 : 0));
  const { dag: timed, nodes } = withoutNodes(dag, kept);
  const ideals = idealsOf(timed);
  if (ideals === undefined) return undefined;
  const rows = new Map(weights.map((row) => [row, Float64Array.from(nodes, (node) => row[node])]));
  const found = fastestCut(
    ideals,
    weights.map((row) => rows.get(row) ?? row),
    least,
    known,
  );
  if (found.stageOf === undefined) return found;
  const stageOf = new Int32Array(dag.count);
  for (const [index, node] of nodes.entries()) stageOf[node] = found.stageOf[index];
  for (let node = 0; node < dag.count; node += 1) {
    if (kept[node] === 1) continue;
    for (let at = dag.needs.from[node]; at < dag.needs.from[node + 1]; at += 1)
      stageOf[node] = Math.max(stageOf[node], stageOf[dag.needs.nodes[at]]);
  }
  return { slowest: found.slowest, stageOf };
}

/** Nodes by stage, by number within one. */
const byStage = (stageOf: Int32Array): Int32Array =>
  Int32Array.from({ length: stageOf.length }, (_, node) => node).sort((a, b) => stageOf[a] - stageOf[b] || a - b);

/** Stage of each node of an order, from the first positions. */
export function stagesOf(order: Int32Array, starts: ArrayLike<number>): Int32Array {
  const stageOf = new Int32Array(order.length);
  let stage = 0;
  for (const [index, element] of order.entries()) {
    while (stage + 1 < starts.length && index >= starts[stage + 1]) stage += 1;
    stageOf[element] = stage;
  }
  return stageOf;
}
