import type { Uncut } from '../../definitions/pipeline.ts';
import { dagOf } from './dag/graph.ts';
import { needsOf } from '../../definitions/model.ts';
import type { PlannerLayers } from './planners/layers.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import type { LayerCosts } from '../cost/layerCosts.ts';
import type { Site } from '../place/sites.ts';
import { stageSeconds } from './stageSeconds.ts';
import { staticBytes } from '../cost/stagePlans.ts';

/** Costs of the layers, in `order`, on a kind of device, as planners want them. */
export function plannerCosts(
  { model, optimizer }: Uncut,
  costs: LayerCosts,
  order: Int32Array,
  kind: Site,
  mode: RecomputeMode,
): PlannerLayers {
  const all = Array.from(order, (element) => costs.of(element, kind, mode));
  const { recomputed } = stageSeconds(model, costs, mode);
  const position = new Int32Array(order.length);
  for (const [at, element] of order.entries()) position[element] = at;
  // A layer's output crosses all cuts up to the last layer that needs it.
  const last = Int32Array.from(position);
  for (const element of order)
    for (const needed of needsOf(model, element)) last[needed] = Math.max(last[needed], position[element]);
  const crossing = new Float64Array(order.length + 1);
  for (const element of order)
    for (let cut = position[element] + 1; cut <= last[element]; cut += 1) crossing[cut] += costs.output(element, kind);
  return {
    count: order.length,
    forward: Float64Array.from(all, (layerCost) => layerCost.forward),
    backward: Float64Array.from(
      all,
      (layerCost) => layerCost.backwardInput + layerCost.backwardWeight + layerCost.recompute,
    ),
    ...(recomputed === undefined
      ? {}
      : {
          recomputed: {
            some: recomputed.some,
            blocks: Uint8Array.from(order, (element) => (recomputed.isBlock(element) ? 1 : 0)),
            seconds: Float64Array.from(order, (element) => recomputed.time(element, kind)),
          },
        }),
    gradients: Float64Array.from(all, (layerCost) => staticBytes(layerCost, kind, { model, optimizer }).gradients),
    crossing,
    outputs: Float64Array.from(order, (element) => costs.output(element, kind)),
    needs: dagOf(order.length, (at) => needsOf(model, order[at]).map((needed) => position[needed])).needs,
  };
}
