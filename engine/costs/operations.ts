/**
 * Recomputation by operation, as torchtitan's selective mode does it (`distributed/activation_checkpoint.py`): outputs of every other
 * product with weights stay, and so do outputs of attention, scatters and exchanges among experts. All else runs again.
 */
import { addParts, type LayerPart, parts, scaleParts, sumParts } from './layerPart.ts';
import { workOf } from './repeats.ts';
import type { Kernel, LayerSetting, Parts, Repeats } from './types.ts';

/** What a layer keeps, and what its backward runs again. */
export interface ByOperation {
  readonly keeps: Parts;
  readonly recomputed: number;
  readonly repeats: Repeats;
}

/** A layer, in bytes of a token. `all`: if nothing is recomputed. `input`: of the input of the layer. */
export interface LayerBytes {
  readonly all: Parts;
  readonly input: number;
  readonly tokens: number;
}

/** Which outputs stay: of products by their number in the layer, of cores by their half, and of scatters and exchanges. */
export interface Choice {
  readonly product: (index: number) => boolean;
  /** A product that neither stays nor runs again: the backward does not read its output. */
  readonly unread?: (index: number) => boolean;
  readonly core: (half: number) => boolean;
  readonly extra: boolean;
}

/** Torchtitan's: every other product, and all else that is not cheap. */
const everyOther: Choice = { product: (index) => index % 2 === 0, core: () => true, extra: true };

export function byOperation(
  halves: readonly LayerPart[],
  norms: readonly Kernel[],
  { all, input, tokens }: LayerBytes,
  choice: Choice = everyOther,
): ByOperation {
  const operations = halves.map((half) => half.operations);
  const products = operations.flatMap((half) => half?.products ?? []);
  const saved = products.filter((_, index) => choice.product(index));
  const outputs = (kept: boolean): number =>
    saved.reduce((sum, product) => sum + (product.kept === kept ? product.output : 0), 0);
  // Of what the layer keeps without recomputation.
  const usual = addParts(
    { [parts.input]: input, [parts.products]: outputs(true) },
    ...operations.map((half, index) => (choice.core(index) ? (half?.saves ?? {}) : {})),
  );
  const keeps = addParts(
    usual,
    { [parts.products]: outputs(false) },
    ...operations.map((half) => (choice.extra ? (half?.extra ?? {}) : {})),
  );
  const collectives = halves
    .flatMap((half) => half.collectives)
    .filter(({ pattern }) => pattern === 'all_gather' || pattern === 'all_reduce')
    .map((collective) => ({ ...collective, bytes: tokens * collective.bytes }));
  const kernels = () => [
    ...norms,
    ...products
      .filter((_, index) => !choice.product(index) && choice.unread?.(index) !== true)
      .map(({ kernel }) => kernel()),
    ...operations.flatMap((half) => half?.again?.() ?? []),
    ...halves.flatMap((half, index) => (choice.core(index) ? [] : coresOf(half))),
    // What only moves memory, and the softmax of attention that stores scores.
    ...halves.flatMap((half) => half.kernels()).filter(({ part, flops }) => part !== 'linear' && flops === 0),
  ];
  // A layer that does not train needs less than it keeps.
  const recomputed = tokens * Math.max(0, sumParts(all) - sumParts(usual));
  return {
    keeps: scaleParts(keeps, tokens),
    recomputed,
    repeats: { frees: { [parts.others]: recomputed }, ...workOf(kernels(), 0), collectives, kernels },
  };
}

/** Kernels of attention, or of what a layer has in its place. */
export const coresOf = (half: LayerPart): readonly Kernel[] =>
  half.kernels().filter(({ part, flops }) => part === 'core' && flops > 0);

/** Bytes of a token that a scatter behind a half of the layer leaves on each rank. */
export const scattered = ({ tensor, sequenceParallel }: LayerSetting, bytes: number): number =>
  tensor > 1 && sequenceParallel ? bytes / tensor : 0;
