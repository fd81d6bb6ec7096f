import { type ModuleRepeats, parts, tokensOf } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments } from './shape.ts';
import type { Collective, FusedCore, Kernel, LayerSetting, Parts } from './types.ts';

/**
 * Forward FLOPs of a token in QKᵀ and A·V on `heads` heads whose queries and values are `query` and `value` wide: 2·keys each.
 * A causal core counts half, as Megatron-LM and FlashAttention do now; the closed forms of arXiv:2104.04473 (eq. 3) and
 * arXiv:2205.05198 (eq. 7) count it whole.
 */
export const coreFlops = (
  args: ShapeArguments,
  setting: LayerSetting,
  heads: number,
  query: number,
  value: number,
): number => 2 * keysOf(args, setting) * heads * (query + value);

/**
 * Keys that a token meets on average. In a sample that is packed from documents of ℓ tokens, fused kernels multiply one block for each
 * document (`flash_attn_varlen_func`, Megatron-LM's `thd` layout), so Σ ℓ · keys(ℓ) / s; padding meets none. Kernels that store
 * their scores have no such form: they compute all of the sample under a mask.
 */
export function keysOf(args: ShapeArguments, { sequence, documents }: LayerSetting): number {
  if (documents === undefined || !flagOf(args, 'flash', false)) return keysWithin(args, sequence);
  return documents.reduce((sum, length) => sum + length * keysWithin(args, length), 0) / sequence;
}

/**
 * Of a document. Causal: s / 2. Within a window of w: the first w tokens meet w / 2 on average, the other tokens w. In chunks of c, each
 * is a causal sequence by itself, and the last one may be shorter.
 */
function keysWithin(args: ShapeArguments, sequence: number): number {
  if (!flagOf(args, 'causal', true)) return sequence;
  if (typeof args['chunk'] === 'number') {
    const last = sequence % args['chunk'];
    return ((sequence - last) * args['chunk'] + last ** 2) / (2 * sequence);
  }
  const window = Math.min(sequence, numberOf(args, 'window', sequence));
  return window - window ** 2 / (2 * sequence);
}

/**
 * Bytes per token kept of attention scores on `heads` heads: probabilities, and with dropout a mask of bytes and what it leaves
 * (5as²b in 16 bits, arXiv:2205.05198, section 4.1). FlashAttention keeps one fp32 log-sum-exp per head instead.
 */
export function scoreBytes(
  args: ShapeArguments,
  { sequence, precision }: LayerSetting,
  heads: number,
): { readonly scores: number; readonly sums: number } {
  if (flagOf(args, 'flash', false)) return { scores: 0, sums: 4 * heads };
  const element = elementBytes(precision);
  return { scores: (flagOf(args, 'dropout', true) ? 2 * element + 1 : element) * heads * sequence, sums: 0 };
}

/**
 * Bytes per token of the scores before the softmax. Kernels that store their scores hold these next to the result of the softmax, until
 * the core returns. Its backward holds a gradient of this size, which the softmax overwrites. Around a ring, a rank has the scores of one
 * block of keys. Sources: Megatron-LM, `DotProductAttention`; Transformer Engine, `UnfusedDotProductAttention`.
 */
export const rawScores = (args: ShapeArguments, setting: LayerSetting, heads: number): number =>
  flagOf(args, 'flash', false) ? 0 : (elementBytes(setting.precision) * heads * setting.sequence) / blocksOf(setting);

/** Bytes per token of a rank's queries, of its keys and values, and of what its core returns. */
interface CoreBytes {
  readonly queries: number;
  readonly keysAndValues: number;
  readonly attended: number;
}

/**
 * Around a ring, context ranks pass their keys and values, and in the backward their gradients with them (ring attention,
 * arXiv:2310.01889, section 3; Megatron-LM's `--cp-comm-type p2p`). A causal core is spread evenly, by giving each rank an early and
 * a late part. With all-to-all, a rank gives away heads of its tokens and gets tokens of its heads, before the core and after
 * it. The backward does the same with gradients (DeepSpeed Ulysses, arXiv:2309.14509, section 3.2, and `--cp-comm-type a2a`).
 * Gathered keys and values are two gathers before the core, and two scatters of their gradients behind it (Llama 3, arXiv:2407.21783,
 * section 3.3.2). PyTorch's autograd keeps what was gathered; Transformer Engine gathers it again (`AttnFuncWithCPAndKVAllGather`).
 */
export function contextExchange(
  { context, contextExchange: exchange, wholeInputs }: LayerSetting,
  { queries, keysAndValues, attended }: CoreBytes,
): readonly Collective[] {
  if (context === 1) return [];
  if (exchange === 'all_gather') {
    const each = { over: 'context', bytes: (context * keysAndValues) / 2, awaited: true } as const;
    const gather = { ...each, pattern: 'all_gather', forward: 1, backward: wholeInputs === true ? 0 : 1 } as const;
    const scatter = { ...each, pattern: 'reduce_scatter', forward: 0, backward: 1 } as const;
    return [gather, gather, scatter, scatter];
  }
  if (exchange !== 'all_to_all')
    return [{ over: 'context', pattern: 'ring', bytes: keysAndValues, forward: 1, backward: 2 }];
  return [queries, keysAndValues / 2, keysAndValues / 2, attended].map((bytes) => ({
    over: 'context',
    pattern: 'all_to_all',
    bytes,
    forward: 1,
    backward: 1,
  }));
}

/** Bytes per token of other ranks' keys and values that stay for the backward. */
export const gatheredBytes = (
  { context, contextExchange: exchange, wholeInputs }: LayerSetting,
  keysAndValues: number,
): number => (exchange === 'all_gather' && wholeInputs === true ? (context - 1) * keysAndValues : 0);

/** Blocks of keys that a core works on, one after the other: only around a ring a rank has not the keys of whole sequences. */
const blocksOf = ({ context, contextExchange: exchange }: LayerSetting): number =>
  exchange === 'all_to_all' || exchange === 'all_gather' ? 1 : context;

/**
 * A fused core meets the keys of one block at a time: all keys of a rank that has whole sequences, a share of them around a ring
 * of context ranks.
 */
export const fusedCore = (
  args: ShapeArguments,
  setting: LayerSetting,
  query: number,
  value: number,
): { readonly fused?: FusedCore } =>
  flagOf(args, 'flash', false)
    ? { fused: { keys: keysOf(args, setting) / blocksOf(setting), width: (query + value) / 2 } }
    : {};

/** Bytes per token of these heads. */
export const coreBytes = ({ heads, kvHeads, query, value }: CoreHeads, element: number): CoreBytes => ({
  queries: element * heads * query,
  keysAndValues: element * kvHeads * (query + value),
  attended: element * heads * value,
});

/** Heads of one rank, and widths of its queries and keys and of its values. */
interface CoreHeads {
  readonly heads: number;
  readonly kvHeads: number;
  readonly query: number;
  readonly value: number;
}

/**
 * Kernels of the core for one microbatch on one rank. FlashAttention is one kernel. Without it, the scores go through memory
 * between QKᵀ, softmax, dropout and A·V; scale and mask are fused with the softmax (Megatron-LM, `FusedScaleMaskSoftmax`). A
 * causal layer then stores all scores, though only half of its FLOPs count. Ranks of a context ring work on one block of keys
 * after the other. `tokens` with queries meet the tokens of the setting, if these are not the same.
 */
export function coreKernels(
  args: ShapeArguments,
  setting: LayerSetting,
  { heads, kvHeads, query, value }: CoreHeads,
  tokens = tokensOf(setting),
): readonly Kernel[] {
  const { sequence } = setting;
  const blocks = blocksOf(setting);
  const element = elementBytes(setting.precision);
  const met = tokensOf(setting);
  const flops = (tokens * coreFlops(args, setting, heads, query, value)) / blocks;
  const [queries, keys] = [element * tokens * heads * query, element * met * kvHeads * query];
  const [values, attended] = [element * met * kvHeads * value, element * tokens * heads * value];
  const core = (bytes: number, share = 0): Kernel => ({ part: 'core', flops: share * flops, bytes, count: blocks });
  if (flagOf(args, 'flash', false)) {
    const bytes = queries + keys + values + attended + 4 * tokens * heads;
    return [{ ...core(bytes, 1), ...fusedCore(args, setting, query, value) }];
  }
  const scores = (tokens * heads * sequence) / blocks;
  const ofQuery = query / (query + value);
  return [
    core(queries + keys + element * scores, ofQuery),
    core(2 * element * scores),
    ...(flagOf(args, 'dropout', true) ? [core((2 * element + 1) * scores)] : []),
    core(element * scores + values + attended, 1 - ofQuery),
  ];
}

/** The core recomputed by itself: scores go, or the log-sum-exp. Its output stays as the input of the projection. */
export function coreModule(args: ShapeArguments, setting: LayerSetting, heads: CoreHeads): ModuleRepeats {
  const { scores, sums } = scoreBytes(args, setting, heads.heads);
  const element = elementBytes(setting.precision);
  return {
    frees: {
      [parts.scores]: scores,
      [parts.sums]: sums,
      [parts.gathered]: gatheredBytes(setting, coreBytes(heads, element).keysAndValues),
    },
    kernels: () => coreKernels(args, setting, heads),
    collectives: contextExchange(setting, coreBytes(heads, element)),
  };
}

/** Outputs of the core that recomputation by operation keeps: of FlashAttention, or of both products without it. */
export function savedCore(
  args: ShapeArguments,
  setting: LayerSetting,
  { heads, value }: Pick<CoreHeads, 'heads' | 'value'>,
): Parts {
  const element = elementBytes(setting.precision);
  const { scores, sums } = scoreBytes(args, setting, heads);
  return {
    [parts.attended]: element * heads * value,
    [parts.sums]: sums,
    [parts.scores]: scores > 0 ? element * heads * setting.sequence : 0,
  };
}
