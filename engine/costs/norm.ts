import type { ShapeParameter } from './shape.ts';

/** The two normalisations, and their parameters for a width: LayerNorm has a scale and a shift, RMSNorm a scale. */
export const norms: readonly string[] = ['layernorm', 'rmsnorm'];
export const normParameters = (norm: string, width: number): number =>
  (norm === 'layernorm' ? 2 : norm === 'rmsnorm' ? 1 : 0) * width;

export const normParameter = (doc: string, words: readonly string[] = norms, usual = 'layernorm'): ShapeParameter => ({
  name: 'norm',
  kind: 'word',
  words,
  default: usual,
  doc,
});
