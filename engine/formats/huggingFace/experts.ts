/** Families whose layers are mixtures of experts, all or some of them. */
import type { Fields } from '../json/fields.ts';
import { attentionOf, layerCount, trunk, windowOf, withEnds } from './llama.ts';
import { type ConfiguredParts, runsOf } from './model.ts';

/** Mixtral: every layer has experts, as wide as `intermediate_size` says. */
export function mixtral(fields: Fields): ConfiguredParts {
  const window = windowOf(fields);
  const block = {
    ...attentionOf(fields, {}),
    ffn: fields.whole('intermediate_size'),
    ...trunk(),
    ...(window > 0 ? { window } : {}),
    experts: fields.whole('num_local_experts'),
    experts_per_token: fields.whole('num_experts_per_tok'),
  };
  return withEnds(fields, [{ name: 'block', count: layerCount(fields), shape: 'transformer', args: block }], []);
}

/** Qwen 3 MoE: every `decoder_sparse_step`-th layer has experts, except the layers in `mlp_only_layers`. */
export function qwen3Moe(fields: Fields): ConfiguredParts {
  if (fields.flag('use_sliding_window', false))
    fields.fault('use_sliding_window', '"use_sliding_window" is not known for this family.');
  const experts = fields.whole('num_experts', { least: 0 });
  const step = fields.whole('decoder_sparse_step', { otherwise: 1 });
  const only = new Set(fields.wholes('mlp_only_layers'));
  const attention = attentionOf(fields, { qkNorm: true });
  const kinds = Array.from({ length: layerCount(fields) }, (_, layer) =>
    experts > 0 && (layer + 1) % step === 0 && !only.has(layer) ? 'moe' : 'dense',
  );
  const layers = runsOf(kinds, (kind) =>
    kind === 'dense'
      ? { ...attention, ffn: fields.whole('intermediate_size'), ...trunk() }
      : {
          ...attention,
          ...trunk(),
          experts,
          experts_per_token: fields.whole('num_experts_per_tok'),
          expert_ffn: fields.whole('moe_intermediate_size'),
        },
  );
  return withEnds(fields, layers, []);
}

/**
 * DeepSeek-V3 and Kimi K2: latent attention; experts from layer `first_k_dense_replace` on, each `moe_layer_freq`-th.
 * `num_key_value_heads` has no meaning there. The layers for multi-token prediction have experts.
 */
export const deepseekV3 = (fields: Fields): ConfiguredParts => deepseek(fields, true);

/** DeepSeek-V2: the same without a correction of the router. */
export const deepseekV2 = (fields: Fields): ConfiguredParts => deepseek(fields, false);

function deepseek(fields: Fields, corrected: boolean): ConfiguredParts {
  if (fields.flag('attention_bias', false))
    fields.fault('attention_bias', '"attention_bias" is not known with latent attention.');
  const latent = {
    hidden: fields.whole('hidden_size'),
    heads: fields.whole('num_attention_heads'),
    kv_lora_rank: fields.whole('kv_lora_rank'),
    ...(fields.has('q_lora_rank') ? { q_lora_rank: fields.whole('q_lora_rank') } : {}),
    qk_nope_head_dim: fields.whole('qk_nope_head_dim'),
    qk_rope_head_dim: fields.whole('qk_rope_head_dim'),
    v_head_dim: fields.whole('v_head_dim'),
    ...trunk(),
  };
  const first = fields.whole('first_k_dense_replace', { otherwise: 0, least: 0 });
  const step = fields.whole('moe_layer_freq', { otherwise: 1 });
  const kinds = Array.from({ length: layerCount(fields) }, (_, layer) =>
    layer >= first && layer % step === 0 ? 'moe' : 'dense',
  );
  const shared = fields.whole('n_shared_experts', { otherwise: 0, least: 0 });
  const argsOf = (kind: 'moe' | 'dense') =>
    kind === 'dense'
      ? { ...latent, ffn: fields.whole('intermediate_size') }
      : {
          ...latent,
          experts: fields.whole('n_routed_experts'),
          experts_per_token: fields.whole('num_experts_per_tok'),
          expert_ffn: fields.whole('moe_intermediate_size'),
          ...(shared > 0 ? { shared_experts: shared } : {}),
          ...(corrected ? { router_bias: true } : {}),
        };
  const layers = runsOf(kinds, argsOf);
  const depths = fields.whole('num_nextn_predict_layers', { otherwise: 0, least: 0 });
  if (depths > mostDepths)
    fields.fault('num_nextn_predict_layers', `"num_nextn_predict_layers" must be at most ${mostDepths}.`);
  const parts = withEnds(fields, layers, []);
  if (depths === 0 || !kinds.includes('moe')) return parts;
  const args = { vocab: fields.whole('vocab_size'), ...argsOf('moe') };
  return { ...parts, prediction: { name: 'mtp', count: depths, shape: 'mtp', args } };
}

/** Depths of multi-token prediction; DeepSeek-V3 has one. */
const mostDepths = 100;
