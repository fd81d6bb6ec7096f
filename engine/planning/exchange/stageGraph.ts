/** Which layers of a stage need which, for rules that order pulls by what a graph needs. */
import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import { orderByNeed } from '../../basics/ordering.ts';
import type { StageGraph } from '../../values/exchangePlan.ts';

/** By layer of a stage, the layers of the same stage that it needs, as numbers within the stage. */
export type StageNeeds = readonly (readonly number[])[];

/** `elements` are the layers of the stage. What other stages send is there before the stage begins. */
export function stageNeeds(model: ModelDefinition, elements: readonly number[]): StageNeeds {
  const numbers = new Map(elements.map((element, layer) => [element, layer]));
  return elements.map((element) => needsOf(model, element).flatMap((needed) => numbers.get(needed) ?? []));
}

/**
 * The graph of a stage. `forward`: seconds of its layers, or any unit. `tensorsOf`: numbers of the tensors of a layer. `undefined` for a
 * chain, which runs layer by layer anyway.
 */
export function stageGraph(
  stage: number,
  needs: StageNeeds,
  forward: readonly number[],
  tensorsOf: (layer: number) => readonly number[],
): StageGraph | undefined {
  if (
    needs.every((needed, layer) => needed.length === Math.min(layer, 1) && needed.every((other) => other === layer - 1))
  )
    return undefined;
  const whole = forward.reduce((sum, seconds) => sum + seconds, 0);
  // A file may list a layer before one that it needs.
  const order = inOrderOfNeed(needs);
  const places = new Map(order.map((layer, place) => [layer, place]));
  return {
    stage,
    shares: order.map((layer) => (whole > 0 ? forward[layer] / whole : 0)),
    needs: order.map((layer) => needs[layer].flatMap((needed) => places.get(needed) ?? [])),
    tensors: order.map(tensorsOf),
  };
}

function inOrderOfNeed(needs: StageNeeds): readonly number[] {
  if (needs.some((needed, layer) => needed.some((other) => other > layer)))
    return orderByNeed(needs.length, (layer) => needs[layer]).order;
  return needs.map((_, layer) => layer);
}
