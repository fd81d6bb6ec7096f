import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments } from './shape.ts';
import type { LayerSetting } from './types.ts';

/**
 * Forward FLOPs of a token in QKᵀ and A·V on `heads` heads whose queries and values are `query` and `value` wide: 2·keys each.
 * A causal core counts half, as Megatron-LM and FlashAttention do now; the closed forms of arXiv:2104.04473 (eq. 3) and
 * arXiv:2205.05198 (eq. 7) count it whole.
 */
export const coreFlops = (
  args: ShapeArguments,
  { sequence }: LayerSetting,
  heads: number,
  query: number,
  value: number,
): number => 2 * keysOf(args, sequence) * heads * (query + value);

/**
 * Keys that a token meets on average. Causal: s / 2; within a window of w: those of the first w tokens are w / 2 on average,
 * those of the others w.
 */
function keysOf(args: ShapeArguments, sequence: number): number {
  if (!flagOf(args, 'causal', true)) return sequence;
  const window = Math.min(sequence, numberOf(args, 'window', sequence));
  return window - window ** 2 / (2 * sequence);
}

/**
 * Bytes a token keeps of attention scores on `heads` heads: probabilities, and with dropout a mask of bytes and what it
 * leaves (5as²b in 16 bits, arXiv:2205.05198, section 4.1). FlashAttention keeps one fp32 log-sum-exp a head instead.
 */
export function scoreBytes(
  args: ShapeArguments,
  { sequence, precision }: LayerSetting,
  heads: number,
): { readonly scores: number; readonly sums: number } {
  if (flagOf(args, 'flash', false)) return { scores: 0, sums: 4 * heads };
  const element = elementBytes(precision);
  return { scores: (flagOf(args, 'dropout', true) ? 2 * element + 1 : element) * heads * sequence, sums: 0 };
}
