/** Sparse attention whose keys an indexer chooses (DeepSeek Sparse Attention, DeepSeek-V3.2, section 2.1; Megatron-LM, `dsa.py`). */
import { keysOf } from './attentionCore.ts';
import { moves, product } from './kernels.ts';
import { hiddenOf, parts, tokensOf, wholeRanks } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter } from './shape.ts';
import type { ApartFlops, Collective, Kernel, LayerSetting, Parts } from './types.ts';
import { matrix, type WeightMatrix } from './weightMatrix.ts';

export const indexerParameters: readonly ShapeParameter[] = [
  {
    name: 'index_topk',
    kind: 'integer',
    default: null,
    doc: 'keys that an indexer chooses for each token of latent attention, as in DeepSeek-V3.2. Default: all keys',
  },
  { name: 'index_heads', kind: 'integer', default: null, doc: 'heads of the indexer' },
  { name: 'index_head_dim', kind: 'integer', default: null, doc: 'width of a head of the indexer' },
];

export const hasIndexer = (args: ShapeArguments): boolean => typeof args['index_topk'] === 'number';

/** Arguments that lack another argument they need, or exclude one. */
export function checkIndexer(args: ShapeArguments): string | undefined {
  const names = indexerParameters.map(({ name }) => name);
  const written = names.find((name) => name in args);
  if (written === undefined) return undefined;
  const absent = [...names, 'q_lora_rank'].find((name) => !(name in args));
  if (absent !== undefined) return `${written} needs ${absent}`;
  if (!flagOf(args, 'flash', false)) return `${written} needs \`flash = true\`: sparse attention is a fused kernel`;
  if (args['causal'] === false) return `${written} needs \`causal = true\``;
  const limit = ['window', 'chunk'].find((name) => name in args);
  return limit === undefined ? undefined : `${limit} has no effect with ${written}`;
}

function widths(args: ShapeArguments) {
  return {
    hidden: hiddenOf(args),
    compressed: numberOf(args, 'q_lora_rank', 1),
    heads: numberOf(args, 'index_heads', 1),
    width: numberOf(args, 'index_head_dim', 1),
  };
}

/** Arguments of a core that meets the chosen keys: of the first tokens all before them, as in a window. */
export const chosenKeys = (args: ShapeArguments): ShapeArguments => ({
  ...args,
  window: numberOf(args, 'index_topk', 1),
});

/** q·a·d + h·d + h·a, and a LayerNorm of the key, for a heads of width d and compressed queries of q. */
export function indexerWeights(args: ShapeArguments): number {
  const { hidden, compressed, heads, width } = widths(args);
  return compressed * heads * width + hidden * width + hidden * heads + 2 * width;
}

/** Queries of the indexer from the compressed queries, its one key, and the weight of each head. */
export function indexerMatrices(args: ShapeArguments): readonly WeightMatrix[] {
  const { hidden, compressed, heads, width } = widths(args);
  return [
    ...matrix(compressed, heads * width, { unsplit: true }),
    ...matrix(hidden, width, { unsplit: true }),
    ...matrix(hidden, heads, { unsplit: true }),
  ];
}

/** What the indexer adds to a layer. FLOPs and bytes of a token on one rank. */
export interface Indexer {
  /** Its products with weights: forward and weight gradient, since its inputs are detached. */
  readonly products: number;
  /** Scores of all keys, and the target of its loss: in the forward only, since no gradient goes through a choice. */
  readonly scores: number;
  /** Scores of chosen keys, which have gradients: of two factors, as any core. */
  readonly chosen: number;
  /** Of products and scores, what tensor ranks repeat. */
  readonly spare: number;
  readonly apart: { readonly run: ApartFlops; readonly asked: ApartFlops };
  readonly keeps: Parts;
  readonly collectives: readonly Collective[];
  readonly kernels: () => readonly Kernel[];
}

/**
 * Every tensor rank has all of the indexer (`parallel_mode = "duplicated"`), and gathers its inputs. The target of the loss is what heads of
 * the layer give the chosen keys, summed over tensor ranks in fp32. Kept: gathered inputs, queries, the key, weights, and the numbers of the
 * chosen keys in 4 bytes. `headFlops`: of a key in QKᵀ of the layer.
 */
export function indexer(args: ShapeArguments, setting: LayerSetting, headFlops: number): Indexer {
  const { hidden, compressed, heads, width } = widths(args);
  const { tensor, context } = setting;
  const element = elementBytes(setting.precision);
  const tokens = tokensOf(setting);
  const all = keysOf(args, setting);
  const met = keysOf(chosenKeys(args), setting);
  const topk = Math.min(numberOf(args, 'index_topk', 1), setting.sequence);
  const queries = element * heads * width;
  const gathers = wholeRanks(setting) > 1;
  const target = met * headFlops;
  const ofKey = 2 * heads * width;
  const products = 2 * (compressed * heads * width + hidden * (width + heads));
  return {
    products,
    scores: all * ofKey + target,
    chosen: met * ofKey,
    spare: (products + all * ofKey) * (1 - 1 / tensor),
    apart: {
      run: { inputless: products + all * ofKey + target, forwardOnly: all * ofKey + target },
      asked: {
        inputless: (products + all * ofKey) / tensor + target,
        forwardOnly: (all * ofKey) / tensor + target,
      },
    },
    keeps: {
      // Without sequence parallelism the layer keeps both inputs already.
      [parts.linearInputs]: gathers ? element * (hidden + compressed) : 0,
      [parts.indexed]: queries + element * (2 * width + heads) + 4 * topk,
    },
    collectives: [
      ...(gathers
        ? [
            {
              over: 'tensor',
              pattern: 'all_gather',
              bytes: element * (hidden + compressed),
              forward: 1,
              backward: 0,
            } as const,
          ]
        : []),
      ...(tensor > 1
        ? [{ over: 'tensor', pattern: 'all_reduce', bytes: 4 * topk, forward: 1, backward: 0 } as const]
        : []),
      ...(context > 1
        ? [
            {
              over: 'context',
              pattern: 'all_gather',
              bytes: context * element * width,
              forward: 1,
              backward: 1,
            } as const,
          ]
        : []),
    ],
    kernels: () => [
      { ...product([tokens, compressed, heads * width], element), inputless: true },
      { ...product([tokens, hidden, width], element), inputless: true },
      moves(2 * element * tokens * width),
      { ...product([tokens, hidden, heads], element), inputless: true },
      // Scores stay on the chip, and the choice reads them there.
      {
        ...{ part: 'linear', flops: tokens * (all * ofKey + target), count: 1, frozen: true, inputless: true },
        bytes: tokens * (queries + element * width + 4 * topk),
      },
      { part: 'core', flops: tokens * met * ofKey, bytes: tokens * (queries + element * width + 4 * topk), count: 1 },
    ],
  };
}
