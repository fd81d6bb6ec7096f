import { type ModelDefinition, elementName, needsOf } from '../definitions/model.ts';
import type { ReadContext } from './context.ts';
import { circleNames, orderByNeed } from '../ordering.ts';

/** Reports `layer/cycle` and `layer/unreachable`; false where the layers cannot be ordered. */
export function checkGraph(
  context: ReadContext,
  model: ModelDefinition,
  options: { readonly sinks: 'one' | 'any' },
): boolean {
  if (model.after.size === 0) return true;
  const { circles } = orderByNeed(model.elements, (element) => needsOf(model, element));
  for (const circle of circles) {
    // From what is needed to what needs it: the way the data goes.
    const names = circle.map((member) => elementName(model, member)).toReversed();
    const [at, ...others] = circle.map((member) => model.layers[model.layerOf[member]].place);
    context.report.report(
      'layer/cycle',
      at,
      { circle: circleNames(names) },
      {
        related: others.slice(0, 10).map((place) => ({ place, message: 'Part of the cycle.' })),
      },
    );
  }
  if (circles.length > 0) return false;
  // A layer of another file that nothing uses is measured all the same.
  if (options.sinks === 'any') return true;
  const used = new Uint8Array(model.elements);
  for (let element = 0; element < model.elements; element += 1) {
    for (const need of needsOf(model, element)) used[need] = 1;
  }
  for (let element = 0; element < model.elements - 1; element += 1) {
    if (used[element] === 0) {
      context.report.report('layer/unreachable', model.layers[model.layerOf[element]].place, {
        layer: elementName(model, element),
      });
    }
  }
  return true;
}
