/** Elements of a model: its layers with arrays spread out. */
import type { ModelDefinition } from './definitions.ts';

/** Name of an element as shown: `embed`, `block[3]`. */
export function elementName(model: ModelDefinition, element: number): string {
  const layer = model.layers[model.layerOf[element]];
  return layer.array ? `${layer.name}[${element - layer.first}]` : layer.name;
}

const nothing: readonly number[] = [];

/** Elements that an element needs: those of its `after`, else the one above it. */
export const needsOf = (model: ModelDefinition, element: number): readonly number[] =>
  model.after.get(element) ?? (element === 0 ? nothing : [element - 1]);
