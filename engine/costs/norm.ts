import { type ShapeArguments, type ShapeParameter, wordOf } from './shape.ts';

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

export const normPlaceParameter: ShapeParameter = {
  name: 'norm_place',
  kind: 'word',
  words: ['before', 'after', 'both'],
  default: 'before',
  doc: 'where attention and MLP have a norm: of what they read, of what they add (`after`, as in OLMo 2), or of both, as in Gemma 3',
};

/** Norms before and after each branch of a layer. One after it comes before its sum with the residual. */
export function normPlace(args: ShapeArguments): { readonly before: number; readonly after: number } {
  const place = wordOf(args, 'norm_place', 'before');
  return { before: place === 'after' ? 0 : 1, after: place === 'before' ? 0 : 1 };
}
