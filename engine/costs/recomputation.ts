/** What a transformer layer keeps under recomputation, and what its backward makes again. */
import { addParts, type LayerPart, parts, scaleParts, sumParts, tokensOf } from './layerPart.ts';
import { withinBudget } from './activationBudget.ts';
import { byOperation } from './operations.ts';
import { budgetIn } from './recompute.ts';
import { chosenModules, freed, joinTables, repeatsOf, without } from './repeats.ts';
import type { Kernel, LayerSetting, Parts, ShapeCost } from './types.ts';

/** A layer before anything of it is recomputed. */
interface Layer {
  readonly setting: LayerSetting;
  readonly halves: readonly LayerPart[];
  /** The kernels of the norms before branches; the results of norms after them are not kept. */
  readonly norms: readonly Kernel[];
  /** Bytes that stay if nothing is recomputed, bytes of the layer's input, and of another tower's tokens that it reads. */
  readonly keeps: Parts;
  readonly input: number;
  readonly crossInput: number;
  readonly linearFlops: number;
  readonly coreFlops: number;
}

type Remaining = Pick<
  ShapeCost,
  'activation' | 'activationParts' | 'crossInput' | 'recomputed' | 'recomputeFlops' | 'repeats'
>;

/** What stays under the recomputation of the setting, and what the backward makes again. */
export function recomputation(layer: Layer): Remaining {
  const { recompute } = layer.setting;
  // What a layer reads stays if the layer runs again. Otherwise W keeps it, if it keeps it in the format in which it arrives.
  const reads = recompute === 'full' || recompute === 'operations' || budgetIn(recompute) !== undefined;
  const held = layer.halves.reduce((sum, half) => sum + (half.crossInput ?? 0), 0);
  const crossInput = reads ? layer.crossInput : tokensOf(layer.setting) * held;
  return { ...remaining(layer), ...(crossInput > 0 ? { crossInput } : {}) };
}

function remaining(layer: Layer): Remaining {
  const { setting, halves, norms, keeps, input, crossInput, linearFlops, coreFlops } = layer;
  const { recompute } = setting;
  const tokens = tokensOf(setting);
  const all = sumParts(keeps);
  if (recompute === 'full')
    return {
      activation: input + crossInput,
      activationParts: addParts({ [parts.input]: input, [parts.crossInput]: crossInput }),
      recomputed: Math.max(0, all - input - crossInput),
      recomputeFlops: linearFlops + coreFlops,
    };
  const { [parts.scores]: scores = 0, ...others } = keeps;
  // FlashAttention makes scores again by itself, so selective recomputation has nothing to do there.
  if (recompute === 'selective')
    return {
      activation: all - scores,
      activationParts: others,
      recomputed: scores,
      recomputeFlops: scores > 0 ? coreFlops : 0,
    };
  const budget = budgetIn(recompute);
  if (recompute === 'operations' || budget !== undefined) {
    const ofToken = { all: scaleParts(keeps, 1 / tokens), input: input / tokens, tokens };
    const choice = budget === undefined ? undefined : withinBudget(halves, ofToken, budget);
    const { keeps: kept, recomputed, repeats } = byOperation(halves, norms, ofToken, choice);
    return {
      activation: sumParts(kept),
      activationParts: kept,
      recomputed,
      recomputeFlops: repeats.linearFlops + repeats.coreFlops,
      repeats,
    };
  }
  // Layers that do not train keep less.
  const kept = scaleParts(keeps, 1 / tokens);
  const table = joinTables(halves.map(({ modules = {} }) => modules));
  const repeats = repeatsOf(chosenModules(recompute, table), kept, tokens, scores);
  if (repeats === undefined) return { activation: all, activationParts: keeps, recomputed: 0, recomputeFlops: 0 };
  return {
    activation: all - freed(repeats),
    activationParts: without(keeps, repeats.frees),
    recomputed: freed(repeats),
    recomputeFlops: repeats.linearFlops + repeats.coreFlops,
    repeats,
  };
}
