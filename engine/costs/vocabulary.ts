import { numberOf, type ShapeArguments, type ShapeParameter } from './shape.ts';

export const vocabularyParameters: readonly ShapeParameter[] = [
  { name: 'vocab', kind: 'integer', example: 32000, doc: 'entries of the vocabulary' },
  { name: 'hidden', kind: 'integer', example: 4096, doc: 'width of a token' },
];

export const padParameter: ShapeParameter = {
  name: 'pad',
  kind: 'integer',
  default: 1,
  doc: 'rounds the vocabulary up to a multiple of `pad` × tensor ranks; 1 leaves it as written, Megatron-LM uses 128',
};

/** Rows of the table, over all ranks. Padding follows Megatron-LM's `make_vocab_size_divisible_by`. */
export function paddedVocabulary(args: ShapeArguments, tensor: number): number {
  const vocab = numberOf(args, 'vocab', 1);
  const pad = numberOf(args, 'pad', 1);
  const multiple = pad * tensor;
  return pad === 1 ? vocab : Math.ceil(vocab / multiple) * multiple;
}
