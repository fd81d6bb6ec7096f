/** Copies of the token embedding in one stage: a tied head, or a multi-token prediction, uses the one that the stage has already. */
import { withoutCopy } from '../../costs/stage.ts';
import type { LayerCost } from '../../costs/types.ts';
import { staticBytes } from '../cost/stagePlans.ts';
import type { Site } from '../place/sites.ts';

/** By position in the order of the layers. Plain data. */
export interface EmbeddingCopies {
  /** Parameters of the copy on one device, and bytes of its weights, gradients and optimizer state. */
  readonly parameters: Float64Array;
  readonly bytes: Float64Array;
  /** 1 for an embedding, whose matrix is no copy. */
  readonly owns: Uint8Array;
}

/** Bytes of the weights, gradients and optimizer state of a layer. */
export function stateOf(cost: LayerCost, site: Site, held: Parameters<typeof staticBytes>[2]): number {
  const { weights, gradients, optimizer } = staticBytes(cost, site, held);
  return weights + gradients + optimizer;
}

/** `undefined` if no two layers have a matrix in common. `state`: bytes of a layer's state. */
export function embeddingCopies(
  costs: readonly LayerCost[],
  state: (cost: LayerCost) => number,
): EmbeddingCopies | undefined {
  const parameters = Float64Array.from(costs, ({ embeddingParameters = 0 }) => embeddingParameters);
  if (costs.every(({ ownsEmbedding }, at) => parameters[at] === 0 || ownsEmbedding === true)) return undefined;
  return {
    parameters,
    bytes: Float64Array.from(costs, (cost, at) => state(cost) - state(withoutCopy(cost, parameters[at]))),
    owns: Uint8Array.from(costs, ({ ownsEmbedding }) => (ownsEmbedding === true ? 1 : 0)),
  };
}

/** Parameters and bytes that runs from one layer on save, by the number of their layers less one. As `stagePlans` counts a stage. */
export function savedFrom(
  { parameters, bytes, owns }: EmbeddingCopies,
  from: number,
): { readonly parameters: Float64Array; readonly bytes: Float64Array } {
  const saved = {
    parameters: new Float64Array(parameters.length - from),
    bytes: new Float64Array(parameters.length - from),
  };
  let [embedding, copied, sum, sumOfBytes] = [0, 0, 0, 0];
  for (let at = from; at < parameters.length; at += 1) {
    const own = owns[at] === 1;
    const size = parameters[at];
    const shared = Math.min(size, own ? copied : Math.max(copied, embedding));
    embedding = Math.max(embedding, own ? size : 0);
    copied = own ? 0 : Math.max(copied, size);
    if (shared > 0) {
      sum += shared;
      sumOfBytes += (bytes[at] * shared) / size;
    }
    saved.parameters[at - from] = sum;
    saved.bytes[at - from] = sumOfBytes;
  }
  return saved;
}
