/** The norm before one half of a transformer layer, as recomputation of modules sees it. */
import { moves } from './kernels.ts';
import { hiddenOf, type ModuleTable, parts, tokensOf, wholeRanks } from './layerPart.ts';
import { normPlace } from './norm.ts';
import { elementBytes } from './precision.ts';
import type { ShapeArguments } from './shape.ts';
import type { Kernel, LayerSetting } from './types.ts';

/** It reads and writes one tensor. With `norm_place = after` there is none. */
export function normBefore(args: ShapeArguments, setting: LayerSetting): readonly Kernel[] {
  const bytes = (tokensOf(setting) * elementBytes(setting.precision) * hiddenOf(args)) / wholeRanks(setting);
  return normPlace(args).before > 0 ? [moves(2 * bytes)] : [];
}

/**
 * The norms before latent attention and experts are modules: `layernorm` drops the result of one, which has `bytes` of a token. Any other is
 * part of the module of the product behind it, and `layernorm` leaves it alone (Megatron-LM, `gpt_layer_specs.py`:
 * `TELayerNormColumnParallelLinear`, with `IdentityOp` in the place of the norm).
 */
export function ownNorm(args: ShapeArguments, setting: LayerSetting, bytes: number): ModuleTable {
  const kernels = normBefore(args, setting);
  return kernels.length > 0 ? { layernorm: { frees: { [parts.linearInputs]: bytes }, kernels: () => kernels } } : {};
}
