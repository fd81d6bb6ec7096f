import { type ModelDefinition, numberOfFirst } from '../definitions/model.ts';
import type { Entry } from '../../grammar/syntax.ts';
import { symbolId } from '../language/context.ts';
import type { ReadContext } from './context.ts';
import { memberId } from '../language/declare.ts';
import { valueOf } from '../language/keys.ts';
import { nameIn } from './base.ts';
import { paths } from '../values/plan.ts';

/** The model whose layers `from = NAME` takes; `undefined` where that is no model, which has been reported, or is wrong itself. */
export function baseOf(context: ReadContext, from: Entry | undefined): ModelDefinition | undefined {
  const name = nameIn(valueOf(from));
  return name === undefined ? undefined : context.models.get(symbolId('model', name.text));
}

/** The layers of another model as layers of `owner`; their place is the place of `from`. */
export function inheritLayers(
  context: ReadContext,
  base: ModelDefinition,
  owner: string,
  from: Entry,
): Pick<ModelDefinition, 'layers' | 'elements' | 'layerOf' | 'after'> {
  const place = context.report.place(valueOf(from) ?? from);
  const { layers, elements, layerOf, after } = base;
  for (const layer of layers) {
    const { name, array, count } = layer;
    context.origins.set(paths.layer(owner, name), place);
    for (let i = 0; array && i < count; i += 1)
      context.origins.set(paths.layer(owner, `${name}[${i + numberOfFirst(layer)}]`), place);
  }
  return {
    layers: layers.map((layer) => ({
      ...layer,
      symbol: memberId('layer', symbolId('model', owner), layer.name),
      place,
      end: from.end,
    })),
    elements,
    layerOf,
    after,
  };
}
