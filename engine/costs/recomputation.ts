/** What a transformer layer keeps under recomputation, and what its backward makes again. */
import { type LayerPart, parts, scaleParts, sumParts, tokensOf } from './layerPart.ts';
import { byOperation } from './operations.ts';
import { chosenModules, freed, repeatsOf, without } from './repeats.ts';
import type { Kernel, LayerSetting, Parts, ShapeCost } from './types.ts';

/** A layer before anything of it is recomputed. */
interface Layer {
  readonly setting: LayerSetting;
  readonly halves: readonly [LayerPart, LayerPart];
  /** The kernel of a norm. */
  readonly normed: Kernel;
  /** Bytes that stay if nothing is recomputed, and bytes of the layer's input. */
  readonly keeps: Parts;
  readonly input: number;
  readonly linearFlops: number;
  readonly coreFlops: number;
}

type Remaining = Pick<ShapeCost, 'activation' | 'activationParts' | 'recomputed' | 'recomputeFlops' | 'repeats'>;

/** What stays under the recomputation of the setting, and what the backward makes again. */
export function recomputation({ setting, halves, normed, keeps, input, linearFlops, coreFlops }: Layer): Remaining {
  const { recompute } = setting;
  const tokens = tokensOf(setting);
  const all = sumParts(keeps);
  if (recompute === 'full')
    return {
      activation: input,
      activationParts: { [parts.input]: input },
      recomputed: all - input,
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
  if (recompute === 'operations') {
    const ofToken = { all: scaleParts(keeps, 1 / tokens), input: input / tokens, tokens };
    const { keeps: kept, recomputed, repeats } = byOperation(halves, [normed, normed], ofToken);
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
  const norms = { frees: { [parts.linearInputs]: kept[parts.linearInputs] ?? 0 }, kernels: () => [normed, normed] };
  const table = { layernorm: norms, ...halves[0].modules, ...halves[1].modules };
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
