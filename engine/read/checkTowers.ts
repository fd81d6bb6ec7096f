/** Layers that attend to another tower, whose tokens are not as many or as wide as they say. */
import { elementName, type LayerDefinition, type ModelDefinition } from '../definitions/model.ts';
import type { ReadContext } from './context.ts';

/** Whether every `cross` is the tokens of the layers in `attends`; what is wrong has been reported. */
export function checkTowers(context: ReadContext, model: ModelDefinition): boolean {
  let right = true;
  for (const { name, place, cost, attends } of model.layers) {
    if (attends === undefined || cost.kind === 'measured') continue;
    const { cross, cross_hidden: width = cost.args['hidden'] } = cost.args;
    const named = attends.map((element) => elementName(model, element)).join(', ');
    const outputs = attends.map((element) => outputOf(model, model.layers[model.layerOf[element]]));
    const tokens = outputs.reduce((sum, output) => sum + (output?.tokens ?? NaN), 0) / (cost.images ?? 1);
    const other = outputs.find((output) => output !== undefined && output.width !== width);
    const problem =
      typeof cross === 'number' && tokens !== cross && !Number.isNaN(tokens)
        ? `\`cross = ${cross}\`, and ${named} has ${tokens} tokens`
        : other === undefined
          ? undefined
          : `tokens ${String(width)} wide for keys and values, and ${named} is ${other.width} wide`;
    if (problem === undefined) continue;
    context.report.report('type/mismatch', place, {
      expected: 'the tokens that the layer attends to',
      found: `layer "${name}" with ${problem}`,
    });
    right = false;
  }
  return right;
}

/** Tokens of a sample that a layer sends on, and their width; `undefined` if the file does not say. */
function outputOf(
  { sequence = 1 }: ModelDefinition,
  { cost }: LayerDefinition,
): { readonly tokens: number; readonly width: number } | undefined {
  if (cost.kind === 'measured') return undefined;
  const { tokens = sequence, images = 1, args } = cost;
  const width = args['hidden'] ?? args['outputs'];
  const counted = cost.shape !== 'conv2d' && !(cost.shape === 'linear' && 'tokens' in args);
  return typeof width === 'number' && counted ? { tokens: tokens * images, width } : undefined;
}
