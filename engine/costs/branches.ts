/** What the branches of a transformer layer may have in addition: learned factors, and biases by relative position. */
import { hiddenOf, parts, tokensOf, wholeRanks } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { numberOf, type ShapeArguments, type ShapeParameter, wordOf } from './shape.ts';
import { trainsWeights } from './training.ts';
import type { LayerSetting, Parts } from './types.ts';

export const branchParameters: readonly ShapeParameter[] = [
  {
    name: 'branch_scale',
    kind: 'word',
    words: ['none', 'number', 'vector'],
    default: 'none',
    doc:
      'learned factors of the output of each branch (attention, cross-attention, MLP). `number`: one for each, as in Llama 3.2 Vision. ' +
      '`vector`: one for each element (LayerScale), as in InternViT',
  },
  {
    name: 'relative_positions',
    kind: 'integer',
    default: 0,
    min: 0,
    doc: 'buckets of a learned bias of each head by relative position, as in the first layers of T5',
  },
];

/** Parameters that every tensor rank holds, parameters that they split by heads, bytes of a token, and bytes while the layer runs. */
export interface BranchExtra {
  readonly whole: number;
  readonly positions: number;
  readonly keeps: Parts;
  readonly workspace: number;
}

/**
 * LayerScale (Touvron et al., arXiv:2103.17239, equation 5): diag(λ)·branch, whose weight gradient needs the branch's output. Biases by
 * relative position (Raffel et al., T5, arXiv:1910.10683, section 2.1): a number for each bucket and head, spread over all pairs of
 * tokens while the layer runs.
 */
export function branchExtra(args: ShapeArguments, setting: LayerSetting, branches: number): BranchExtra {
  const scale = wordOf(args, 'branch_scale', 'none');
  const hidden = hiddenOf(args);
  const buckets = numberOf(args, 'relative_positions', 0);
  const heads = numberOf(args, 'heads', 1);
  const element = elementBytes(setting.precision);
  const output = (element * hidden) / wholeRanks(setting);
  const pairs = (setting.sequence * tokensOf(setting)) / setting.microBatch;
  return {
    whole: branches * (scale === 'none' ? 0 : scale === 'number' ? 1 : hidden),
    positions: buckets * heads,
    keeps: { [parts.branches]: scale === 'none' || !trainsWeights(setting) ? 0 : branches * output },
    workspace: buckets === 0 ? 0 : (element * heads * pairs) / setting.tensor,
  };
}
