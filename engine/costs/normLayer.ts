import { moves } from './kernels.ts';
import { hiddenOf, parts, tokensOf, wholeRanks } from './layerPart.ts';
import { normParameter, normParameters } from './norm.ts';
import { elementBytes } from './precision.ts';
import { type ShapeArguments, type ShapeSchema, wordOf } from './shape.ts';
import { trainsWeights } from './training.ts';
import type { LayerSetting, ShapeCost } from './types.ts';

/** A normalisation by itself, such as the last one of an encoder. */
export const norm: ShapeSchema = {
  name: 'norm',
  doc: 'A normalisation as a layer, such as the last one of an encoder.',
  parameters: [
    { name: 'hidden', kind: 'integer', example: 4096, doc: 'width of a token' },
    normParameter('kind of normalisation'),
  ],
  cost: costOfNorm,
};

/**
 * It reads and writes every token. Its backward is one kernel, which makes both gradients: all of it counts as the input gradient.
 * Recomputation leaves it alone, since it keeps only its input.
 */
function costOfNorm(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const hidden = hiddenOf(args);
  const bytes = (tokensOf(setting) * hidden * elementBytes(setting.precision)) / wholeRanks(setting);
  const parameters = normParameters(wordOf(args, 'norm', 'layernorm'), hidden);
  return {
    parameters,
    localParameters: parameters,
    linearFlops: 0,
    coreFlops: 0,
    traffic: 2 * bytes,
    activation: bytes,
    activationParts: { [parts.norms]: bytes },
    activationForWeight: trainsWeights(setting) ? 2 * bytes : 0,
    recomputed: 0,
    recomputeFlops: 0,
    output: bytes,
    workspace: 0,
    collectives: [],
    kernels: () => [moves(2 * bytes)],
    weightless: true,
  };
}
