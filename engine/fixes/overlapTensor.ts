/** `overlap(tensor)` of kernels that send one piece while they compute the next. */
import type { Block } from '../../grammar/syntax.ts';
import type { Edit } from './proposal.ts';
import { addKey, entriesOf, valueOf } from './source.ts';

/** The key of sequence parallelism as the pipeline writes it: `sequence` is its short name. */
export const sequenceKey = (body: Block): 'sequence' | 'sequence_parallel' =>
  entriesOf(body, 'sequence').length > 0 ? 'sequence' : 'sequence_parallel';

/** Of 12 exchanges of tensor ranks in a recomputed layer, those that can be joined with a product of matrices. */
const joinedWithProducts = 10 / 12;

/**
 * Userbuffers of Transformer Engine, asynchronous tensor parallelism: of t pieces all but one are hidden, in exchanges next to a
 * product. Full tenths of that share.
 */
export const overlapTensorShare = (tensor: number): number =>
  Math.floor((10 * joinedWithProducts * (tensor - 1)) / tensor) / 10;

/** Megatron and torchtitan have these kernels for split activations only. Undefined where the file says how much overlaps. */
export function overlapTensorEdit(text: string, body: Block, tensor: number): Edit | undefined {
  const sequence = valueOf(body, sequenceKey(body));
  const isSplit = sequence?.kind === 'name' && sequence.text === 'true';
  const isWritten = entriesOf(body, 'overlap').some(
    ({ parameters: [group] = [] }) => group?.kind === 'name' && group.text === 'tensor',
  );
  if (!isSplit || isWritten) return undefined;
  return addKey(text, body, 'overlap(tensor)', `${Math.round(100 * overlapTensorShare(tensor))}%`);
}
