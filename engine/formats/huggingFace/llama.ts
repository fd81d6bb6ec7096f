/** Llama and the families that differ from it in a field or two. */
import type { ShapeArguments } from '../../costs/shapes.ts';
import type { Fields } from '../json/fields.ts';
import { arraysOf, type ConfiguredLayer, type ConfiguredParts } from './model.ts';
import { attentionsOf, type Windows } from './windows.ts';

/** How a family's layers differ from Llama's. */
export interface LlamaTraits {
  /** Query, key and value have biases, though no field says so. */
  readonly qkvBias?: true;
  /** Norms of each query and key head, or of all heads at once. */
  readonly qkNorm?: true | 'whole';
  /** The field that says whether there are norms of query and key heads. */
  readonly qkNormIf?: string;
  /** Whether attention has biases, if no field says so. */
  readonly bias?: boolean;
  /** The projection after attention has a bias if this field says so, or never has one. Absent: as query, key and value. */
  readonly outBias?: string | false;
  /** The field of the biases of all products, if it is one. */
  readonly biases?: string;
  /** Embedding and head share a matrix unless the configuration says otherwise. */
  readonly tied?: true;
  /** An MLP of two products. */
  readonly ungated?: true;
  /** Norms after attention and MLP, or on both sides of them. */
  readonly normPlace?: 'after' | 'both';
  readonly norm?: 'layernorm';
  readonly sinks?: true;
  /** A gate of the result of attention. */
  readonly outputGate?: true;
  /** Which layers have the window of `sliding_window`. Absent: all. */
  readonly windows?: Windows;
  /** Flags that must be false: what they mean is not known for this family. */
  readonly refused?: readonly string[];
}

/** Gemma 1: heads of a separate width, which no other field gives. */
export function gemma(fields: Fields): ConfiguredParts {
  fields.whole('head_dim');
  return llama({ tied: true })(fields);
}

export const llama =
  (traits: LlamaTraits) =>
  (fields: Fields): ConfiguredParts => {
    refuse(fields, traits);
    const bias = fields.flag(traits.biases ?? 'mlp_bias', false);
    const dense = {
      ...attentionOf(fields, traits, bias),
      ffn: fields.whole('intermediate_size'),
      ...trunk(bias, traits),
    };
    return withEnds(fields, attending(fields, traits, dense), [], traits);
  };

/** Reports flags of the configuration whose meaning nobody knows here. */
export function refuse(fields: Fields, { refused = [] }: LlamaTraits): void {
  for (const name of refused)
    if (fields.flag(name, false)) fields.fault(name, `"${name}" is not known for this family.`);
}

/** What all layers of these families have in common. */
export const trunk = (bias = false, { ungated, norm, normPlace }: LlamaTraits = {}): ShapeArguments => ({
  ...(ungated === true ? { bias } : { gated: true, bias }),
  norm: norm ?? 'rmsnorm',
  ...(normPlace === undefined ? {} : { norm_place: normPlace }),
  ...{ flash: true, dropout: false },
});

/** Widths and biases of the attention; `bias` is what the layer's other products have. */
export function attentionOf(fields: Fields, traits: LlamaTraits, bias = false): ShapeArguments {
  const heads = fields.whole('num_attention_heads');
  const kv = fields.whole('num_key_value_heads', { otherwise: heads });
  const given = fields.flag(traits.biases ?? 'attention_bias', traits.bias ?? false);
  const { outBias } = traits;
  const out = outBias === undefined ? given : outBias !== false && fields.flag(outBias, false);
  const qkv = traits.qkvBias === true || given;
  const normed = traits.qkNorm !== undefined || (traits.qkNormIf !== undefined && fields.flag(traits.qkNormIf, false));
  return {
    hidden: fields.whole('hidden_size'),
    heads,
    ...(kv === heads ? {} : { kv_heads: kv }),
    ...(fields.has('head_dim') ? { head_dim: fields.whole('head_dim') } : {}),
    ...(qkv === bias ? {} : { qkv_bias: qkv }),
    ...(out === bias ? {} : { out_bias: out }),
    ...(normed ? { qk_norm: true } : {}),
    ...(traits.qkNorm === 'whole' ? { qk_norm_whole: true } : {}),
    ...(traits.sinks === true ? { sinks: true } : {}),
    ...(traits.outputGate === true ? { output_gate: true } : {}),
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

/** Layers that differ in what they attend to, if they do. */
function attending(fields: Fields, { windows }: LlamaTraits, dense: ShapeArguments): readonly ConfiguredLayer[] {
  const kinds = attentionsOf(fields, layerCount(fields), { windows });
  return arraysOf(kinds, ({ args }) => ({ ...dense, ...args }));
}

/** Embedding and head around the layers; `tied` holds if the configuration does not say. */
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
