/** Which layers have gradients in a model of which not all trains. */
import type { LayerTraining } from '../../costs/types.ts';
import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import { elementOrder } from '../../definitions/elementOrder.ts';

export interface Trained {
  /** What of an element trains; `undefined`: all, as in a model without frozen layers. */
  of(element: number): LayerTraining | undefined;
  /** Whether an element attends to tokens of another tower that no gradient goes back to. */
  attendedFrozen(element: number): boolean;
  /** Whether a gradient comes back to the output of an element: the element trains, or one before it. */
  returns(element: number): boolean;
}

const all: Trained = { of: () => undefined, attendedFrozen: () => false, returns: () => true };

/** A layer without weights trains nothing. Linear in the elements and what they need. */
export function trainedOf(model: ModelDefinition): Trained {
  const { layers, layerOf, frozen } = model;
  if (frozen === undefined && layers.every(({ trains }) => trains === undefined)) return all;
  const trainsOf = (element: number): LayerTraining['trains'] =>
    frozen?.has(element) === true ? 'nothing' : (layers[layerOf[element]].trains ?? 'all');
  const weightless = layers.map(
    ({ cost }) =>
      cost.kind === 'shape' &&
      (cost.shape === 'matmul' || (cost.shape === 'custom' && (cost.args['params'] ?? 0) === 0)),
  );
  const upstream = new Uint8Array(model.elements);
  const returning = new Uint8Array(model.elements);
  for (const element of elementOrder(model)) {
    const needs = needsOf(model, element);
    upstream[element] = needs.some((need) => returning[need] === 1) ? 1 : 0;
    const learns = trainsOf(element) !== 'nothing' && !weightless[layerOf[element]];
    returning[element] = upstream[element] === 1 || learns ? 1 : 0;
  }
  return {
    of(element) {
      const trains = weightless[layerOf[element]] && upstream[element] === 0 ? 'nothing' : trainsOf(element);
      // What reads the data has no gradient of its input to leave out.
      if (trains === 'all' && needsOf(model, element).length === 0) return undefined;
      return { trains, upstream: upstream[element] === 1 };
    },
    attendedFrozen: (element) => layers[layerOf[element]].attends?.every((other) => returning[other] === 0) ?? false,
    returns: (element) => returning[element] === 1,
  };
}
