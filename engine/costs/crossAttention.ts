/** Attention to the tokens of another tower: of an encoder, or of images. */
import {
  contextExchange,
  coreFlops,
  coreKernels,
  coreModule,
  fusedCore,
  gatheredBytes,
  rawScores,
  savedCore,
  scoreBytes,
} from './attentionCore.ts';
import { headNorms, keptTwice, widths } from './attention.ts';
import { moves, product } from './kernels.ts';
import { type LayerPart, maskBytes, parts, residual, tensorCollectives, tokensOf, wholeRanks } from './layerPart.ts';
import { scattered } from './operations.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter, wordOf } from './shape.ts';
import { storedAttended, storedInput } from './stored.ts';
import {
  type AdaptedProducts,
  type AdapterPart,
  adapterPart,
  inputForWeight,
  sumAdapters,
  trainsWeights,
} from './training.ts';
import type { Collective, Kernel, LayerSetting } from './types.ts';
import { matrix, type WeightMatrix } from './weightMatrix.ts';

export const crossParameters: readonly ShapeParameter[] = [
  {
    name: 'cross',
    kind: 'integer',
    default: null,
    doc: 'tokens of another tower that each sequence attends to (cross-attention), after its own attention',
  },
  { name: 'cross_hidden', kind: 'integer', default: null, doc: 'width of the tokens of `cross`. Default: `hidden`' },
  {
    name: 'self_attention',
    kind: 'boolean',
    default: true,
    doc: '`false`: the layer attends only to the tokens of `cross`, as in Llama 3.2 Vision',
  },
];

export const hasCross = (args: ShapeArguments): boolean => typeof args['cross'] === 'number';

/** Whether the layer attends to its own sequence too. */
export const attendsToItself = (args: ShapeArguments): boolean =>
  wordOf(args, 'mixer', 'attention') !== 'none' && (!hasCross(args) || flagOf(args, 'self_attention', true));

/** Arguments that need `cross`. */
export function checkCross(args: ShapeArguments): string | undefined {
  if (hasCross(args)) return undefined;
  const lone =
    'cross_hidden' in args ? 'cross_hidden' : args['self_attention'] === false ? 'self_attention' : undefined;
  return lone === undefined ? undefined : `${lone} needs cross`;
}

/**
 * Queries of the layer's tokens, keys and values of the other tower's (Vaswani et al., arXiv:1706.03762, section 3.2.3; Megatron-LM,
 * `CrossAttention`). All bytes and FLOPs are of one token of the layer; `ratio` tokens of the other tower come on each. It is never
 * causal. The other tower's tokens are kept as they arrive, once for all layers of a stage. If nothing before them trains, keys and values
 * have W and no I: the gradient of their input is needed by nobody.
 */
export function crossAttentionPart(args: ShapeArguments, setting: LayerSetting): LayerPart {
  const { hidden, heads, kvHeads, headDim } = widths(args);
  const { tensor } = setting;
  const other = numberOf(args, 'cross_hidden', hidden);
  // Documents that a sample is packed from are of the layer's sequence.
  const { documents: _documents, ...undivided } = setting;
  const met: LayerSetting = { ...undivided, sequence: numberOf(args, 'cross', setting.sequence) };
  const ratio = met.sequence / setting.sequence;
  const core: ShapeArguments = { ...args, causal: false };
  const element = elementBytes(setting.precision);
  const [localHeads, localKv] = [heads / tensor, Math.max(1, kvHeads / tensor)];
  const input = (element * hidden) / wholeRanks(setting);
  const arriving = (element * other) / wholeRanks(setting);
  const [query, keys] = [element * localHeads * headDim, ratio * element * localKv * headDim];
  const normed = flagOf(args, 'qk_norm', false) ? query + keys : 0;
  const { scores, sums } = scoreBytes(core, met, localHeads);
  const trains = trainsWeights(setting);
  const ofQuery: AdaptedProducts = {
    input: trains ? storedInput(setting, input) : input,
    inputs: hidden,
    outputs: { q: heads * headDim },
  };
  const ofOther: AdaptedProducts = {
    input: trains ? storedInput(setting, arriving) : arriving,
    inputs: other,
    outputs: { k: kvHeads * headDim, v: kvHeads * headDim },
  };
  const out: AdaptedProducts = { input: query, inputs: heads * headDim, outputs: { o: hidden } };
  const adapters = sumAdapters([
    adapterPart(setting, ofQuery),
    onEach(ratio, adapterPart(setting, ofOther)),
    adapterPart(setting, out),
  ]);
  const tokens = tokensOf(setting);
  const width = { heads: localHeads, kvHeads: localKv, query: headDim, value: headDim };
  const kept = ratio * inputForWeight(setting, ofOther);
  const exchange = contextExchange(setting, { queries: query, keysAndValues: 2 * keys, attended: query });
  const gathered = gatheredBytes(setting, 2 * keys);
  const module = coreModule(core, met, width);
  const kernels = () => coreKernels(core, met, width, tokens);
  const keysAndValues = (kernel: Kernel): Kernel =>
    setting.attendedFrozen === true ? { ...kernel, inputless: true } : kernel;
  return {
    parameters: parametersOf(args, heads, kvHeads),
    localParameters: parametersOf(args, localHeads, localKv),
    linear: 2 * (2 * hidden * localHeads + ratio * 2 * other * localKv) * headDim,
    otherTower: ratio * 4 * other * localKv * headDim,
    matrices: 2 * (hidden * localHeads + other * localKv) * headDim,
    core: coreFlops(core, met, localHeads, headDim, headDim),
    ...fusedCore(core, met, headDim, headDim),
    keeps: {
      [parts.linearInputs]: inputForWeight(setting, ofQuery),
      [parts.crossInput]: kept,
      [parts.masks]: maskBytes(args, setting),
      [parts.qkv]: query + 2 * keys + normed,
      [parts.gathered]: gathered,
      [parts.attended]: trains
        ? storedAttended(args, setting, query)
        : keptTwice(setting, out, flagOf(args, 'flash', false) ? query : 0),
      [parts.adapters]: adapters.sums,
      [parts.sums]: sums,
      [parts.scores]: scores,
    },
    // A copy in another format is each layer's, and so is a copy with a dropout.
    ...(kept === ratio * arriving ? { crossInput: kept } : {}),
    remade: 0,
    whileInCore: rawScores(core, met, localHeads),
    adapters,
    forWeight: storedInput(setting, input + ratio * arriving + query + query + 2 * keys + input),
    collectives: [
      ...tensorCollectives(setting, element * hidden),
      ...otherCollectives(setting, ratio * element * other),
      ...exchange,
    ],
    modules: {
      core_attention: {
        ...module,
        frees: { ...module.frees, [parts.gathered]: gathered },
        kernels,
        collectives: exchange,
      },
    },
    operations: {
      products: [
        { output: query, kept: true, kernel: () => product([tokens, hidden, localHeads * headDim], element) },
        ...[keys, keys].map((output) => ({
          output,
          kept: true,
          kernel: () => product([ratio * tokens, other, localKv * headDim], element),
        })),
        {
          output: element * hidden,
          kept: false,
          kernel: () => product([tokens, localHeads * headDim, hidden], element),
        },
      ],
      saves: { ...savedCore(core, met, { heads: localHeads, value: headDim }), [parts.crossInput]: ratio * arriving },
      extra: { [parts.scattered]: scattered(setting, element * hidden) },
    },
    kernels: () => [
      product([tokens, hidden, localHeads * headDim], element),
      keysAndValues(product([ratio * tokens, other, 2 * localKv * headDim], element)),
      ...(normed > 0 ? [query, keys].map((bytes) => moves(2 * tokens * bytes)) : []),
      ...kernels(),
      product([tokens, localHeads * headDim, hidden], element),
      residual(args, setting),
    ],
  };
}

/** Queries and the projection are of the layer's tokens, keys and values of the other tower's. */
export function crossMatrices(args: ShapeArguments): readonly WeightMatrix[] {
  const { hidden, heads, kvHeads, headDim } = widths(args);
  return [
    ...matrix(hidden, heads * headDim, { count: 2 }),
    ...matrix(numberOf(args, 'cross_hidden', hidden), kvHeads * headDim, { count: 2 }),
  ];
}

/** Bytes of the other tower's tokens that a layer of a stage reads, for one microbatch on one rank. */
export function crossInputBytes(args: ShapeArguments, setting: LayerSetting): number {
  if (!hasCross(args)) return 0;
  const bytes = elementBytes(setting.precision) * numberOf(args, 'cross_hidden', widths(args).hidden);
  const ratio = numberOf(args, 'cross', setting.sequence) / setting.sequence;
  return (tokensOf(setting) * ratio * bytes) / wholeRanks(setting);
}

/** For a number of heads, of a rank or of all: q and o are h·a·d each, k and v are as wide as the other tower. */
function parametersOf(args: ShapeArguments, heads: number, kvHeads: number): number {
  const { hidden, headDim } = widths(args);
  const bias = flagOf(args, 'bias', true);
  const [query, keys] = [heads * headDim, 2 * kvHeads * headDim];
  const biases = (flagOf(args, 'qkv_bias', bias) ? query + keys : 0) + (flagOf(args, 'out_bias', bias) ? hidden : 0);
  return 2 * hidden * query + numberOf(args, 'cross_hidden', hidden) * keys + biases + headNorms(args, heads, kvHeads);
}

/** Tensor ranks need all of the other tower's tokens, and add the gradients of their heads up, if these are needed. */
function otherCollectives(
  { tensor, sequenceParallel, attendedFrozen }: LayerSetting,
  bytes: number,
): readonly Collective[] {
  if (tensor === 1) return [];
  const gathered: Collective = { over: 'tensor', pattern: 'all_gather', bytes, forward: 1, backward: 0 };
  if (attendedFrozen === true) return sequenceParallel ? [gathered] : [];
  if (!sequenceParallel) return [{ over: 'tensor', pattern: 'all_reduce', bytes, forward: 0, backward: 1 }];
  return [gathered, { over: 'tensor', pattern: 'reduce_scatter', bytes, forward: 0, backward: 1 }];
}

/** Adapters that work on `ratio` tokens of another tower for each token of the layer. */
const onEach = (ratio: number, part: AdapterPart | undefined): AdapterPart | undefined =>
  part === undefined
    ? undefined
    : {
        ...part,
        linear: ratio * part.linear,
        inputs: ratio * part.inputs,
        sums: ratio * part.sums,
        forWeight: ratio * part.forWeight,
        traffic: ratio * part.traffic,
        kernels: (tokens) => part.kernels(ratio * tokens),
      };
