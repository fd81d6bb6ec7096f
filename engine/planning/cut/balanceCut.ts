/** Cuts a model into stages: exactly balanced, or with given sizes. */
import type { Cut } from '../../definitions/cut.ts';
import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import { recomputesBlock, type SomeLayers } from '../../costs/recompute.ts';
import { balancedStarts } from './balancedStarts.ts';
import { balanceRuns } from './balanceRuns.ts';
import { stagesOf } from './dag/cutDag.ts';
import { type Dag, dagOf, hasOneOrder } from './dag/graph.ts';
import { goodOrders } from './dag/orders.ts';
import { graphCut } from './graphCut.ts';
import type { Searches } from '../../basics/searches.ts';

/** A cut of a model into stages. */
export interface OrderedCut {
  /** Elements, stage by stage, each after those that it needs. */
  readonly order: Int32Array;
  /** First position of each stage. */
  readonly starts: Int32Array;
  /**
   * For a balanced cut whose layers have several possible orders: upper bound of the share by which its slowest stage exceeds the
   * least possible. 0: no cut is faster.
   */
  readonly above?: number;
}

/** Stages that recompute some of their layers, counted from the first one of each stage. */
export interface RecomputedStages<Kind> {
  /** `block` or `every`. */
  readonly some: SomeLayers;
  /** Whether an element is a block: a layer that `some` can choose. */
  isBlock(element: number): boolean;
  /** Seconds that it takes longer if it is recomputed. */
  time(element: number, kind: Kind): number;
}

/** What a cut is made of. Kinds of devices are compared by identity. */
export interface CutRequest<Kind> {
  readonly model: ModelDefinition;
  /** The order from `elementOrder`. */
  readonly order: Int32Array;
  /** Device of each stage. */
  readonly kinds: readonly Kind[];
  /** Seconds of one microbatch, there and back; without what `recomputed` adds. */
  time(element: number, kind: Kind): number;
  /** Only if the layers that a stage recomputes follow from the cut. */
  readonly recomputed?: RecomputedStages<Kind>;
  /** Bytes that it sends on. */
  output(element: number): number;
}

/** The cut by sizes, or the cut by time; `undefined` if it is being found elsewhere. */
export function cutOf<Kind>(searches: Searches, cut: Cut, request: CutRequest<Kind>): OrderedCut | undefined {
  if (cut.kind !== 'split') return cutByTime(searches, request);
  const starts = new Int32Array(cut.sizes.length);
  for (let stage = 1; stage < starts.length; stage += 1) starts[stage] = starts[stage - 1] + cut.sizes[stage - 1];
  return { order: request.order, starts };
}

/** Orders of a graph that are cut if its stages recompute some of their layers. */
const mostOrders = 16;

/**
 * The cut whose slowest stage is as fast as can be, over all cuts in which stages need earlier ones only, as far as `above` says.
 * Layers of one stage keep their order. `undefined` if the cut is being found elsewhere.
 */
export function cutByTime<Kind>(searches: Searches, request: CutRequest<Kind>): OrderedCut | undefined {
  const { model, order, kinds, time, output, recomputed } = request;
  const dag = dagInOrder(model, order);
  if (dag === undefined || kinds.length === 1) return { order, starts: startsInOrder(request, order) };
  const rows = [...new Set(kinds)];
  const cut = searches.answer(graphCut, {
    dag,
    times: rows.map((kind) => Float64Array.from(order, (element) => time(element, kind))),
    kinds: Int32Array.from(kinds, (kind) => rows.indexOf(kind)),
    outputs: Float64Array.from(order, output),
  });
  if (cut === undefined) return undefined;
  const found = { order: cut.order.map((node) => order[node]), starts: Int32Array.from(cut.starts), above: cut.above };
  if (recomputed === undefined) return found;
  // Searches over sets of layers add up seconds, so they leave out what a stage recomputes; no cut is faster than without it.
  const candidates = [found.order, ...ordersToCut(request, mostOrders)].map((elements) => {
    const starts = startsInOrder(request, elements);
    return { order: elements, starts, slowest: slowestStage(request, { order: elements, starts }) };
  });
  const best = candidates.reduce((fastest, each) => (each.slowest < fastest.slowest ? each : fastest));
  const above = cut.least > 0 ? best.slowest / cut.least - 1 : 0;
  return { order: best.order, starts: best.starts, above: above > rounding ? above : 0 };
}

/** Less than this is no difference. */
const rounding = 1e-11;

/** First positions of the best cut of one order of the elements. */
export function startsInOrder<Kind>(
  { kinds, time, recomputed }: Pick<CutRequest<Kind>, 'kinds' | 'time' | 'recomputed'>,
  order: Int32Array,
): Int32Array {
  if (recomputed === undefined) return balancedStarts(order, kinds, time);
  const rows = [...new Set(kinds)];
  return balanceRuns({
    some: recomputed.some,
    blocks: Uint8Array.from(order, (element) => (recomputed.isBlock(element) ? 1 : 0)),
    rows: rows.map((kind) => ({
      times: Float64Array.from(order, (element) => time(element, kind)),
      again: Float64Array.from(order, (element) => recomputed.time(element, kind)),
    })),
    kinds: kinds.map((kind) => rows.indexOf(kind)),
  });
}

/** Seconds of the slowest stage of a cut. */
export function slowestStage<Kind>(
  { order: written, kinds, time, recomputed }: CutRequest<Kind>,
  { order, starts }: Pick<OrderedCut, 'order' | 'starts'>,
): number {
  const stageOf = stagesOf(order, starts);
  const seconds = new Float64Array(kinds.length);
  const blocks = new Int32Array(kinds.length);
  for (const element of written) {
    const stage = stageOf[element];
    seconds[stage] += time(element, kinds[stage]);
    if (recomputed?.isBlock(element) !== true) continue;
    blocks[stage] += 1;
    if (recomputesBlock(recomputed.some, blocks[stage])) seconds[stage] += recomputed.time(element, kinds[stage]);
  }
  return seconds.reduce((most, each) => Math.max(most, each), 0);
}

/** Orders of the elements that may have a good cut: the given order, and others if there are any, at most `most` of them. */
export function ordersToCut<Kind>(
  { model, order, kinds, time }: CutRequest<Kind>,
  most: number,
): readonly Int32Array[] {
  const dag = most > 1 ? dagInOrder(model, order) : undefined;
  if (dag === undefined) return [order];
  const weights = Float64Array.from(order, (element) => time(element, kinds[0]));
  return goodOrders(dag, weights, most).map((nodes) => nodes.map((node) => order[node]));
}

/** Layers and their needs, numbered by position; `undefined` if they have only one possible order. */
function dagInOrder(model: ModelDefinition, order: Int32Array): Dag | undefined {
  if (model.after.size === 0) return undefined;
  const positions = new Int32Array(order.length);
  for (const [position, element] of order.entries()) positions[element] = position;
  const dag = dagOf(order.length, (node) => needsOf(model, order[node]).map((element) => positions[element]));
  return hasOneOrder(dag) ? undefined : dag;
}
