/** Llama and the families that differ from it in a field or two. */
import type { ShapeArguments } from '../../costs/shapes.ts';
import type { Fields } from '../json/fields.ts';
import { type ConfiguredLayer, type ConfiguredParts, runsOf } from './model.ts';

/** How a family's layers differ from Llama's. */
export interface LlamaTraits {
  /** Query, key and value have biases, though no field says so. */
  readonly qkvBias?: true;
  readonly qkNorm?: true;
  /** Whether attention has biases, where no field says so. */
  readonly bias?: boolean;
  /** Embedding and head share a matrix unless the configuration says otherwise. */
  readonly tied?: true;
  /** The sliding window is used only if `use_sliding_window` says so, from layer `max_window_layers` on. */
  readonly windowByFlag?: true;
}

/** Gemma 1: heads of a separate width, which no other field gives. */
export function gemma(fields: Fields): ConfiguredParts {
  fields.whole('head_dim');
  return llama({ tied: true })(fields);
}

export const llama =
  (traits: LlamaTraits) =>
  (fields: Fields): ConfiguredParts => {
    const mlpBias = fields.flag('mlp_bias', false);
    const dense = {
      ...attentionOf(fields, traits, mlpBias),
      ffn: fields.whole('intermediate_size'),
      ...trunk(mlpBias),
    };
    return withEnds(fields, windowed(fields, traits, dense), [], { tied: traits.tied });
  };

/** What all layers of these families have in common. */
export const trunk = (bias = false): ShapeArguments => ({
  ...{ gated: true, bias, norm: 'rmsnorm', flash: true, dropout: false },
});

/** Widths and biases of the attention; `bias` is what the layer's other products have. */
export function attentionOf(
  fields: Fields,
  { qkvBias, qkNorm, bias: unlessSaid = false }: LlamaTraits,
  bias = false,
): ShapeArguments {
  const heads = fields.whole('num_attention_heads');
  const kv = fields.whole('num_key_value_heads', { otherwise: heads });
  const out = fields.flag('attention_bias', unlessSaid);
  const qkv = qkvBias === true || out;
  return {
    hidden: fields.whole('hidden_size'),
    heads,
    ...(kv === heads ? {} : { kv_heads: kv }),
    ...(fields.has('head_dim') ? { head_dim: fields.whole('head_dim') } : {}),
    ...(qkv === bias ? {} : { qkv_bias: qkv }),
    ...(out === bias ? {} : { out_bias: out }),
    ...(qkNorm === true ? { qk_norm: true } : {}),
  };
}

/** Number of layers, held to a bound that keeps a damaged file from filling the memory. */
export const layerCount = (fields: Fields): number => layerCountOf(fields, 'num_hidden_layers');

export function layerCountOf(fields: Fields, name: string): number {
  const count = fields.whole(name);
  if (count <= 100_000) return count;
  fields.fault(name, `"${name}" must be at most 100000.`);
  return 1;
}

/** The window of Mistral and its kind; 0 where there is none. */
export const windowOf = (fields: Fields): number => fields.whole('sliding_window', { otherwise: 0, least: 0 });

function windowed(fields: Fields, { windowByFlag }: LlamaTraits, dense: ShapeArguments): readonly ConfiguredLayer[] {
  const layers = layerCount(fields);
  const on = windowByFlag === undefined || fields.flag('use_sliding_window', false);
  const window = on ? windowOf(fields) : 0;
  const first = windowByFlag === undefined ? 0 : fields.whole('max_window_layers', { otherwise: 0, least: 0 });
  const kinds = Array.from({ length: layers }, (_, layer) => (window > 0 && layer >= first ? 'windowed' : 'block'));
  const sameName = kinds.every((kind) => kind === kinds[0]);
  return runsOf(kinds, (kind) => (kind === 'windowed' ? { ...dense, window } : dense)).map((run) =>
    sameName ? { ...run, name: 'block' } : run,
  );
}

/** Embedding and head around the layers; `tied` holds where the configuration does not say. */
export function withEnds(
  fields: Fields,
  layers: readonly ConfiguredLayer[],
  remarks: readonly string[],
  { tied: unlessSaid = false, norm = 'rmsnorm' }: { readonly tied?: boolean; readonly norm?: string } = {},
): ConfiguredParts {
  const [vocab, hidden] = [fields.whole('vocab_size'), fields.whole('hidden_size')];
  const tied = fields.flag('tie_word_embeddings', unlessSaid);
  return {
    layers: [
      { name: 'embed', shape: 'embedding', args: { vocab, hidden, dropout: false } },
      ...layers,
      { name: 'head', shape: 'lm_head', args: { vocab, hidden, norm, ...(tied ? { tied } : {}) } },
    ],
    remarks,
  };
}
