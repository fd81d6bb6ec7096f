/** Layers that read tokens of another width, or other tokens, than the only layer before them gives. */
import { type LayerDefinition, type ModelDefinition, elementName, needsOf } from '../definitions/model.ts';
import type { ReadContext } from './context.ts';

/** Tokens of a sample, and their width. */
interface Tokens {
  readonly tokens: number;
  readonly width: number;
}

/** Reports `layer/width`. Only what cannot fit is reported: of what merges, drops or pads tokens, the file says nothing. */
export function checkWidths(context: ReadContext, model: ModelDefinition): void {
  for (const layer of model.layers) {
    const needs = needsOf(model, layer.first);
    if (needs.length !== 1) continue;
    const before = model.layers[model.layerOf[needs[0]]];
    const [given, read] = [outputOf(model, before), inputOf(model, layer)];
    if (given === undefined || read === undefined || fits(before, given, layer, read)) continue;
    context.report.report(
      'layer/width',
      layer.place,
      { layer: elementName(model, layer.first), read, before: elementName(model, needs[0]), given },
      { related: [{ place: before.place, message: `Gives ${given.tokens} tokens, ${given.width} wide.` }] },
    );
  }
}

function fits(before: LayerDefinition, given: Tokens, layer: LayerDefinition, read: Tokens): boolean {
  const product = shapeOf(before) === 'linear';
  if (read.width === given.width) {
    // Fewer tokens may be dropped or pooled, a few more are padding, and text may join what a projector gives.
    const repeated = read.tokens > given.tokens && read.tokens % given.tokens === 0;
    return product || !repeated || layer.cost.kind === 'measured' || layer.cost.tokens === undefined;
  }
  // Products may be branches of one input, or halves of a gate.
  if (product && (shapeOf(layer) === 'linear' || shapeOf(layer) === 'norm')) return true;
  const [elements, made] = [read.tokens * read.width, given.tokens * given.width];
  if (elements === made) return true;
  // A product may read the outputs of several layers side by side.
  if (read.tokens === given.tokens) return shapeOf(layer) === 'linear' && read.width % given.width === 0;
  const whole = read.width % given.width === 0 || given.width % read.width === 0;
  // A merge may leave tokens out, such as a class token, or have a few of padding.
  return whole && elements < 2 * made;
}

const shapeOf = ({ cost }: LayerDefinition): string | undefined => (cost.kind === 'shape' ? cost.shape : undefined);

const tokensOf = (model: ModelDefinition, layer: LayerDefinition, argument: string): Tokens | undefined => {
  const { cost } = layer;
  if (cost.kind === 'measured' || 'tokens' in cost.args) return undefined;
  const { tokens = model.sequence, images = 1, args } = cost;
  const width = args[argument];
  return typeof width === 'number' && tokens !== undefined ? { tokens: tokens * images, width } : undefined;
};

/** Shapes whose `hidden` is the width of their input alone, or of their output alone. */
const withoutOutput = new Set(['lm_head']);
const withoutInput = new Set(['embedding', 'patch_embedding']);

function outputOf(model: ModelDefinition, layer: LayerDefinition): Tokens | undefined {
  const shape = shapeOf(layer);
  if (shape === undefined || withoutOutput.has(shape)) return undefined;
  return tokensOf(model, layer, shape === 'linear' ? 'outputs' : 'hidden');
}

/** A layer that attends to others may have its input from elsewhere, such as learned queries. */
function inputOf(model: ModelDefinition, layer: LayerDefinition): Tokens | undefined {
  const shape = shapeOf(layer);
  if (shape === undefined || withoutInput.has(shape) || layer.attends !== undefined) return undefined;
  if (layer.cost.kind === 'shape' && 'cross' in layer.cost.args) return undefined;
  return tokensOf(model, layer, shape === 'linear' ? 'inputs' : 'hidden');
}
