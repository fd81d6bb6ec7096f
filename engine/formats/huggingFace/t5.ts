/** T5: an encoder, and a decoder of which every layer attends to it. */
import type { ShapeArguments } from '../../costs/shapes.ts';
import type { Fields } from '../json/fields.ts';
import { layerCountOf } from './llama.ts';
import type { ConfiguredLayer, ConfiguredParts, TowerSizes } from './model.ts';

/**
 * Heads are as wide as `d_kv`. The first layer of each stack has the biases by relative position, so no FlashAttention is assumed
 * (`modeling_t5.py`). Version 1.1 has a gated MLP and a separate matrix of the head.
 */
export function t5(fields: Fields, { encoder }: TowerSizes): ConfiguredParts {
  const [hidden, vocab] = [fields.whole('d_model'), fields.whole('vocab_size')];
  const gated = fields.text('feed_forward_proj')?.startsWith('gated') === true || fields.flag('is_gated_act', false);
  const layer: ShapeArguments = {
    hidden,
    heads: fields.whole('num_heads'),
    head_dim: fields.whole('d_kv'),
    ffn: fields.whole('d_ff'),
    ...(gated ? { gated } : {}),
    bias: false,
    norm: 'rmsnorm',
    ...(fields.has('dropout_rate') && fields.number('dropout_rate') === 0 ? { dropout: false } : {}),
  };
  const relative_positions = fields.whole('relative_attention_num_buckets', { otherwise: 32 });
  const layers = layerCountOf(fields, 'num_layers');
  const own = { ...layer, causal: false };
  const crossing = { ...layer, cross: encoder };
  const embedding = { vocab, hidden, dropout: layer['dropout'] !== false };
  const tied = fields.flag('tie_word_embeddings', true);
  const decoders = fields.has('num_decoder_layers') ? layerCountOf(fields, 'num_decoder_layers') : layers;
  return {
    layers: [
      { name: 'embed', shape: 'embedding', args: embedding, tokens: encoder },
      ...stack('encoder', layers, own, relative_positions).map((each) => ({ ...each, tokens: encoder })),
      { name: 'encoded', shape: 'norm', args: { hidden, norm: 'rmsnorm' }, tokens: encoder },
      { name: 'target', shape: 'embedding', args: { ...embedding, tied: true }, after: [] },
      ...stack('decoder', decoders, crossing, relative_positions).map((each) => ({ ...each, attends: 'encoded' })),
      { name: 'head', shape: 'lm_head', args: { vocab, hidden, norm: 'rmsnorm', ...(tied ? { tied } : {}) } },
    ],
    remarks: [
      `Layers of the encoder work on ${encoder} tokens: set their \`tokens\` and the decoder's \`cross\` to yours.`,
    ],
  };
}

/** Layers of which the first has biases by relative position. */
function stack(
  name: string,
  count: number,
  args: ShapeArguments,
  relative_positions: number,
): readonly ConfiguredLayer[] {
  const first = { name: `${name}_first`, shape: 'transformer', args: { ...args, relative_positions } };
  return count === 1 ? [first] : [first, { name, count: count - 1, shape: 'transformer', args }];
}
