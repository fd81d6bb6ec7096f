/** Families with LayerNorm and a plain MLP of two products: GPT-NeoX, Falcon's newer layers, StarCoder 2. */
import type { Fields } from '../json/fields.ts';
import { attentionOf, layerCount, withEnds } from './llama.ts';
import type { ConfiguredParts } from './model.ts';
import { windowOf } from './windows.ts';

/** What layers with attention and MLP side by side are, and how the engine counts them. */
const sideBySide =
  'Attention and MLP run in parallel in this family. Here they run one after the other, with one more all-reduce and one more norm input.';

/** GPT-NeoX and Pythia: a norm each for attention and MLP, side by side unless `use_parallel_residual` is false. */
export function gptNeoX(fields: Fields): ConfiguredParts {
  const bias = fields.flag('attention_bias', true);
  const dropout = ['attention_dropout', 'hidden_dropout'].some((name) => fields.number(name) > 0);
  const block = {
    hidden: fields.whole('hidden_size'),
    heads: fields.whole('num_attention_heads'),
    ffn: fields.whole('intermediate_size'),
    ...(bias ? {} : { qkv_bias: false, out_bias: false }),
    flash: true,
    ...(dropout ? {} : { dropout: false }),
  };
  const parallel = fields.flag('use_parallel_residual', true);
  return withEnds(
    fields,
    [{ name: 'block', count: layerCount(fields), shape: 'transformer', args: block }],
    parallel ? [sideBySide] : [],
    { norm: 'layernorm' },
  );
}

/** Falcon 40B and 180B: grouped queries, a norm each for attention and MLP, side by side. The layers of Falcon 7B share one norm. */
export function falcon(fields: Fields): ConfiguredParts {
  if (
    !fields.flag('new_decoder_architecture', false) ||
    fields.whole('num_ln_in_parallel_attn', { otherwise: 2 }) !== 2
  )
    fields.fault(
      'new_decoder_architecture',
      'Only Falcon layers with two norms can be read: 40B and 180B (`new_decoder_architecture`).',
    );
  const heads = fields.whole('num_attention_heads');
  const kv = fields.whole('num_kv_heads', { otherwise: heads });
  const hidden = fields.whole('hidden_size');
  const block = {
    hidden,
    heads,
    ...(kv === heads ? {} : { kv_heads: kv }),
    ffn: fields.whole('ffn_hidden_size', { otherwise: 4 * hidden }),
    bias: fields.flag('bias', false),
    flash: true,
    ...(['attention_dropout', 'hidden_dropout'].some((name) => fields.number(name) > 0) ? {} : { dropout: false }),
  };
  return withEnds(
    fields,
    [{ name: 'block', count: layerCount(fields), shape: 'transformer', args: block }],
    [sideBySide],
    { norm: 'layernorm', tied: true },
  );
}

/** StarCoder 2: grouped queries, biases, a sliding window. */
export function starcoder2(fields: Fields): ConfiguredParts {
  const bias = fields.flag('use_bias', true);
  const window = windowOf(fields);
  const block = {
    ...attentionOf(fields, { bias }, bias),
    ffn: fields.whole('intermediate_size'),
    bias,
    flash: true,
    dropout: ['attention_dropout', 'residual_dropout', 'embedding_dropout'].some((name) => fields.number(name) > 0),
    ...(window > 0 ? { window } : {}),
  };
  return withEnds(fields, [{ name: 'block', count: layerCount(fields), shape: 'transformer', args: block }], [], {
    norm: 'layernorm',
    tied: true,
  });
}
