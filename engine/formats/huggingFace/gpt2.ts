import type { Fields } from '../json/fields.ts';
import type { ConfiguredParts } from './model.ts';

/** GPT-2: learned positions, biases everywhere, LayerNorm. By default head and embedding are one matrix. */
export function gpt2(fields: Fields): ConfiguredParts {
  const hidden = fields.whole('n_embd');
  const vocab = fields.whole('vocab_size');
  // The configuration leaves them out where they are the 0.1 of the paper.
  const drops = (name: string): boolean => !fields.has(name) || fields.number(name) > 0;
  const dropout = drops('resid_pdrop') || drops('attn_pdrop');
  const tied = fields.flag('tie_word_embeddings', true);
  const block = {
    hidden,
    heads: fields.whole('n_head'),
    ...(fields.has('n_inner') ? { ffn: fields.whole('n_inner') } : {}),
    ...(dropout ? {} : { dropout }),
  };
  return {
    layers: [
      {
        name: 'embed',
        shape: 'embedding',
        args: {
          vocab,
          hidden,
          positions: fields.whole('n_positions'),
          ...(drops('embd_pdrop') ? {} : { dropout: false }),
        },
      },
      { name: 'block', count: fields.whole('n_layer'), shape: 'transformer', args: block },
      { name: 'head', shape: 'lm_head', args: { vocab, hidden, ...(tied ? { tied } : {}) } },
    ],
    remarks: [],
  };
}
