/** Arguments that describe the model: what `modelOf` reads. */
import { list } from '../../../basics/quantities.ts';
import { flagOf, numberOf, type ShapeArguments, wordOf } from '../../../costs/shape.ts';
import type { ModelDefinition } from '../../../definitions/model.ts';
import type { LayerSymbol } from '../layout.ts';
import type { Unwritable } from '../../launch.ts';
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
  ...['experts', 'experts_per_token', 'expert_ffn', 'shared_experts', 'router_bias', 'capacity'],
  ...['kv_lora_rank', 'q_lora_rank', 'qk_nope_head_dim', 'qk_rope_head_dim', 'v_head_dim'],
  ...['vocab', 'pad', 'positions', 'tied'],
]);

/** `parallel` is what Megatron-LM does unless asked. */
const isLoss = (value: unknown): boolean => value === 'parallel' || value === 'fused';

/** Empty for a model of measured layers, whose shapes nobody knows. */
export function modelFlags(
  model: ModelDefinition,
  stages: readonly (readonly LayerSymbol[])[],
): FlagTexts | Unwritable {
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
  const blocks = of('transformer');
  if (!areAlike(blocks))
    return { problem: 'all transformer layers of Megatron-LM are alike but for their experts, and layers here differ' };
  const plain = blocks.find((args) => args['experts'] === undefined) ?? blocks[0];
  const mixed = blocks.find((args) => args['experts'] !== undefined);
  const others = [embedding, head, plain, mixed ?? {}].flatMap((args) =>
    Object.entries(args).filter(([name, value]) => !carried.has(name) && !(name === 'loss' && isLoss(value))),
  );
  const left = [...new Set(others.map(([name, value]) => `\`${name} = ${String(value)}\``))];
  return {
    flags: [
      ...sizes,
      ...trunkFlags(plain, embedding),
      ...(mixed === undefined ? [] : expertFlags(mixed, layersWithExperts(model))),
      ...vocabularyFlags(embedding, head, model),
    ],
    notes:
      left.length === 0 ? [] : [`${list(left)} of the layers ${left.length === 1 ? 'has' : 'have'} no argument here.`],
  };
}

const expertArguments: ReadonlySet<string> = new Set([
  ...['experts', 'experts_per_token', 'expert_ffn', 'shared_experts', 'router_bias', 'capacity', 'nodes_per_token'],
]);

/** Layers with experts and layers without have all but the width of their MLPs in common. */
function areAlike(blocks: readonly ShapeArguments[]): boolean {
  const trunks = blocks.map((args) => textOf(args, (name) => name !== 'ffn' && !expertArguments.has(name)));
  const [plain, mixed] = [false, true].map((has) =>
    blocks.filter((args) => (args['experts'] !== undefined) === has).map((args) => textOf(args, () => true)),
  );
  return [trunks, plain, mixed].every((texts) => new Set(texts).size <= 1);
}

const textOf = (args: ShapeArguments, isAsked: (name: string) => boolean): string =>
  JSON.stringify(
    Object.entries(args)
      .filter(([name]) => isAsked(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** A number unless it is what an absent argument means. */
const optional = (name: string, value: number, usual: number | undefined): readonly FlagText[] =>
  value === usual ? [] : [[name, String(value)]];

const onlyIf = (asked: boolean, ...flag: FlagText): readonly FlagText[] => (asked ? [flag] : []);

function trunkFlags(args: ShapeArguments, embedding: ShapeArguments): readonly FlagText[] {
  const hidden = numberOf(args, 'hidden', 1);
  const heads = numberOf(args, 'heads', 1);
  const latent = args['kv_lora_rank'] !== undefined;
  const norm = wordOf(args, 'norm', 'layernorm') === 'rmsnorm';
  return [
    ['hidden-size', String(hidden)],
    ['ffn-hidden-size', String(numberOf(args, 'ffn', numberOf(args, 'expert_ffn', 4 * hidden)))],
    ['num-attention-heads', String(heads)],
    ...(latent ? latentFlags(args) : headFlags(args, hidden, heads)),
    ...onlyIf(flagOf(args, 'gated', false), 'swiglu'),
    ['normalization', norm ? 'RMSNorm' : 'LayerNorm'],
    ...onlyIf(!flagOf(args, 'bias', true), 'disable-bias-linear'),
    ...onlyIf(!latent && flagOf(args, 'qkv_bias', false), 'add-qkv-bias'),
    ...onlyIf(flagOf(args, 'qk_norm', false), 'qk-layernorm'),
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

function expertFlags(args: ShapeArguments, has: readonly boolean[]): readonly FlagText[] {
  const width = numberOf(args, 'expert_ffn', numberOf(args, 'ffn', 4 * numberOf(args, 'hidden', 1)));
  const [shared, capacity] = [numberOf(args, 'shared_experts', 0), numberOf(args, 'capacity', 1)];
  return [
    ['num-experts', String(numberOf(args, 'experts', 1))],
    ['moe-router-topk', String(numberOf(args, 'experts_per_token', 1))],
    ['moe-ffn-hidden-size', String(width)],
    ...optional('moe-shared-expert-intermediate-size', shared * width, 0),
    ...onlyIf(flagOf(args, 'router_bias', false), 'moe-router-enable-expert-bias'),
    ...onlyIf(has.includes(false), 'moe-layer-freq', frequencyText(has)),
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
const layersWithExperts = (model: ModelDefinition): readonly boolean[] =>
  model.layers.flatMap(({ cost, count }) =>
    cost.kind === 'shape' && cost.shape === 'transformer'
      ? new Array<boolean>(count).fill(cost.args['experts'] !== undefined)
      : [],
  );

/** `([0]*3+[1]*58)`, as Python writes lists. */
function frequencyText(has: readonly boolean[]): string {
  const runs: { readonly expert: boolean; count: number }[] = [];
  for (const expert of has) {
    const last = runs.at(-1);
    if (last?.expert === expert) last.count += 1;
    else runs.push({ expert, count: 1 });
  }
  return `(${runs.map(({ expert, count }) => `[${expert ? 1 : 0}]*${count}`).join('+')})`;
}

function vocabularyFlags(
  embedding: ShapeArguments,
  head: ShapeArguments,
  { sequence = 1 }: ModelDefinition,
): readonly FlagText[] {
  const positions = numberOf(embedding, 'positions', 0);
  return [
    ['vocab-size', String(numberOf(embedding, 'vocab', 1))],
    ['make-vocab-size-divisible-by', String(numberOf(embedding, 'pad', 1))],
    ...onlyIf(!flagOf(head, 'tied', false), 'untie-embeddings-and-output-weights'),
    ['position-embedding-type', positions > 0 ? 'learned_absolute' : 'rope'],
    ['max-position-embeddings', String(positions > 0 ? positions : sequence)],
    ...(head['loss'] === 'fused'
      ? ([['cross-entropy-loss-fusion'], ['cross-entropy-fusion-impl', 'te']] satisfies readonly FlagText[])
      : []),
    ['seq-length', String(sequence)],
  ];
}
