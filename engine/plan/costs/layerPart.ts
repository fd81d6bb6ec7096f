import { flagOf, numberOf, type ShapeArguments } from './shape.ts';
import type { LayerSetting } from './types.ts';

/** One half of a transformer layer, attention or MLP, on one tensor rank. FLOPs and bytes are those of one token. */
export interface LayerPart {
  /** Over all tensor ranks, and held by one. */
  readonly parameters: number;
  readonly localParameters: number;
  /** Forward FLOPs of products with weights, and of those without. A multiply-add counts two. */
  readonly linear: number;
  readonly core: number;
  /** Bytes that the forward keeps; of these `scores`, which selective recomputation makes again. */
  readonly kept: number;
  readonly scores: number;
  /** Bytes that the backward makes again for itself, whatever is recomputed. */
  readonly remade: number;
  /** Bytes that the weight gradient needs: inputs of layers with weights, and the gradients of their outputs. */
  readonly forWeight: number;
}

/** The MLP's or attention's own view of a layer: widths, and the ranks that split what is not split by heads or width. */
export const hiddenOf = (args: ShapeArguments): number => numberOf(args, 'hidden', 1);
export const wholeRanks = ({ tensor, sequenceParallel }: LayerSetting): number => (sequenceParallel ? tensor : 1);

/** Bytes a token of a dropout mask over the hidden width: a byte each. */
export const maskBytes = (args: ShapeArguments, setting: LayerSetting): number =>
  flagOf(args, 'dropout', true) ? hiddenOf(args) / wholeRanks(setting) : 0;
