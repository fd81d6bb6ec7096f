/** Cuts a model into stages: exactly balanced, or with given sizes. */
import type { Cut } from '../../definitions/cut.ts';
import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import { balancedStarts } from './balancedStarts.ts';
import { type Dag, dagOf, hasOneOrder } from './dag/graph.ts';
import { goodOrders } from './dag/orders.ts';
import { graphCut } from './graphCut.ts';
import { orderByNeed } from '../../ordering.ts';
import type { Searches } from '../../searches.ts';

/** Elements in an order in which each comes after those that it needs: as written where that is one. */
export function elementOrder(model: ModelDefinition): Int32Array {
  const written = Int32Array.from({ length: model.elements }, (_, index) => index);
  for (const [element, needs] of model.after) {
    if (needs.some((need) => need > element)) {
      return Int32Array.from(orderByNeed(model.elements, (each) => needsOf(model, each)).order);
    }
  }
  return written;
}

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

/** What a cut is made of. Kinds of devices are compared by identity. */
export interface CutRequest<Kind> {
  readonly model: ModelDefinition;
  /** The order from `elementOrder`. */
  readonly order: Int32Array;
  /** Device of each stage. */
  readonly kinds: readonly Kind[];
  /** Seconds of one microbatch, there and back. */
  time(element: number, kind: Kind): number;
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

/**
 * The cut whose slowest stage is as fast as can be, over all cuts in which stages need earlier ones only, as far as `above` says.
 * Layers of one stage keep their order. `undefined` if the cut is being found elsewhere.
 */
export function cutByTime<Kind>(
  searches: Searches,
  { model, order, kinds, time, output }: CutRequest<Kind>,
): OrderedCut | undefined {
  const dag = dagInOrder(model, order);
  if (dag === undefined || kinds.length === 1) return { order, starts: balancedStarts(order, kinds, time) };
  const rows = [...new Set(kinds)];
  const cut = searches.answer(graphCut, {
    dag,
    times: rows.map((kind) => Float64Array.from(order, (element) => time(element, kind))),
    kinds: Int32Array.from(kinds, (kind) => rows.indexOf(kind)),
    outputs: Float64Array.from(order, output),
  });
  if (cut === undefined) return undefined;
  return { order: cut.order.map((node) => order[node]), starts: Int32Array.from(cut.starts), above: cut.above };
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
