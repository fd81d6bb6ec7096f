/** `loss` and `pad` of a model: arguments of its shapes that a training decides, and not the model. */
import { table } from '../basics/table.ts';
import { lossParameter } from '../costs/loss.ts';
import type { ShapeArguments, ShapeParameter } from '../costs/shape.ts';
import { takesArgument } from '../costs/shapes.ts';
import { padParameter } from '../costs/vocabulary.ts';
import type { LayerDefinition } from '../definitions/model.ts';
import { type Keys, notApplicable, valueOf } from '../language/keys.ts';
import type { ReadContext } from './context.ts';
import { readShapeArgument } from './shape.ts';

const decided = table<ShapeParameter>({ loss: lossParameter, pad: padParameter });

const takes = ({ cost }: Pick<LayerDefinition, 'cost'>, name: string): boolean =>
  cost.kind === 'shape' && takesArgument(cost.shape, name);

/** The arguments that a model writes; undefined where one is wrong, which has been reported. */
export function readDecided(context: ReadContext, keys: Keys): ShapeArguments | undefined {
  const args: Record<string, ShapeArguments[string]> = {};
  for (const [name, parameter] of Object.entries(decided)) {
    const entry = keys.find(name);
    if (entry === undefined) continue;
    const value = valueOf(entry);
    const read = value === undefined ? undefined : readShapeArgument(context, value, parameter);
    if (read === undefined) return undefined;
    args[name] = read;
  }
  return args;
}

/** The layers with what the model decides. Layers `from` elsewhere cannot be written otherwise, so the model overrides them. */
export function withDecided<Layer extends Pick<LayerDefinition, 'cost'>>(
  context: ReadContext,
  keys: Keys,
  layers: readonly Layer[],
  args: ShapeArguments,
): readonly Layer[] {
  for (const name of Object.keys(args)) {
    const entry = keys.find(name);
    if (entry !== undefined && !layers.some((layer) => takes(layer, name)))
      notApplicable(context, entry, 'no layer of the model has a vocabulary');
  }
  const isTaken = keys.find('from') !== undefined;
  return layers.map((layer) => {
    const { cost } = layer;
    const own = Object.entries(args).filter(([name]) => takes(layer, name));
    if (cost.kind !== 'shape' || own.length === 0) return layer;
    const decides = Object.fromEntries(own);
    return { ...layer, cost: { ...cost, args: isTaken ? { ...cost.args, ...decides } : { ...decides, ...cost.args } } };
  });
}
