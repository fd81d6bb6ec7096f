/** Arguments that describe the model: what `modelOf` reads. */
import { list } from '../../../basics/quantities.ts';
import { flagOf, numberOf, type ShapeArguments, wordOf } from '../../../costs/shape.ts';
import type { ModelConstants, ModelDefinition } from '../../../definitions/model.ts';
import { blocksOf, isDelta } from '../../../engines/megatronModel.ts';
import type { LayerSymbol } from '../layout.ts';
import type { FlagText, FlagTexts } from './flagText.ts';

/** Arguments of a shape that have one of Megatron-LM's, or that change nothing there. */
const carried: ReadonlySet<string> = new Set([
  ...[
    'hidden',
    'heads',
    'kv_heads',
    'head_dim',
    'ffn',
    'gated',
    'bias',
    'qkv_bias',
    'qk_norm',
    'norm',
    'flash',
    'dropout',
  ],
  ...['window', 'sinks', 'output_gate', 'mixer', 'state', 'groups', 'kernel', 'block'],
  ...['experts', 'experts_per_token', 'expert_ffn', 'shared_experts', 'shared_gate', 'router_bias', 'capacity'],
  ...['kv_lora_rank', 'q_lora_rank', 'qk_nope_head_dim', 'qk_rope_head_dim', 'v_head_dim'],
  ...['vocab', 'pad', 'positions', 'tied'],
  // `parallel` is what it does unless asked. Other losses are refused.
  'loss',
]);

/** Empty for a model of measured layers, whose shapes nobody knows. */
export function modelFlags(model: ModelDefinition, stages: readonly (readonly LayerSymbol[])[]): FlagTexts {
  const symbols = stages.flat();
  const sizes: readonly FlagText[] = [
    ['num-layers', String(symbols.filter((symbol) => symbol === 't').length)],
    ...optional('mtp-num-layers', symbols.filter((symbol) => symbol === 'm').length, 0),
  ];
  const shaped = model.layers.flatMap(({ cost }) => (cost.kind === 'shape' ? [cost] : []));
  if (shaped.length < model.layers.length)
    return {
      flags: sizes,
      notes: ['Layers with measured times have no shapes: the arguments of the model are yours to add.'],
    };
  const of = (shape: string) => shaped.filter((cost) => cost.shape === shape).map(({ args }) => args);
  const [embedding, head] = [of('embedding')[0] ?? {}, of('lm_head')[0] ?? {}];
  const blocks = blocksOf(model.layers);
  const plain = blocks.find((args) => args['experts'] === undefined) ?? blocks[0];
  const mixed = blocks.find((args) => args['experts'] !== undefined);
  const attending = blocks.find((args) => !isDelta(args)) ?? blocks[0];
  const delta = blocks.find(isDelta);
  const others = [embedding, head, ...blocks].flatMap((args) =>
    Object.entries(args).filter(([name]) => !carried.has(name)),
  );
  const left = [...new Set(others.map(([name, value]) => `\`${name} = ${String(value)}\``))];
  return {
    flags: [
      ...sizes,
      ...trunkFlags(attending, plain, embedding),
      ...windowFlags(
        blocks,
        ofLayers(model, ({ window }) => window !== undefined),
      ),
      ...(delta === undefined ? [] : deltaFlags(delta, ofLayers(model, isDelta))),
      ...(mixed === undefined
        ? []
        : expertFlags(
            mixed,
            ofLayers(model, ({ experts }) => experts !== undefined),
          )),
      ...vocabularyFlags(embedding, head, model),
    ],
    notes: [
      ...(left.length === 0
        ? []
        : [`${list(left)} of the layers ${left.length === 1 ? 'has' : 'have'} no argument here.`]),
      ...(mixed !== undefined && flagOf(mixed, 'bias', true) && !flagOf(mixed, 'router_bias', false)
        ? ['If linear layers have biases, the router of Megatron-LM has one too: `router_bias = true` counts it.']
        : []),
    ],
  };
}

/** The variable of the shell that a script asks for if the model does not say the base: the default of Megatron-LM fits few models. */
export const rotaryVariable = 'ROTARY_BASE';

/** Whether the script needs the base of whoever runs it. */
export const lacksBase = ({ layers, constants }: ModelDefinition): boolean =>
  constants?.rotaryBase === undefined &&
  layers.some(
    ({ cost }) => cost.kind === 'shape' && cost.shape === 'embedding' && numberOf(cost.args, 'positions', 0) === 0,
  );

const rotaryFlags = ({ rotaryBase, rotaryPercent, ropeScaling }: ModelConstants): readonly FlagText[] => [
  ['rotary-base', rotaryBase === undefined ? `$${rotaryVariable}` : String(rotaryBase)],
  ...(rotaryPercent === undefined ? [] : optional('rotary-percent', rotaryPercent, 1)),
  ...(ropeScaling === undefined
    ? []
    : ([['use-rope-scaling'], ['rope-scaling-factor', String(ropeScaling)]] satisfies readonly FlagText[])),
];

/** A number unless it is what an absent argument means. */
const optional = (name: string, value: number, usual: number | undefined): readonly FlagText[] =>
  value === usual ? [] : [[name, String(value)]];

const onlyIf = (asked: boolean, ...flag: FlagText): readonly FlagText[] => (asked ? [flag] : []);

function trunkFlags(args: ShapeArguments, mlp: ShapeArguments, embedding: ShapeArguments): readonly FlagText[] {
  const hidden = numberOf(args, 'hidden', 1);
  const heads = numberOf(args, 'heads', 1);
  const latent = args['kv_lora_rank'] !== undefined;
  const norm = wordOf(args, 'norm', 'layernorm') === 'rmsnorm';
  return [
    ['hidden-size', String(hidden)],
    ['ffn-hidden-size', String(numberOf(mlp, 'ffn', numberOf(mlp, 'expert_ffn', 4 * hidden)))],
    ['num-attention-heads', String(heads)],
    ...(latent ? latentFlags(args) : headFlags(args, hidden, heads)),
    ...onlyIf(flagOf(args, 'gated', false), 'swiglu'),
    ['normalization', norm ? 'RMSNorm' : 'LayerNorm'],
    ...onlyIf(!flagOf(args, 'bias', true), 'disable-bias-linear'),
    ...onlyIf(!latent && flagOf(args, 'qkv_bias', false), 'add-qkv-bias'),
    ...onlyIf(flagOf(args, 'qk_norm', false), 'qk-layernorm'),
    ...onlyIf(flagOf(args, 'output_gate', false), 'attention-output-gate'),
    ...onlyIf(flagOf(args, 'sinks', false), 'softmax-type', 'learnable'),
    // Transformer Engine chooses a fused kernel by itself.
    ...onlyIf(!flagOf(args, 'flash', false), 'attention-backend', 'unfused'),
    ...onlyIf(!flagOf(args, 'dropout', true), 'attention-dropout', '0'),
    ...onlyIf(!flagOf(args, 'dropout', true) && !flagOf(embedding, 'dropout', true), 'hidden-dropout', '0'),
  ];
}

function headFlags(args: ShapeArguments, hidden: number, heads: number): readonly FlagText[] {
  const groups = numberOf(args, 'kv_heads', heads);
  return [
    ...(groups === heads
      ? []
      : ([['group-query-attention'], ['num-query-groups', String(groups)]] satisfies readonly FlagText[])),
    ...optional('kv-channels', numberOf(args, 'head_dim', hidden / heads), hidden / heads),
  ];
}

function latentFlags(args: ShapeArguments): readonly FlagText[] {
  const query = args['q_lora_rank'];
  return [
    ['multi-latent-attention'],
    ...(typeof query === 'number' ? optional('q-lora-rank', query, undefined) : []),
    ['kv-lora-rank', String(numberOf(args, 'kv_lora_rank', 512))],
    ['qk-head-dim', String(numberOf(args, 'qk_nope_head_dim', 128))],
    ['qk-pos-emb-head-dim', String(numberOf(args, 'qk_rope_head_dim', 64))],
    ['v-head-dim', String(numberOf(args, 'v_head_dim', 128))],
  ];
}

/** Tokens before a token that it attends to, and none behind it. */
function windowFlags(blocks: readonly ShapeArguments[], has: readonly boolean[]): readonly FlagText[] {
  const window = blocks.map((args) => args['window']).find((width) => typeof width === 'number');
  return window === undefined
    ? []
    : [['window-size', `${window - 1},0`], ...onlyIf(has.includes(false), 'window-attn-skip-freq', patternText(has))];
}

/** Gated delta rules in the place of attention. */
function deltaFlags(args: ShapeArguments, has: readonly boolean[]): readonly FlagText[] {
  const heads = numberOf(args, 'heads', 1);
  const width = numberOf(args, 'head_dim', numberOf(args, 'hidden', 1) / heads);
  return [
    ['experimental-attention-variant', 'gdn'],
    ['linear-attention-freq', patternText(has)],
    ['linear-conv-kernel-dim', String(numberOf(args, 'kernel', 4))],
    ['linear-key-head-dim', String(numberOf(args, 'state', width))],
    ['linear-value-head-dim', String(width)],
    ['linear-num-key-heads', String(numberOf(args, 'groups', heads))],
    ['linear-num-value-heads', String(heads)],
  ];
}

function expertFlags(args: ShapeArguments, has: readonly boolean[]): readonly FlagText[] {
  const width = numberOf(args, 'expert_ffn', numberOf(args, 'ffn', 4 * numberOf(args, 'hidden', 1)));
  const [shared, capacity] = [numberOf(args, 'shared_experts', 0), numberOf(args, 'capacity', 1)];
  return [
    ['num-experts', String(numberOf(args, 'experts', 1))],
    ['moe-router-topk', String(numberOf(args, 'experts_per_token', 1))],
    ['moe-ffn-hidden-size', String(width)],
    ...optional('moe-shared-expert-intermediate-size', shared * width, 0),
    ...onlyIf(flagOf(args, 'shared_gate', false), 'moe-shared-expert-gate'),
    // Where linear layers have biases, so has the router. Another one is added to scores, which are sigmoids then (transformer_config.py).
    ...(flagOf(args, 'router_bias', false) && !flagOf(args, 'bias', true)
      ? ([['moe-router-score-function', 'sigmoid'], ['moe-router-enable-expert-bias']] satisfies readonly FlagText[])
      : []),
    ...onlyIf(has.includes(false), 'moe-layer-freq', patternText(has)),
    ['moe-grouped-gemm'],
    ['moe-token-dispatcher-type', 'alltoall'],
    ...(capacity > 1
      ? ([
          ['moe-expert-capacity-factor', String(capacity)],
          ['moe-pad-expert-input-to-capacity'],
        ] satisfies readonly FlagText[])
      : []),
  ];
}

/** By transformer layer. */
const ofLayers = (model: ModelDefinition, isAsked: (args: ShapeArguments) => boolean): readonly boolean[] =>
  model.layers.flatMap(({ cost, count }) =>
    cost.kind === 'shape' && cost.shape === 'transformer' ? new Array<boolean>(count).fill(isAsked(cost.args)) : [],
  );

/** `([0]*3+[1]*58)` or `([1]*3+[0]*1)*12`, as Python writes lists: the shortest part that repeats. */
function patternText(has: readonly boolean[]): string {
  const period = has.findIndex(
    (_, at) => at > 0 && has.length % at === 0 && has.every((value, index) => value === has[index % at]),
  );
  const length = period > 0 ? period : has.length;
  const runs: { readonly is: boolean; count: number }[] = [];
  for (const is of has.slice(0, length)) {
    const last = runs.at(-1);
    if (last?.is === is) last.count += 1;
    else runs.push({ is, count: 1 });
  }
  const part = `(${runs.map(({ is, count }) => `[${is ? 1 : 0}]*${count}`).join('+')})`;
  return length === has.length ? part : `${part}*${has.length / length}`;
}

function vocabularyFlags(
  embedding: ShapeArguments,
  head: ShapeArguments,
  { sequence = 1, constants = {} }: ModelDefinition,
): readonly FlagText[] {
  const positions = numberOf(embedding, 'positions', 0);
  const { normEpsilon } = constants;
  return [
    ['vocab-size', String(numberOf(embedding, 'vocab', 1))],
    ['make-vocab-size-divisible-by', String(numberOf(embedding, 'pad', 1))],
    ...onlyIf(!flagOf(head, 'tied', false), 'untie-embeddings-and-output-weights'),
    ['position-embedding-type', positions > 0 ? 'learned_absolute' : 'rope'],
    ...(positions > 0 ? [] : rotaryFlags(constants)),
    ...(normEpsilon === undefined ? [] : ([['norm-epsilon', normEpsilon.toExponential()]] as const)),
    ['max-position-embeddings', String(positions > 0 ? positions : sequence)],
    ['seq-length', String(sequence)],
  ];
}
