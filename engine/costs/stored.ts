/** Number formats that a forward stores for the backward, where products with weights are in fp8 or fp4. */
import { elementBytes } from './precision.ts';
import { flagOf, type ShapeArguments } from './shape.ts';
import type { LayerSetting, StoredFormat } from './types.ts';

/**
 * Recipes by name: bytes of an element of a product's input, scales included. One scale for a tensor is not counted. Blocks of 1 × 128
 * have a scale in fp32, blocks of 32 one byte (Transformer Engine, `Float8BlockScaling`, `MXFP8BlockScaling`).
 * `nvfp4` has half a byte, and a scale of one byte for 16 elements (`NVFP4BlockScaling`).
 */
const inputBytes = {
  ...{ delayed: 1, current: 1, blockwise: 1 + 4 / 128, mxfp8: 1 + 1 / 32, deepseek_v3: 1 + 4 / 128 },
  nvfp4: 1 / 2 + 1 / 16,
};

export const storedRecipes = ['current', 'delayed', 'blockwise', 'mxfp8', 'deepseek_v3'] as const;
/** Of `activations = fp4`. */
export const fp4Recipes = ['nvfp4'] as const;
export type StoredRecipe = (typeof storedRecipes)[number] | (typeof fp4Recipes)[number];

/**
 * `deepseek_v3` (arXiv:2412.19437, section 3.3.3): inputs of the activation function in fp8, its result recomputed, the result of
 * attention once, in 12 bits; tokens go to their experts in fp8.
 */
export function storedFormat(
  recipe: StoredRecipe,
  more: { readonly gate: boolean; readonly dispatch: boolean },
): StoredFormat {
  const input = inputBytes[recipe];
  const deepseek = recipe === 'deepseek_v3';
  return {
    recipe,
    input,
    ...(deepseek || more.gate ? { gate: input } : {}),
    ...(deepseek ? { attended: 1.5 + 4 / 128, remakes: true } : {}),
    ...(deepseek || more.dispatch ? { dispatch: input } : {}),
  };
}

/** Bytes of inputs of products, where `bytes` is their size at the precision. */
export const storedInput = ({ stored, precision }: LayerSetting, bytes: number): number =>
  stored === undefined ? bytes : (bytes * stored.input) / elementBytes(precision);

/** Of inputs of the activation function of an MLP. */
export const storedGate = ({ stored, precision }: LayerSetting, bytes: number): number =>
  stored?.gate === undefined ? bytes : (bytes * stored.gate) / elementBytes(precision);

/**
 * Of the result of attention. FlashAttention reads it in its backward, in 16 bits, and the weight gradient of the projection reads it
 * in fp8: both are kept, unless the recipe has one format for both.
 */
export function storedAttended(args: ShapeArguments, setting: LayerSetting, bytes: number): number {
  const { stored, precision } = setting;
  if (stored === undefined) return bytes;
  if (stored.attended !== undefined) return (bytes * stored.attended) / elementBytes(precision);
  return (flagOf(args, 'flash', false) ? bytes : 0) + storedInput(setting, bytes);
}

/** Of tokens sent to experts there and back: there in fp8, the results in 16 bits. Of gradients it is the same. */
export const storedDispatch = ({ stored, precision }: LayerSetting, bytes: number): number =>
  stored?.dispatch === undefined ? bytes : (bytes * (1 + stored.dispatch / elementBytes(precision))) / 2;
