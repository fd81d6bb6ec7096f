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
import { type AdaptedProducts, adapterPart, inputForWeight, loraOf, sumAdapters, trainsWeights } from './training.ts';
import type { LayerSetting } from './types.ts';
import { matrix, type WeightMatrix } from './weightMatrix.ts';

export const headParameters: readonly ShapeParameter[] = [
  { name: 'heads', kind: 'integer', example: 32, doc: 'query heads' },
  { name: 'kv_heads', kind: 'integer', default: null, doc: 'key and value heads. Default: the number of query heads' },
  { name: 'head_dim', kind: 'integer', default: null, doc: 'width of a head. Default: hidden / heads' },
];

export const attentionParameters: readonly ShapeParameter[] = [
  {
    name: 'qkv_bias',
    kind: 'boolean',
    default: null,
    doc: 'biases of query, key and value only, as in Qwen 2. Default: as `bias`',
  },
  { name: 'qk_norm', kind: 'boolean', default: false, doc: 'RMSNorm of each query and key head, as in Qwen 3' },
  {
    name: 'qk_norm_whole',
    kind: 'boolean',
    default: false,
    doc: 'the norms of `qk_norm` are over all heads at once, as in InternViT',
  },
  {
    name: 'sinks',
    kind: 'boolean',
    default: false,
    doc: 'a learned logit of each head in its softmax, which takes weight from all keys, as in gpt-oss',
  },
];

export const outputGate: ShapeParameter = {
  name: 'output_gate',
  kind: 'boolean',
  default: false,
  doc: 'a gate of the result of attention, as wide as the queries, as in Qwen3-Next',
};

export const outBias: ShapeParameter = {
  name: 'out_bias',
  kind: 'boolean',
  default: null,
  doc: 'bias of the projection after attention only. Default: as `bias`',
};

export function checkAttention(args: ShapeArguments, tensor: number): string | undefined {
  const { hidden, heads, kvHeads } = widths(args);
  if (typeof args['head_dim'] !== 'number' && hidden % heads !== 0)
    return `hidden ${hidden} is not a multiple of heads ${heads}; set head_dim`;
  if (flagOf(args, 'qk_norm_whole', false) && !flagOf(args, 'qk_norm', false))
    return 'qk_norm_whole needs `qk_norm = true`';
  if (kvHeads > heads || heads % kvHeads !== 0) return `heads ${heads} is not a multiple of kv_heads ${kvHeads}`;
  if (kvHeads % tensor !== 0 && tensor % kvHeads !== 0)
    return `${kvHeads} kv_heads cannot be split over ${tensor} tensor ranks`;
  return undefined;
}

/** Why context ranks cannot split the heads of a rank, if they exchange heads for tokens. */
export function contextProblem(
  args: ShapeArguments,
  { tensor, context, contextExchange: exchange }: Pick<LayerSetting, 'tensor' | 'context' | 'contextExchange'>,
): string | undefined {
  if (exchange !== 'all_to_all' || typeof args['heads'] !== 'number') return undefined;
  // Latent attention has keys and values for every head, and no `kv_heads`.
  const split = Math.max(1, widths(args).kvHeads / tensor);
  if (split % context === 0) return undefined;
  return `an all-to-all splits the heads of keys and values of a rank, ${split}, over the context ranks`;
}

/** Widths of attention without latent vectors. */
export function widths(args: ShapeArguments) {
  const hidden = hiddenOf(args);
  const heads = numberOf(args, 'heads', 1);
  const kvHeads = numberOf(args, 'kv_heads', heads);
  return { hidden, heads, kvHeads, headDim: numberOf(args, 'head_dim', hidden / heads) };
}

/**
 * Attention with heads split over tensor ranks; a rank has at least one key and value head. Parts of the activations as in Table
 * 2 of arXiv:2205.05198 (section 4.1), for any widths. The norm of query and key heads keeps its input in addition to what the
 * core reads.
 */
export function attentionPart(args: ShapeArguments, setting: LayerSetting): LayerPart {
  const { hidden, heads, kvHeads, headDim } = widths(args);
  const { tensor } = setting;
  const element = elementBytes(setting.precision);
  const [localHeads, localKv] = [heads / tensor, Math.max(1, kvHeads / tensor)];
  const input = (element * hidden) / wholeRanks(setting);
  const qkv = element * (localHeads + 2 * localKv) * headDim;
  const attended = element * localHeads * headDim;
  const normed = flagOf(args, 'qk_norm', false) ? element * (localHeads + localKv) * headDim : 0;
  const gate = flagOf(args, 'output_gate', false) ? localHeads * headDim : 0;
  const { scores, sums } = scoreBytes(args, setting, localHeads);
  const [query, key] = [heads * headDim, kvHeads * headDim];
  const kept = trainsWeights(setting) ? storedInput(setting, input) : input;
  const into: AdaptedProducts = { input: kept, inputs: hidden, outputs: { q: query, k: key, v: key } };
  const out: AdaptedProducts = { input: attended, inputs: query, outputs: { o: hidden } };
  const adapters = sumAdapters([adapterPart(setting, into), adapterPart(setting, out)]);
  // The backward of FlashAttention reads its result, whatever trains.
  const result = flagOf(args, 'flash', false) ? attended : 0;
  const tokens = tokensOf(setting);
  const coreHeads = { heads: localHeads, kvHeads: localKv, query: headDim, value: headDim };
  const core = coreModule(args, setting, coreHeads);
  const projection = (width: number) => ({
    output: element * width,
    kept: true,
    kernel: () => product([tokens, hidden, width], element),
  });
  return {
    parameters: parametersOf(args, heads, kvHeads),
    localParameters: parametersOf(args, localHeads, localKv),
    linear: 2 * hidden * (2 * (localHeads + localKv) * headDim + gate),
    core: coreFlops(args, setting, localHeads, headDim, headDim),
    ...fusedCore(args, setting, headDim, headDim),
    keeps: {
      [parts.linearInputs]: inputForWeight(setting, into),
      [parts.masks]: maskBytes(args, setting),
      // A gate, and what it multiplies: the projection reads their product.
      [parts.qkv]: qkv + normed + 2 * element * gate,
      [parts.gathered]: gatheredBytes(setting, coreBytes(coreHeads, element).keysAndValues),
      [parts.attended]: trainsWeights(setting)
        ? storedAttended(args, setting, attended)
        : keptTwice(setting, out, result),
      [parts.adapters]: adapters.sums,
      [parts.sums]: sums,
      [parts.scores]: scores,
    },
    remade: 0,
    whileInCore: rawScores(args, setting, localHeads),
    adapters,
    forWeight: storedInput(setting, input + attended + qkv + element * gate + input),
    collectives: [
      ...tensorCollectives(setting, element * hidden),
      ...contextExchange(setting, coreBytes(coreHeads, element)),
    ],
    modules: { core_attention: core },
    operations: {
      products: [
        ...[localHeads * headDim + gate, localKv * headDim, localKv * headDim].map(projection),
        {
          output: element * hidden,
          kept: false,
          kernel: () => product([tokens, localHeads * headDim, hidden], element),
        },
      ],
      saves: savedCore(args, setting, { heads: localHeads, value: headDim }),
      extra: { [parts.scattered]: scattered(setting, element * hidden) },
    },
    kernels() {
      const norms = [localHeads, localKv].map((value) => moves(2 * element * tokens * value * headDim));
      return [
        // Queries, keys and values are one product, its bias is added as it ends.
        product([tokens, hidden, (localHeads + 2 * localKv) * headDim + gate], element),
        ...(normed > 0 ? norms : []),
        ...coreKernels(args, setting, { heads: localHeads, kvHeads: localKv, query: headDim, value: headDim }),
        ...(gate > 0 ? [moves(3 * element * tokens * gate)] : []),
        product([tokens, localHeads * headDim, hidden], element),
        residual(args, setting),
      ];
    },
  };
}

/** What W of an adapter needs of a result that I also reads: with dropout it is a separate copy. */
export const keptTwice = (setting: LayerSetting, products: AdaptedProducts, result: number): number => {
  const forWeight = inputForWeight(setting, products);
  return loraOf(setting)?.dropout === true ? result + forWeight : Math.max(result, forWeight);
};

/**
 * For a number of heads, of a rank or of all: h·(a + 2k)·d + a·d·h; the bias after the reduction is whole on every rank. A sink is a number
 * for each head, whose gradient follows from the log-sum-exp (gpt-oss, arXiv:2508.10925).
 */
function parametersOf(args: ShapeArguments, heads: number, kvHeads: number): number {
  const { hidden, headDim } = widths(args);
  const bias = flagOf(args, 'bias', true);
  const qkv = (heads + 2 * kvHeads) * headDim;
  const gate = flagOf(args, 'output_gate', false) ? heads * headDim : 0;
  const biases = (flagOf(args, 'qkv_bias', bias) ? qkv + gate : 0) + (flagOf(args, 'out_bias', bias) ? hidden : 0);
  const sinks = flagOf(args, 'sinks', false) ? heads : 0;
  return hidden * (qkv + gate) + heads * headDim * hidden + biases + sinks + headNorms(args, heads, kvHeads);
}

/** Queries, keys, values, a gate and the projection behind attention: a matrix each. */
export function attentionMatrices(args: ShapeArguments): readonly WeightMatrix[] {
  const { hidden, heads, kvHeads, headDim } = widths(args);
  return [
    ...matrix(hidden, heads * headDim, { count: flagOf(args, 'output_gate', false) ? 3 : 2 }),
    ...matrix(hidden, kvHeads * headDim, { count: 2 }),
  ];
}

/** Parameters of the norms of queries and keys: of one head each, or of all heads. */
export function headNorms(args: ShapeArguments, heads: number, kvHeads: number): number {
  if (!flagOf(args, 'qk_norm', false)) return 0;
  return (flagOf(args, 'qk_norm_whole', false) ? heads + kvHeads : 2) * widths(args).headDim;
}
