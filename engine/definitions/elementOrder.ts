import { orderByNeed } from '../basics/ordering.ts';
import { type ModelDefinition, needsOf } from './model.ts';

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
