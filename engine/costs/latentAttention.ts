import { keptTwice } from './attention.ts';
import {
  contextExchange,
  coreBytes,
  coreFlops,
  coreKernels,
  coreModule,
  fusedCore,
  rawScores,
  savedCore,
  scoreBytes,
} from './attentionCore.ts';
import { moves, product } from './kernels.ts';
import {
  hiddenOf,
  type LayerPart,
  maskBytes,
  parts,
  residual,
  tensorCollectives,
  tokensOf,
  wholeRanks,
} from './layerPart.ts';
import { scattered } from './operations.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter } from './shape.ts';
import { storedAttended, storedInput } from './stored.ts';
import { type AdaptedProducts, adapterPart, inputForWeight, sumAdapters, trainsWeights } from './training.ts';
import type { LayerSetting, LoraTarget } from './types.ts';

/** Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1). It is chosen by `kv_lora_rank`. */
export const latentParameters: readonly ShapeParameter[] = [
  {
    name: 'kv_lora_rank',
    kind: 'integer',
    default: null,
    doc: 'width that keys and values are compressed to: multi-head latent attention, as in DeepSeek-V3',
  },
  {
    name: 'q_lora_rank',
    kind: 'integer',
    default: null,
    doc: 'width that queries are compressed to. Default: not compressed',
  },
  { name: 'qk_nope_head_dim', kind: 'integer', default: null, doc: 'width of a query and key head without positions' },
  {
    name: 'qk_rope_head_dim',
    kind: 'integer',
    default: null,
    doc: 'width of a query and key head with rotary positions',
  },
  { name: 'v_head_dim', kind: 'integer', default: null, doc: 'width of a value head' },
];

export const isLatent = (args: ShapeArguments): boolean => typeof args['kv_lora_rank'] === 'number';

const widthNames = ['qk_nope_head_dim', 'qk_rope_head_dim', 'v_head_dim'];
const ofOthers = ['kv_heads', 'head_dim', 'qkv_bias', 'out_bias', 'qk_norm', 'qk_norm_whole', 'cross'];

/** Arguments that lack another argument they need, or come with one they exclude. */
export function checkLatent(args: ShapeArguments): string | undefined {
  if (!isLatent(args)) {
    const lone = [...widthNames, 'q_lora_rank'].find((name) => name in args);
    return lone === undefined ? undefined : `${lone} needs kv_lora_rank`;
  }
  const absent = widthNames.find((widthName) => !(widthName in args));
  if (absent !== undefined) return `kv_lora_rank needs ${absent}`;
  const excluded = ofOthers.find((name) => name in args);
  if (excluded !== undefined) return `${excluded} has no effect with kv_lora_rank`;
  return args['bias'] === false ? undefined : 'kv_lora_rank needs `bias = false`';
}

/** Products that may have adapters: without compressed queries there is one product for these. */
export const latentTargets = (args: ShapeArguments): readonly LoraTarget[] => [
  ...('q_lora_rank' in args ? (['q_down', 'q_up'] as const) : (['q'] as const)),
  ...(['kv_down', 'kv_up', 'o'] as const),
];

/** Weights of the largest product, over all tensor ranks. */
export function widestLatent(args: ShapeArguments): number {
  const { hidden, heads, queryRank, kvRank, query, nope, rope, value } = widths(args);
  return Math.max(
    hidden * Math.max(queryRank, kvRank + rope, heads * value),
    (queryRank > 0 ? queryRank : hidden) * heads * query,
    kvRank * heads * (nope + value),
  );
}

function widths(args: ShapeArguments) {
  const [nope, rope, value] = widthNames.map((widthName) => numberOf(args, widthName, 1));
  return {
    hidden: hiddenOf(args),
    heads: numberOf(args, 'heads', 1),
    queryRank: numberOf(args, 'q_lora_rank', 0),
    kvRank: numberOf(args, 'kv_lora_rank', 1),
    query: nope + rope,
    nope,
    rope,
    value,
  };
}

/**
 * Tensor ranks split the heads of the products that widen again. The products that compress, and their norms, are whole on every
 * rank, which sequence parallelism gives its share of the tokens. Kept: inputs of every product and norm, and the queries, keys
 * and values that the core reads.
 */
export function latentPart(args: ShapeArguments, setting: LayerSetting): LayerPart {
  const { hidden, heads, queryRank, kvRank, query, nope, rope, value } = widths(args);
  const element = elementBytes(setting.precision);
  const whole = wholeRanks(setting);
  const local = heads / setting.tensor;
  const input = (element * hidden) / whole;
  const compress = hidden * (queryRank + kvRank + rope);
  const widen = local * ((queryRank > 0 ? queryRank : hidden) * query + kvRank * (nope + value) + value * hidden);
  // Each compressed vector is kept before its norm and after it.
  const compressed = (element * (queryRank + kvRank)) / whole;
  const qkv = element * local * (2 * query + value);
  const attended = element * local * value;
  const { scores, sums } = scoreBytes(args, setting, local);
  const trains = trainsWeights(setting);
  const tokens = tokensOf(setting);
  // Queries without a compressed vector read the layer's input.
  const direct = queryRank > 0 ? undefined : { q: heads * query };
  const kept = trains ? storedInput(setting, input) : input;
  const into: AdaptedProducts = {
    input: kept,
    inputs: hidden,
    outputs: { ...(direct ?? { q_down: queryRank }), kv_down: kvRank + rope },
  };
  const ofQueries: AdaptedProducts | undefined =
    direct === undefined
      ? { input: (element * queryRank) / whole, inputs: queryRank, outputs: { q_up: heads * query } }
      : undefined;
  const ofKeys: AdaptedProducts = {
    input: (element * kvRank) / whole,
    inputs: kvRank,
    outputs: { kv_up: heads * (nope + value) },
  };
  const out: AdaptedProducts = { input: attended, inputs: heads * value, outputs: { o: hidden } };
  const adapters = sumAdapters(
    [into, ofQueries, ofKeys, out].map((products) =>
      products === undefined ? undefined : adapterPart(setting, products),
    ),
  );
  const behindNorms = trains
    ? storedInput(setting, compressed)
    : (ofQueries === undefined ? 0 : inputForWeight(setting, ofQueries)) + inputForWeight(setting, ofKeys);
  // The backward of FlashAttention reads its result, whatever trains.
  const result = flagOf(args, 'flash', false) ? attended : 0;
  const compressing = (width: number) => product([tokens / whole, hidden, width], element);
  const widened = [local * query, local * (nope + value)];
  // Queries turn by their positions in place; keys are joined with the part that all heads share.
  const widening = () => [
    product([tokens, queryRank > 0 ? queryRank : hidden, widened[0]], element),
    product([tokens, kvRank, widened[1]], element),
    moves(2 * element * tokens * local * rope),
    moves(element * tokens * local * (nope + query)),
  ];
  const compressedTo = (width: number) => ({
    output: (element * width) / whole,
    kept: true,
    kernel: () => compressing(width),
  });
  const widenedBy = (at: 0 | 1) => ({ output: element * widened[at], kept: true, kernel: () => widening()[at] });
  const coreHeads = { heads: local, kvHeads: local, query, value };
  const gradients = (element * (queryRank + kvRank + rope)) / whole + element * local * (query + nope + value) + input;
  return {
    parameters: parametersOf(args, heads),
    localParameters: parametersOf(args, local),
    linear: 2 * (compress / whole + widen),
    spare: 2 * compress * (1 / whole - 1 / setting.tensor),
    core: coreFlops(args, setting, local, query, value),
    ...fusedCore(args, setting, query, value),
    keeps: {
      [parts.linearInputs]: inputForWeight(setting, into),
      [parts.masks]: maskBytes(args, setting),
      [parts.compressed]: compressed + behindNorms,
      [parts.qkv]: qkv,
      [parts.attended]: trains ? storedAttended(args, setting, attended) : keptTwice(setting, out, result),
      [parts.adapters]: adapters.sums,
      [parts.sums]: sums,
      [parts.scores]: scores,
    },
    remade: 0,
    whileInCore: rawScores(args, setting, local),
    adapters,
    matrices: compress + widen,
    forWeight: storedInput(setting, input + compressed + attended + gradients),
    collectives: [
      ...tensorCollectives(setting, element * hidden),
      ...contextExchange(setting, coreBytes(coreHeads, element)),
    ],
    modules: {
      core_attention: coreModule(args, setting, coreHeads),
      // The compressed vectors behind their norms stay.
      mla_up_proj: { frees: { [parts.qkv]: qkv }, kernels: widening },
    },
    operations: {
      products: [
        ...(queryRank > 0 ? [compressedTo(queryRank)] : []),
        widenedBy(0),
        compressedTo(kvRank + rope),
        widenedBy(1),
        { output: element * hidden, kept: false, kernel: () => product([tokens, local * value, hidden], element) },
      ],
      saves: savedCore(args, setting, coreHeads),
      extra: { [parts.scattered]: scattered(setting, element * hidden) },
    },
    kernels() {
      const norm = (width: number) => moves((2 * element * tokens * width) / whole);
      return [
        ...(queryRank > 0 ? [compressing(queryRank), norm(queryRank)] : []),
        compressing(kvRank + rope),
        norm(kvRank),
        ...widening(),
        ...coreKernels(args, setting, coreHeads),
        product([tokens, local * value, hidden], element),
        residual(args, setting),
      ];
    },
  };
}

/** h·q + q + q·a·(n + r) + h·(c + r) + c + c·a·(n + v) + a·v·h for ranks q and c, and heads of n, r and v. */
function parametersOf(args: ShapeArguments, heads: number): number {
  const { hidden, queryRank, kvRank, query, nope, rope, value } = widths(args);
  const queries = queryRank > 0 ? hidden * queryRank + queryRank + queryRank * heads * query : hidden * heads * query;
  return queries + hidden * (kvRank + rope) + kvRank + kvRank * heads * (nope + value) + heads * value * hidden;
}
