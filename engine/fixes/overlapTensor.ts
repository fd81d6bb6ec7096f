/** `overlap(tensor)` of kernels that send one piece while they compute the next. */
import { overlapTensorShare } from '../costs/overlapShares.ts';
import type { Block } from '../../grammar/syntax.ts';
import type { Edit } from './proposal.ts';
import { addKey, entriesOf, valueOf } from './source.ts';

/** The key of sequence parallelism as the pipeline writes it: `sequence` is its short name. */
export const sequenceKey = (body: Block): 'sequence' | 'sequence_parallel' =>
  entriesOf(body, 'sequence').length > 0 ? 'sequence' : 'sequence_parallel';

/** `70%`: the share of such kernels, as a file writes it. */
export const overlapTensorText = (tensor: number): string => `${Math.round(100 * overlapTensorShare(tensor))}%`;

/** Megatron and torchtitan have these kernels for split activations only. Undefined where the file says how much overlaps. */
export function overlapTensorEdit(text: string, body: Block, tensor: number): Edit | undefined {
  const sequence = valueOf(body, sequenceKey(body));
  const isSplit = sequence?.kind === 'name' && sequence.text === 'true';
  const isWritten = entriesOf(body, 'overlap').some(
    ({ parameters: [group] = [] }) => group?.kind === 'name' && group.text === 'tensor',
  );
  if (!isSplit || isWritten) return undefined;
  return addKey(text, body, 'overlap(tensor)', overlapTensorText(tensor));
}
