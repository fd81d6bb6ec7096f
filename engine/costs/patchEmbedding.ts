import { moves, product } from './kernels.ts';
import { addParts, parts, tokensOf, wholeRanks } from './layerPart.ts';
import { normParameter, normParameters, norms } from './norm.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeSchema, wordOf } from './shape.ts';
import { trainsWeights } from './training.ts';
import type { LayerSetting, ShapeCost } from './types.ts';

/** The first layer of a vision transformer: every patch of an image becomes a token. */
export const patchEmbedding: ShapeSchema = {
  name: 'patch_embedding',
  doc: 'The first layer of a vision transformer: each patch of an image becomes a token. Set `tokens` of the layer to the tokens of an image.',
  parameters: [
    { name: 'patch', kind: 'integer', example: 14, doc: 'side of a patch in pixels' },
    { name: 'hidden', kind: 'integer', example: 1024, doc: 'width of a token' },
    { name: 'channels', kind: 'integer', default: 3, doc: 'channels of a pixel' },
    { name: 'frames', kind: 'integer', default: 1, doc: 'frames that a patch covers; 2 in Qwen2-VL' },
    { name: 'bias', kind: 'boolean', default: true, doc: 'a bias for each output' },
    {
      name: 'class_tokens',
      kind: 'integer',
      default: 0,
      min: 0,
      doc: 'learned tokens of an image that are no patches: 1 in CLIP. They are among `tokens`',
    },
    { name: 'positions', kind: 'integer', default: 0, min: 0, doc: 'learned positions; 0 for rotary or none' },
    normParameter('normalisation behind the patches', [...norms, 'none'], 'none'),
    {
      name: 'scales',
      kind: 'integer',
      default: 0,
      min: 0,
      doc: 'learned numbers that scale positions: 3 in Llama 3.2 Vision',
    },
  ],
  cost: costOfPatches,
};

/**
 * A product of all pixels of a patch, as wide as kernel² · channels · frames (Dosovitskiy et al., arXiv:2010.11929, equation 1). Tensor
 * ranks all embed every patch (Megatron-LM, `CLIPViTModel`), or with sequence parallelism a part of the tokens each.
 */
function costOfPatches(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const hidden = numberOf(args, 'hidden', 1);
  const pixels = numberOf(args, 'patch', 1) ** 2 * numberOf(args, 'channels', 3) * numberOf(args, 'frames', 1);
  const classes = numberOf(args, 'class_tokens', 0);
  const element = elementBytes(setting.precision);
  const tokens = tokensOf(setting) / wholeRanks(setting);
  const patches = tokens * Math.max(0, 1 - classes / setting.sequence);
  const matrix = pixels * hidden;
  const ofNorm = normParameters(wordOf(args, 'norm', 'none'), hidden);
  const positions = numberOf(args, 'positions', 0) * hidden;
  const parameters =
    matrix +
    (flagOf(args, 'bias', true) ? hidden : 0) +
    classes * hidden +
    positions +
    ofNorm +
    numberOf(args, 'scales', 0);
  const linearFlops = 2 * patches * matrix;
  const output = tokens * hidden * element;
  const read = trainsWeights(setting) ? patches * pixels * element : 0;
  const normed = ofNorm > 0 ? output : 0;
  const repeated = setting.sequenceParallel ? 0 : linearFlops * (1 - 1 / setting.tensor);
  const embeds = product([patches, pixels, hidden], element);
  const others = [...(positions > 0 ? [moves(2 * output)] : []), ...(normed > 0 ? [moves(2 * output)] : [])];
  return {
    parameters,
    localParameters: parameters,
    linearFlops,
    coreFlops: 0,
    ...(repeated > 0 ? { spareFlops: repeated } : {}),
    traffic: embeds.bytes + others.reduce((sum, { bytes }) => sum + bytes, 0),
    activation: read + normed,
    activationParts: addParts({ [parts.linearInputs]: read, [parts.norms]: normed }),
    activationForWeight: trainsWeights(setting) ? read + output : 0,
    recomputed: 0,
    recomputeFlops: 0,
    output,
    workspace: 0,
    single: true,
    collectives: [],
    kernels: () => [embeds, ...others],
  };
}
