/** Layers that a GPT model of Megatron Core has: all alike, but for windows, mixers with a state, and experts. */
import type { Mesh } from '../costs/mesh.ts';
import { flagOf, numberOf, type ShapeArguments, wordOf } from '../costs/shape.ts';
import type { LayerDefinition } from '../definitions/model.ts';
import type { Refusal, Row, Setup } from './engine.ts';

/** Arguments of transformer layers, one for each written layer. */
export const blocksOf = (layers: readonly LayerDefinition[]): readonly ShapeArguments[] =>
  layers.flatMap(({ cost }) => (cost.kind === 'shape' && cost.shape === 'transformer' ? [cost.args] : []));

/** Whether a layer has a state in the place of attention: a gated delta rule. */
export const isDelta = (args: ShapeArguments): boolean => wordOf(args, 'mixer', 'attention') === 'delta_net';

const mlpArguments: ReadonlySet<string> = new Set([
  ...['ffn', 'experts', 'experts_per_token', 'expert_ffn', 'shared_experts', 'shared_gate'],
  ...['router_bias', 'capacity', 'nodes_per_token'],
]);

/** Arguments that are one for all layers, also for those with a state. */
const common = ['hidden', 'gated', 'norm', 'bias', 'dropout'];

const textOf = (args: ShapeArguments, isAsked: (name: string) => boolean): string =>
  JSON.stringify(
    Object.entries(args)
      .filter(([name]) => isAsked(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Whether layers have all in common that Megatron-LM has one argument for. */
function areAlike(blocks: readonly ShapeArguments[]): boolean {
  const isTrunk = (name: string): boolean => name !== 'window' && !mlpArguments.has(name);
  const of = (isChosen: (args: ShapeArguments) => boolean, isAsked: (name: string) => boolean): readonly string[] =>
    blocks.filter(isChosen).map((args) => textOf(args, isAsked));
  const hasExperts = (args: ShapeArguments): boolean => args['experts'] !== undefined;
  return [
    of(isDelta, isTrunk),
    of((args) => !isDelta(args), isTrunk),
    of(hasExperts, (name) => mlpArguments.has(name)),
    of(
      (args) => !hasExperts(args),
      (name) => mlpArguments.has(name),
    ),
    of(
      () => true,
      (name) => common.includes(name),
    ),
  ].every((texts) => new Set(texts).size <= 1);
}

/** What no argument of a GPT model says. */
const lacking = ['chunk', 'cross', 'relative_positions', 'qk_norm_whole'];

const has = (args: ShapeArguments, name: string): boolean => args[name] !== undefined && args[name] !== false;

export const modelRows = (title: string): readonly Row[] => [
  {
    key: 'model',
    runs: 'Transformer layers that are alike but for windows of one width (`--window-size`, `--window-attn-skip-freq`), gated delta rules (`delta_net`, `--linear-attention-freq`) and experts. Sinks are `--softmax-type learnable`.',
    source:
      'megatron/core/transformer/transformer_config.py: window_size, window_attn_skip_freq, softmax_type, linear_attention_freq, moe_layer_freq',
    refusesAsWritten: ({ layers }) => layerRefusal(blocksOf(layers), title),
  },
  {
    key: 'context_exchange',
    runs: 'Windows with context ranks: `all_to_all` and `all_gather`. Sinks: `all_to_all`.',
    source: 'TransformerEngine d0067d0d, transformer_engine/pytorch/attention: attn_forward_func_with_cp',
    refusesAsWritten: ({ layers, mesh }) => exchangeRefusal(blocksOf(layers), mesh, title),
  },
  {
    key: 'model',
    runs: 'Heads of gated delta rules divide by tensor × context ranks. Experts with biases are not split over tensor ranks.',
    source: 'megatron/core/transformer/transformer_config.py: __post_init__ (linear_num_key_heads, add_bias_linear)',
    refusesAsWritten: (setup) => splitRefusal(setup, title),
  },
];

function layerRefusal(blocks: readonly ShapeArguments[], title: string): Refusal | undefined {
  const mixer = blocks.map((args) => wordOf(args, 'mixer', 'attention')).find((word) => !mixers.has(word));
  if (mixer !== undefined)
    return {
      reason: `GPT models of ${title} have attention and gated delta rules (\`delta_net\`), not \`mixer = ${mixer}\``,
    };
  const name = lacking.find((each) => blocks.some((args) => has(args, each)));
  if (name !== undefined) return { reason: `GPT models of ${title} have no \`${name}\`` };
  if (blocks.some((args) => !flagOf(args, 'mlp', true)))
    return { reason: `every layer of a GPT model of ${title} has an MLP` };
  const windows = new Set(blocks.flatMap(({ window }) => (window === undefined ? [] : [window])));
  if (windows.size > 1)
    return { reason: `windows of ${title} have one width, and layers here have ${[...windows].join(' and ')}` };
  return areAlike(blocks)
    ? undefined
    : {
        reason: `transformer layers of ${title} are alike but for their windows, gated delta rules and experts, and layers here differ`,
      };
}

const mixers: ReadonlySet<string> = new Set(['attention', 'delta_net']);

function exchangeRefusal(
  blocks: readonly ShapeArguments[],
  { context, contextExchange }: Mesh,
  title: string,
): Refusal | undefined {
  if (context === 1 || contextExchange === 'all_to_all') return undefined;
  const refused = contextExchange === 'all_gather' ? ['sinks'] : ['window', 'sinks'];
  const found = refused.find((name) => blocks.some((args) => has(args, name)));
  return found === undefined
    ? undefined
    : {
        reason: `under ${title} layers with ${found === 'window' ? 'a window' : 'sinks'} exchange heads between context ranks (a2a), and ${contextExchange === 'all_gather' ? 'gather no keys' : 'pass no keys around a ring'}`,
        nearest: { key: 'context_exchange', value: 'all_to_all' },
      };
}

function splitRefusal({ layers, mesh, hasExperts }: Setup, title: string): Refusal | undefined {
  const blocks = blocksOf(layers);
  const ranks = mesh.tensor * mesh.context;
  const delta = blocks.find(isDelta);
  if (delta !== undefined) {
    const heads = numberOf(delta, 'heads', 1);
    const odd = [numberOf(delta, 'groups', heads), heads].find((each) => each % ranks !== 0);
    if (odd !== undefined)
      return {
        reason: `${title} splits the ${odd} heads of gated delta rules over tensor × context ranks, and ${odd} do not divide by ${ranks}`,
      };
  }
  return hasExperts && mesh.expertTensor > 1 && blocks.some((args) => flagOf(args, 'bias', true))
    ? {
        reason: `${title} splits no experts with biases over tensor ranks`,
        nearest: { key: 'expert_tensor', value: '1' },
      }
    : undefined;
}
