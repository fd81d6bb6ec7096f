import { keptTwice } from './attention.ts';
import {
  contextExchange,
  coreBytes,
  coreFlops,
  coreKernels,
  coreModule,
  fusedCore,
  gatheredBytes,
  rawScores,
  savedCore,
  scoreBytes,
} from './attentionCore.ts';
import { moves, product } from './kernels.ts';
import {
  addParts,
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
import { ownNorm } from './ownNorm.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter } from './shape.ts';
import {
  checkIndexer,
  chosenKeys,
  hasIndexer,
  indexer,
  indexerMatrices,
  indexerParameters,
  indexerWeights,
} from './sparseIndexer.ts';
import { storedAttended, storedInput } from './stored.ts';
import { type AdaptedProducts, adapterPart, inputForWeight, sumAdapters, trainsWeights } from './training.ts';
import type { Collective, LayerSetting, LoraTarget } from './types.ts';
import { matrix, type WeightMatrix } from './weightMatrix.ts';

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
  ...indexerParameters,
];

export const isLatent = (args: ShapeArguments): boolean => typeof args['kv_lora_rank'] === 'number';

const widthNames = ['qk_nope_head_dim', 'qk_rope_head_dim', 'v_head_dim'];
const ofOthers = [
  'kv_heads',
  'head_dim',
  'qkv_bias',
  'out_bias',
  'qk_norm',
  'qk_norm_whole',
  'sinks',
  'output_gate',
  'cross',
];

/** Arguments that lack another argument they need, or come with one they exclude. */
export function checkLatent(args: ShapeArguments): string | undefined {
  if (!isLatent(args)) {
    const lone = [...widthNames, 'q_lora_rank', ...indexerParameters.map(({ name }) => name)].find(
      (name) => name in args,
    );
    return lone === undefined ? undefined : `${lone} needs kv_lora_rank`;
  }
  const absent = widthNames.find((widthName) => !(widthName in args));
  if (absent !== undefined) return `kv_lora_rank needs ${absent}`;
  const excluded = ofOthers.find((name) => name in args);
  if (excluded !== undefined) return `${excluded} has no effect with kv_lora_rank`;
  return args['bias'] === false ? checkIndexer(args) : 'kv_lora_rank needs `bias = false`';
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

/** Its products, a matrix each: those that compress are whole on every tensor rank. */
export function latentMatrices(args: ShapeArguments): readonly WeightMatrix[] {
  const { hidden, heads, queryRank, kvRank, query, nope, rope, value } = widths(args);
  return [
    ...matrix(hidden, queryRank, { unsplit: true }),
    ...matrix(queryRank > 0 ? queryRank : hidden, heads * query),
    ...matrix(hidden, kvRank + rope, { unsplit: true }),
    ...matrix(kvRank, heads * (nope + value)),
    ...matrix(heads * value, hidden),
    ...(hasIndexer(args) ? indexerMatrices(args) : []),
  ];
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
  const sparse = hasIndexer(args) ? indexer(args, setting, 2 * local * (kvRank + rope)) : undefined;
  const meets = coreOf(args, setting, local);
  const qkv = meets.kept;
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
  const read = inputForWeight(setting, into);
  // The backward of FlashAttention reads its result, whatever trains.
  const result = flagOf(args, 'flash', false) ? attended : 0;
  const compressing = (width: number) => product([tokens / whole, hidden, width], element);
  const norm = (width: number) => moves((2 * element * tokens * width) / whole);
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
  const gradients = (element * (queryRank + kvRank + rope)) / whole + element * local * (query + nope + value) + input;
  return {
    parameters: parametersOf(args, heads),
    localParameters: parametersOf(args, local),
    linear: 2 * (compress / whole + widen) + (sparse?.products ?? 0) + (sparse?.scores ?? 0),
    spare: 2 * compress * (1 / whole - 1 / setting.tensor) + (sparse?.spare ?? 0),
    core: coreFlops(meets.args, meets.setting, local, meets.heads.query, meets.heads.value) + (sparse?.chosen ?? 0),
    ...fusedCore(meets.args, meets.setting, meets.heads.query, meets.heads.value),
    ...(sparse === undefined ? {} : { apart: sparse.apart }),
    keeps: addParts(sparse?.keeps ?? {}, {
      [parts.linearInputs]: read,
      [parts.masks]: maskBytes(args, setting),
      [parts.compressed]: compressed + behindNorms,
      [parts.qkv]: qkv,
      [parts.gathered]: gatheredBytes(meets.setting, coreBytes(meets.heads, element).keysAndValues),
      [parts.attended]:
        meets.attended + (trains ? storedAttended(args, setting, attended) : keptTwice(setting, out, result)),
      [parts.adapters]: adapters.sums,
      [parts.sums]: sums,
      [parts.scores]: scores,
    }),
    remade: 0,
    whileInCore: rawScores(args, setting, local),
    adapters,
    matrices: compress + widen,
    forWeight: storedInput(setting, input + compressed + attended + gradients),
    collectives: [
      ...tensorCollectives(setting, element * hidden),
      ...meets.collectives,
      ...(sparse?.collectives ?? []),
    ],
    modules: {
      core_attention: { ...coreModule(meets.args, meets.setting, meets.heads), collectives: meets.collectives },
      ...ownNorm(args, setting, read),
      // Norms of compressed vectors run inside the products that widen them, but an indexer reads their results.
      mla_up_proj:
        sparse === undefined
          ? {
              frees: { [parts.qkv]: qkv, [parts.compressed]: behindNorms },
              kernels: () => [...(queryRank > 0 ? [norm(queryRank)] : []), norm(kvRank), ...widening()],
            }
          : { frees: { [parts.qkv]: qkv }, kernels: widening },
    },
    operations: {
      products: [
        ...(queryRank > 0 ? [compressedTo(queryRank)] : []),
        widenedBy(0),
        compressedTo(kvRank + rope),
        widenedBy(1),
        { output: element * hidden, kept: false, kernel: () => product([tokens, local * value, hidden], element) },
      ],
      saves: savedCore(meets.args, meets.setting, meets.heads),
      extra: { [parts.scattered]: scattered(setting, element * hidden) },
    },
    kernels: () => [
      ...(queryRank > 0 ? [compressing(queryRank), norm(queryRank)] : []),
      compressing(kvRank + rope),
      norm(kvRank),
      ...widening(),
      ...(sparse?.kernels() ?? []),
      ...coreKernels(meets.args, meets.setting, meets.heads),
      product([tokens, local * value, hidden], element),
      residual(args, setting),
    ],
  };
}

/** What a core reads and keeps. */
interface LatentCore {
  readonly args: ShapeArguments;
  readonly setting: LayerSetting;
  readonly heads: { readonly heads: number; readonly kvHeads: number; readonly query: number; readonly value: number };
  /** Bytes of a token: queries, keys and values, and what comes out before it is widened to values. */
  readonly kept: number;
  readonly attended: number;
  readonly collectives: readonly Collective[];
}

/**
 * Each head has keys and values, which are widened. A core with chosen keys has one key for all heads instead: the compressed vector with the
 * part for positions. Queries are multiplied with the weights that would widen keys, and results with those that widen values. So its products have
 * the same FLOPs, and a key has more (DeepSeek-V3.2, section 2.1: the MQA mode of latent attention; Megatron-LM, `absorbed_mla.py`). Tensor and
 * context ranks gather all keys (`cp_comm_type = allgather`), so a kernel meets the keys of whole sequences.
 */
function coreOf(args: ShapeArguments, setting: LayerSetting, local: number): LatentCore {
  const { kvRank, query, nope, rope, value } = widths(args);
  const element = elementBytes(setting.precision);
  if (!hasIndexer(args)) {
    const heads = { heads: local, kvHeads: local, query, value };
    const kept = element * local * (2 * query + value);
    return {
      args,
      setting,
      heads,
      kept,
      attended: 0,
      collectives: contextExchange(setting, coreBytes(heads, element)),
    };
  }
  const key = element * (kvRank + rope);
  const { context } = setting;
  return {
    args: chosenKeys(args),
    setting: { ...setting, contextExchange: 'all_to_all' },
    heads: { heads: local, kvHeads: 1, query: kvRank + rope, value: kvRank },
    // Queries before and after that product.
    kept: element * local * (nope + kvRank + rope) + key,
    attended: element * local * kvRank,
    collectives:
      context === 1 ? [] : [{ over: 'context', pattern: 'all_gather', bytes: context * key, forward: 1, backward: 1 }],
  };
}

/** h·q + q + q·a·(n + r) + h·(c + r) + c + c·a·(n + v) + a·v·h for ranks q and c, and heads of n, r and v. */
function parametersOf(args: ShapeArguments, heads: number): number {
  const { hidden, queryRank, kvRank, query, nope, rope, value } = widths(args);
  const queries = queryRank > 0 ? hidden * queryRank + queryRank + queryRank * heads * query : hidden * heads * query;
  const keys = hidden * (kvRank + rope) + kvRank + kvRank * heads * (nope + value);
  return queries + keys + heads * value * hidden + (hasIndexer(args) ? indexerWeights(args) : 0);
}
