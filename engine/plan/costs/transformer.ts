import { norms, normParameter, normParameters } from './norm.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeSchema, wordOf } from './shape.ts';
import type { LayerSetting, ShapeCost } from './types.ts';

/**
 * A dense transformer layer, GPT and Llama style: attention and MLP, each behind a norm and a residual connection.
 * Tensor parallelism is that of Megatron-LM: heads and the MLP's width are split, where they do not divide the most loaded
 * rank counts.
 */
export const transformer: ShapeSchema = {
  name: 'transformer',
  doc:
    'A dense transformer layer: attention and MLP. The defaults are those of GPT; Llama is ' +
    '`gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false` with its own `kv_heads` and `ffn`.',
  parameters: [
    { name: 'hidden', kind: 'integer', doc: 'width of a token' },
    { name: 'heads', kind: 'integer', doc: 'query heads' },
    {
      name: 'kv_heads',
      kind: 'integer',
      default: null,
      doc: 'key and value heads; as many as query heads unless said',
    },
    { name: 'head_dim', kind: 'integer', default: null, doc: 'width of a head; hidden / heads unless said' },
    { name: 'ffn', kind: 'integer', default: null, doc: 'inner width of the MLP; 4 × hidden unless said' },
    { name: 'gated', kind: 'boolean', default: false, doc: 'SwiGLU: a gate beside the up projection' },
    { name: 'bias', kind: 'boolean', default: true, doc: 'biases in every linear layer' },
    {
      name: 'qkv_bias',
      kind: 'boolean',
      default: null,
      doc: 'biases of query, key and value alone, as in Qwen 2; as `bias` unless said',
    },
    { name: 'qk_norm', kind: 'boolean', default: false, doc: 'RMSNorm of each query and key head, as in Qwen 3' },
    normParameter('normalisation before attention and MLP', norms),
    {
      name: 'causal',
      kind: 'boolean',
      default: true,
      doc: 'a token attends to earlier ones only, which halves the attention core',
    },
    { name: 'flash', kind: 'boolean', default: false, doc: 'FlashAttention: attention scores are never stored' },
    {
      name: 'dropout',
      kind: 'boolean',
      default: true,
      doc: 'dropout after attention, MLP and softmax, whose masks are stored',
    },
  ],
  check: checkTransformer,
  cost: costOfTransformer,
};

function checkTransformer(args: ShapeArguments, setting?: LayerSetting): string | undefined {
  const { hidden, heads, kvHeads } = dimensions(args);
  if (typeof args.head_dim !== 'number' && hidden % heads !== 0)
    return `hidden ${hidden} is not a multiple of heads ${heads}; set head_dim`;
  if (kvHeads > heads || heads % kvHeads !== 0) return `heads ${heads} is not a multiple of kv_heads ${kvHeads}`;
  const tensor = setting?.tensor ?? 1;
  if (heads % tensor !== 0) return `${heads} heads cannot be split over ${tensor} tensor ranks`;
  if (kvHeads % tensor !== 0 && tensor % kvHeads !== 0)
    return `${kvHeads} kv_heads cannot be split over ${tensor} tensor ranks`;
  return undefined;
}

function dimensions(args: ShapeArguments) {
  const hidden = numberOf(args, 'hidden', 1);
  const heads = numberOf(args, 'heads', 1);
  return {
    hidden,
    heads,
    kvHeads: numberOf(args, 'kv_heads', heads),
    headDim: numberOf(args, 'head_dim', hidden / heads),
    ffn: numberOf(args, 'ffn', 4 * hidden),
    /** Matrices of the MLP that read its input: up, and gate where there is one. */
    up: flagOf(args, 'gated', false) ? 2 : 1,
  };
}

function costOfTransformer(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const { hidden, heads, ffn, kvHeads } = dimensions(args);
  const { tensor } = setting;
  const localParameters = parametersOf(args, heads / tensor, Math.max(1, kvHeads / tensor), ffn / tensor);
  const { linearFlops, coreFlops } = flopsOf(args, setting);
  const { all, input, scores, forWeight } = activationsOf(args, setting);
  const tokens = setting.sequence * setting.microBatch;
  const element = elementBytes(setting.precision);
  const recomputed = setting.recompute === 'full' ? all - input : setting.recompute === 'selective' ? scores : 0;
  return {
    parameters: parametersOf(args, heads, kvHeads, ffn),
    localParameters,
    linearFlops,
    coreFlops,
    traffic: localParameters * element + all,
    activation: all - recomputed,
    activationForWeight: forWeight,
    recomputed,
    // FlashAttention makes scores again by itself, so selective recomputation has nothing to do there.
    recomputeFlops: setting.recompute === 'full' ? linearFlops + coreFlops : recomputed > 0 ? coreFlops : 0,
    output: (element * tokens * hidden) / (setting.sequenceParallel ? tensor : 1),
    workspace: 0,
    // With sequence parallelism each is an all-gather and a reduce-scatter: the same bytes and steps.
    reduceBytes: element * tokens * hidden,
    reduceCount: tensor > 1 ? 2 : 0,
  };
}

/**
 * Parameters for a number of heads and an inner width, of a rank or of all of them; norms and the biases added after a
 * reduction are whole on every rank. GPT: 12h² + 13h.
 */
function parametersOf(args: ShapeArguments, heads: number, kvHeads: number, ffn: number): number {
  const { hidden, headDim, up } = dimensions(args);
  const bias = flagOf(args, 'bias', true);
  const qkv = (heads + 2 * kvHeads) * headDim;
  const weights = hidden * qkv + heads * headDim * hidden + (up + 1) * hidden * ffn;
  const biases = (flagOf(args, 'qkv_bias', bias) ? qkv : 0) + (bias ? hidden + up * ffn + hidden : 0);
  const ofHeads = flagOf(args, 'qk_norm', false) ? 2 * headDim : 0;
  return weights + biases + ofHeads + 2 * normParameters(wordOf(args, 'norm', 'layernorm'), hidden);
}

/**
 * Forward FLOPs of one microbatch on one rank, a multiply-add as two. Only matrix products count. A causal core counts half,
 * as Megatron-LM and FlashAttention do now; the closed forms of arXiv:2104.04473 (eq. 3) and arXiv:2205.05198 (eq. 7) count
 * it whole.
 */
function flopsOf(args: ShapeArguments, setting: LayerSetting) {
  const { hidden, heads, kvHeads, headDim, ffn, up } = dimensions(args);
  const { sequence, tensor } = setting;
  const tokens = sequence * setting.microBatch;
  const products =
    hidden * ((heads / tensor) * 2 + 2 * Math.max(1, kvHeads / tensor)) * headDim + (up + 1) * hidden * (ffn / tensor);
  const core = (flagOf(args, 'causal', true) ? 2 : 4) * sequence * (heads / tensor) * headDim;
  return { linearFlops: 2 * tokens * products, coreFlops: tokens * core };
}

/**
 * Bytes of one microbatch on one rank; the parts of Table 2 of arXiv:2205.05198 (section 4.1), for any widths. Norm inputs,
 * inputs of the first linear layers and dropout masks are whole on every rank unless sequence parallelism splits them;
 * all others are split over tensor ranks. A SwiGLU product is taken as fused: gate, up and product are kept.
 *
 * `forWeight`: what a weight gradient needs after the input gradient is done: the input of every linear layer and the
 * gradient of its output (arXiv:2401.10241, section 2: 32sbh for GPT). With recomputation it can exceed what F leaves.
 */
function activationsOf(args: ShapeArguments, setting: LayerSetting) {
  const { hidden, heads, kvHeads, headDim, ffn, up } = dimensions(args);
  const { sequence, tensor } = setting;
  const tokens = sequence * setting.microBatch;
  const element = elementBytes(setting.precision);
  const dropout = flagOf(args, 'dropout', true);
  const whole = setting.sequenceParallel ? tensor : 1;

  const layerInput = (element * hidden) / whole;
  const masks = dropout ? (2 * hidden) / whole : 0;
  const qkv = element * (heads / tensor + 2 * Math.max(1, kvHeads / tensor)) * headDim;
  const attended = (element * heads * headDim) / tensor;
  const gates = (element * up * ffn) / tensor;
  const inner = (element * ffn) / tensor;
  // Probabilities, and with dropout a mask of bytes and what it leaves: 5as²b in 16 bits.
  const probabilities = flagOf(args, 'flash', false)
    ? 0
    : ((dropout ? 2 * element + 1 : element) * heads * sequence) / tensor;
  // FlashAttention keeps one fp32 log-sum-exp a head instead.
  const logSums = flagOf(args, 'flash', false) ? (4 * heads) / tensor : 0;

  const kept = 4 * layerInput + masks + qkv + attended + gates + inner + logSums;
  return {
    all: tokens * (kept + probabilities),
    input: tokens * layerInput,
    scores: tokens * probabilities,
    forWeight: tokens * (2 * layerInput + attended + inner + (qkv + gates + 2 * layerInput)),
  };
}
