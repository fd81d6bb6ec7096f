import { type ModelDefinition, elementName, needsOf } from '../definitions/model.ts';
import type { ReadContext } from './context.ts';
import { circleNames, orderByNeed } from '../basics/ordering.ts';

/** Reports `layer/cycle` and `layer/unreachable`; false where the layers cannot be ordered. */
export function checkGraph(
  context: ReadContext,
  model: ModelDefinition,
  options: { readonly sinks: 'one' | 'any' },
): boolean {
  if (model.after.size === 0) return true;
  const { circles } = orderByNeed(model.elements, (element) => needsOf(model, element));
  const reported = new Set<string>();
  for (const circle of circles) {
    // One name of an array makes a circle through each of its layers.
    const layers = new Set(circle.map((member) => model.layerOf[member]));
    const mistake = [...layers].toSorted((a, b) => a - b).join();
    if (reported.has(mistake)) continue;
    reported.add(mistake);
    const edge = attendsIn(model, circle);
    // From what is needed to what needs it: the way the data goes.
    const names = circle.map((member) => elementName(model, member)).toReversed();
    const [at, ...others] = (edge === undefined ? [...layers] : [edge.by, ...layers].filter(isFirst)).map(
      (layer) => model.layers[layer].place,
    );
    context.report.report(
      'layer/cycle',
      at,
      {
        circle: circleNames(names),
        ...(edge === undefined ? {} : { attends: { by: model.layers[edge.by].name, to: edge.to } }),
      },
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

const isFirst = <T>(value: T, index: number, all: readonly T[]): boolean => all.indexOf(value) === index;

/** The layer of a circle that attends to another layer of it. */
function attendsIn(
  model: ModelDefinition,
  circle: readonly number[],
): { readonly by: number; readonly to: string } | undefined {
  const members = new Set(circle);
  for (const member of circle) {
    const by = model.layerOf[member];
    const { attends = [], count, first } = model.layers[by];
    const to = attends.find((element) => members.has(element));
    if (to === undefined) continue;
    const isSame = to >= first && to < first + count;
    return { by, to: isSame ? 'itself' : `"${elementName(model, to)}"` };
  }
  return undefined;
}
