/** Families whose layers are mixtures of experts, all or some of them. */
import type { ShapeArguments } from '../../costs/shapes.ts';
import type { Fields } from '../json/fields.ts';
import { attentionOf, layerCount, type LlamaTraits, refuse, trunk, withEnds } from './llama.ts';
import { arraysOf, type ConfiguredParts } from './model.ts';
import { attentionsOf, type StateLayers } from './windows.ts';

/** How a family's mixtures differ from Mixtral's: names of its fields, and what its layers have. */
export interface MixtureTraits extends LlamaTraits {
  /** Fields of the number of experts, of how many a token goes to, and of the width of one. */
  readonly experts?: string;
  readonly chosen?: string;
  readonly width?: string;
  /** The field of the number of shared experts, or a number that no field gives. */
  readonly shared?: string | number;
  /** The field of the width of all shared experts together. */
  readonly sharedWidth?: string;
  readonly sharedGate?: true;
  /** A number for each expert that is added to its score. */
  readonly routerBias?: true;
  /** All products have biases, though no field says so. */
  readonly allBiases?: true;
  /** Whether a layer has experts. Absent: each has. */
  readonly mixed?: (fields: Fields) => (layer: number, layers: number) => boolean;
  /** The field of the width of layers without experts. */
  readonly denseWidth?: string;
  /** Attention of another kind. */
  readonly attention?: (fields: Fields) => ShapeArguments;
  /** Some layers have a state in the place of attention. */
  readonly states?: StateLayers;
  /** Layers for multi-token prediction, which have experts, are counted by `num_nextn_predict_layers`. */
  readonly predicts?: true;
}

/** Experts from layer `first_k_dense_replace` on, in each `moe_layer_freq`-th. */
export const afterFirst: MixtureTraits['mixed'] = (fields) => {
  const first = fields.whole('first_k_dense_replace', { otherwise: 0, least: 0 });
  const step = fields.whole('moe_layer_freq', { otherwise: 1 });
  return (layer) => layer >= first && layer % step === 0;
};

/** Experts in each `decoder_sparse_step`-th layer, except the layers in `mlp_only_layers`. */
export const sparseSteps: MixtureTraits['mixed'] = (fields) => {
  const step = fields.whole('decoder_sparse_step', { otherwise: 1 });
  const only = new Set(fields.wholes('mlp_only_layers'));
  const experts = fields.whole('num_experts', { least: 0 });
  return (layer) => experts > 0 && (layer + 1) % step === 0 && !only.has(layer);
};

/** Experts in each `moe_layer_interval`-th layer from a first to a last one, as ERNIE 4.5 has them. */
export const betweenEnds: MixtureTraits['mixed'] = (fields) => {
  const first = fields.whole('moe_layer_start_index', { otherwise: 0, least: 0 });
  const last = fields.whole('moe_layer_end_index', { otherwise: -1, least: -1 });
  const step = fields.whole('moe_layer_interval', { otherwise: 1 });
  return (layer, layers) => (layer + 1) % step === 0 && layer >= first && layer <= (last < 0 ? layers - 1 : last);
};

/** Experts in the layers of `moe_layers`, or in each `interleave_moe_layer_step`-th, as in Llama 4. */
export const interleaved: MixtureTraits['mixed'] = (fields) => {
  const written = new Set(fields.wholes('moe_layers'));
  const step = fields.whole('interleave_moe_layer_step', { otherwise: 1 });
  return (layer) => (written.size > 0 ? written.has(layer) : (layer + 1) % step === 0);
};

/** Latent attention of DeepSeek. `num_key_value_heads` has no meaning there. */
export const latent = (fields: Fields): ShapeArguments => ({
  hidden: fields.whole('hidden_size'),
  heads: fields.whole('num_attention_heads'),
  kv_lora_rank: fields.whole('kv_lora_rank'),
  ...(fields.has('q_lora_rank') ? { q_lora_rank: fields.whole('q_lora_rank') } : {}),
  qk_nope_head_dim: fields.whole('qk_nope_head_dim'),
  qk_rope_head_dim: fields.whole('qk_rope_head_dim'),
  v_head_dim: fields.whole('v_head_dim'),
});

/** With the indexer of DeepSeek-V3.2. */
export const sparseLatent = (fields: Fields): ShapeArguments => ({
  ...latent(fields),
  index_topk: fields.whole('index_topk'),
  index_heads: fields.whole('index_n_heads'),
  index_head_dim: fields.whole('index_head_dim'),
});

export const mixture =
  (traits: MixtureTraits) =>
  (fields: Fields): ConfiguredParts => {
    refuse(fields, traits);
    const bias = traits.allBiases === true;
    const attention = traits.attention?.(fields) ?? attentionOf(fields, traits, bias);
    const others = trunk(bias, traits);
    const count = layerCount(fields);
    const isMixed = traits.mixed?.(fields) ?? (() => true);
    const mixed = Array.from({ length: count }, (_, index) => isMixed(index, count));
    // Fields of a kind that no layer has may be missing.
    const moe = mixed.includes(true) ? expertsOf(fields, traits) : {};
    const dense: ShapeArguments = mixed.includes(false)
      ? { ffn: fields.whole(traits.denseWidth ?? 'intermediate_size') }
      : {};
    const kinds = attentionsOf(fields, count, traits).map(({ name, args, mixer = attention }, index) => ({
      name: traits.mixed === undefined ? name : nameOf(name, mixed[index]),
      args: { ...mixer, ...others, ...args, ...(mixed[index] ? moe : dense) },
    }));
    const layers = arraysOf(kinds, ({ args }) => args);
    const parts = withEnds(fields, layers, [], traits);
    const depths = traits.predicts === true ? depthsOf(fields) : 0;
    if (depths === 0 || !mixed.includes(true)) return parts;
    const args = { vocab: fields.whole('vocab_size'), ...attention, ...others, ...moe };
    return { ...parts, prediction: { name: 'mtp', count: depths, shape: 'mtp', args } };
  };

/** `moe`, `windowed_dense`. A family of which each layer has experts calls them as others do their layers. */
function nameOf(attention: string, mixed: boolean): string {
  const mlp = mixed ? 'moe' : 'dense';
  return attention === 'block' ? mlp : `${attention}_${mlp}`;
}

function expertsOf(fields: Fields, traits: MixtureTraits): ShapeArguments {
  const { experts = 'num_experts', chosen = 'num_experts_per_tok', width = 'intermediate_size' } = traits;
  const ffn = fields.whole(width);
  const shared = sharedOf(fields, traits, ffn);
  return {
    experts: fields.whole(experts),
    experts_per_token: fields.whole(chosen),
    expert_ffn: ffn,
    ...(shared > 0 ? { shared_experts: shared } : {}),
    ...(shared > 0 && traits.sharedGate === true ? { shared_gate: true } : {}),
    ...(traits.routerBias === true ? { router_bias: true } : {}),
  };
}

/** Shared experts as MLPs as wide as the others. */
function sharedOf(fields: Fields, { shared = 0, sharedWidth }: MixtureTraits, width: number): number {
  if (sharedWidth !== undefined) {
    const all = fields.whole(sharedWidth, { otherwise: 0, least: 0 });
    if (all % width !== 0) fields.fault(sharedWidth, `"${sharedWidth}" must be a multiple of the width of an expert.`);
    return Math.ceil(all / width);
  }
  return typeof shared === 'number' ? shared : fields.whole(shared, { otherwise: 0, least: 0 });
}

function depthsOf(fields: Fields): number {
  const depths = fields.whole('num_nextn_predict_layers', { otherwise: 0, least: 0 });
  if (depths > mostDepths)
    fields.fault('num_nextn_predict_layers', `"num_nextn_predict_layers" must be at most ${mostDepths}.`);
  return depths;
}

/** Depths of multi-token prediction; DeepSeek-V3 has one. */
const mostDepths = 100;
