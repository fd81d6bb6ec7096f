/** Families some of whose layers have a state in the place of attention. */
import type { ShapeArguments } from '../../costs/shapes.ts';
import type { Fields } from '../json/fields.ts';
import { attentionOf, trunk, withEnds } from './llama.ts';
import { arraysOf, type ConfiguredParts } from './model.ts';
import type { StateLayers } from './windows.ts';

/** Qwen3-Next: the gated delta rule in all but each `full_attention_interval`-th layer. */
export const gatedDelta: StateLayers = {
  isState: (fields) => {
    const interval = fields.whole('full_attention_interval', { otherwise: 4 });
    return (layer) => (layer + 1) % interval !== 0;
  },
  mixer: (fields) => ({
    hidden: fields.whole('hidden_size'),
    heads: fields.whole('linear_num_value_heads'),
    head_dim: fields.whole('linear_value_head_dim'),
    mixer: 'delta_net',
    state: fields.whole('linear_key_head_dim'),
    groups: fields.whole('linear_num_key_heads'),
    kernel: fields.whole('linear_conv_kernel_dim'),
  }),
};

/** Kimi Linear: `kda_layers` of `linear_attn_config` counts layers from 1. */
export const kimiDelta: StateLayers = {
  isState: (fields) => {
    const layers = new Set(fields.inner('linear_attn_config')?.wholes('kda_layers'));
    return (layer) => layers.has(layer + 1);
  },
  mixer: (fields) => {
    const of = fields.inner('linear_attn_config');
    return {
      hidden: fields.whole('hidden_size'),
      heads: of?.whole('num_heads') ?? 1,
      head_dim: of?.whole('head_dim') ?? 1,
      mixer: 'kimi_delta',
      kernel: of?.whole('short_conv_kernel_size') ?? 1,
    };
  },
};

/** MiniMax-01 and M1: `attn_type_list` has a 0 for layers with linear attention. */
export const lightning: StateLayers = {
  isState: (fields) => {
    const types = fields.wholes('attn_type_list');
    return (layer) => types[layer] === 0;
  },
  mixer: (fields) => ({
    hidden: fields.whole('hidden_size'),
    heads: fields.whole('num_attention_heads'),
    ...(fields.has('head_dim') ? { head_dim: fields.whole('head_dim') } : {}),
    mixer: 'lightning',
  }),
};

/** Letters of `hybrid_override_pattern`, words of `layers_block_type`, and how layers of these kinds are called. */
const letters: ReadonlyMap<string, string> = new Map([
  ['linear_attention', 'mamba'],
  ['full_attention', 'attention'],
  ['M', 'mamba'],
  ['*', 'attention'],
  ['-', 'mlp'],
  ['E', 'moe'],
]);

/** Nemotron-H: each layer is a Mamba-2 mixer, attention, an MLP or a mixture of experts, with one norm. */
export function nemotronH(fields: Fields): ConfiguredParts {
  const pattern = fields.text('hybrid_override_pattern');
  const written = pattern === undefined ? fields.texts('layers_block_type') : [...pattern];
  const field = pattern === undefined ? 'layers_block_type' : 'hybrid_override_pattern';
  const names = written.map((kind) => letters.get(kind) ?? kind);
  const known = [...new Set(letters.values())];
  if (names.length === 0) fields.fault(field, `"${field}" is missing.`);
  if (names.some((name) => !known.includes(name)))
    fields.fault(field, `"${field}" must have ${pattern === undefined ? known.join(', ') : 'M, *, - and E'} only.`);
  if (fields.has('moe_latent_size')) fields.fault('moe_latent_size', '"moe_latent_size" is not known for this family.');
  const others = trunk(false, { ungated: true });
  const alone = { ...others, bias: fields.flag('mlp_bias', false), ...aloneOf(fields) };
  const argsOf: Readonly<Record<string, () => ShapeArguments>> = {
    mamba: () => ({
      ...others,
      hidden: fields.whole('hidden_size'),
      heads: fields.whole('mamba_num_heads'),
      head_dim: fields.whole('mamba_head_dim'),
      mixer: 'mamba2',
      state: fields.whole('ssm_state_size'),
      groups: fields.whole('n_groups'),
      kernel: fields.whole('conv_kernel', { otherwise: 4 }),
      block: fields.whole('chunk_size', { otherwise: 256 }),
      mlp: false,
      bias: fields.flag('use_bias', false),
    }),
    attention: () => ({ ...attentionOf(fields, {}), mlp: false, ...others }),
    mlp: () => ({ ...alone, ffn: fields.whole('intermediate_size') }),
    moe: () => expertsOf(fields, alone),
  };
  const kinds = names.map((name) => ({ name }));
  return withEnds(
    fields,
    arraysOf(kinds, ({ name }) => argsOf[name]?.() ?? {}),
    [],
  );
}

const aloneOf = (fields: Fields): ShapeArguments => ({
  hidden: fields.whole('hidden_size'),
  heads: fields.whole('num_attention_heads'),
  mixer: 'none',
});

function expertsOf(fields: Fields, layer: ShapeArguments): ShapeArguments {
  const width = fields.whole('moe_intermediate_size');
  const shared = fields.whole('moe_shared_expert_intermediate_size', { otherwise: 0, least: 0 });
  if (shared % width !== 0)
    fields.fault(
      'moe_shared_expert_intermediate_size',
      'The width of shared experts must be a multiple of the others.',
    );
  return {
    ...layer,
    experts: fields.whole('n_routed_experts'),
    experts_per_token: fields.whole('num_experts_per_tok'),
    expert_ffn: width,
    ...(shared > 0
      ? { shared_experts: Math.ceil(shared / width) * fields.whole('n_shared_experts', { otherwise: 1 }) }
      : {}),
    router_bias: true,
  };
}
