/** The model that Megatron-LM's arguments describe. Defaults are Megatron-LM's (megatron/training/arguments.py). */
import { table } from '../../basics/table.ts';
import type { ShapeArguments } from '../../costs/shape.ts';
import { expertLayers } from './layerPattern.ts';
import type { Values } from './values.ts';

export interface MegatronModel {
  readonly sequence: number;
  readonly microBatch: number;
  readonly precision: 'fp8' | 'fp4' | 'bf16' | 'fp16' | 'fp32';
  /** How inputs of products are stored, as a file writes it, if not at the precision. */
  readonly activations?: string;
  readonly embedding: ShapeArguments;
  /** Of a layer by whether it has experts. */
  layer(experts: boolean): ShapeArguments;
  /** For each transformer layer. */
  readonly experts: readonly boolean[];
  readonly prediction: ShapeArguments;
  readonly head: ShapeArguments;
  /** What the script does not say, a sentence each. */
  readonly remarks: readonly string[];
}

/** Placeholders, which a remark names. */
const usual = { sequence: 4096, vocabulary: 128_256 };

/** `undefined` without width and heads: then there is a layout only. */
export function modelOf(values: Values, layers: number): MegatronModel | undefined {
  const [hidden, heads] = [values.whole('hidden-size'), values.whole('num-attention-heads')];
  if (hidden === undefined || heads === undefined) return undefined;
  const remarks: string[] = [];
  const gated = values.has('swiglu');
  const ffn = values.whole('ffn-hidden-size') ?? (gated ? Math.floor((4 * hidden * 2) / 3 / 64) * 64 : 4 * hidden);
  const norm = values.word('normalization') === 'RMSNorm' ? 'rmsnorm' : 'layernorm';
  const dropout = ['hidden-dropout', 'attention-dropout'].some((name) => (values.number(name) ?? 0.1) > 0);
  const sequence = values.whole('seq-length') ?? values.whole('encoder-seq-length');
  if (sequence === undefined)
    remarks.push(`The script has no --seq-length: ${usual.sequence} tokens are written. Replace them.`);
  const trunk: ShapeArguments = {
    hidden,
    heads,
    ...attention(values, heads),
    ffn,
    ...(gated ? { gated } : {}),
    ...biases(values, remarks),
    ...(norm === 'layernorm' ? {} : { norm }),
    ...(isFlash(values) ? { flash: true } : {}),
    ...(dropout ? {} : { dropout: false }),
  };
  const width = values.whole('moe-ffn-hidden-size') ?? ffn;
  const count = values.whole('num-experts');
  const experts =
    count === undefined
      ? {}
      : {
          experts: count,
          experts_per_token: values.whole('moe-router-topk') ?? 2,
          ...(width === ffn ? {} : { expert_ffn: width }),
          ...shared(values, width, remarks),
          ...(values.has('moe-router-enable-expert-bias') ? { router_bias: true } : {}),
          ...capacityOf(values),
        };
  const vocabulary = { ...vocabularyOf(values, remarks), hidden };
  const tokens = sequence ?? usual.sequence;
  const learned =
    (values.word('position-embedding-type') ?? 'learned_absolute') === 'learned_absolute' &&
    !values.has('use-rotary-position-embeddings');
  const norms: ShapeArguments = norm === 'layernorm' ? {} : { norm };
  const moe = layersWithExperts(values, count, layers, remarks);
  const layer = (has: boolean): ShapeArguments => (has ? { ...trunk, ...experts } : trunk);
  return {
    sequence: tokens,
    microBatch: values.whole('micro-batch-size') ?? 1,
    precision: precisionOf(values),
    ...storedOf(values),
    embedding: {
      ...vocabulary,
      ...(learned ? { positions: values.whole('max-position-embeddings') ?? tokens } : {}),
      ...((values.number('hidden-dropout') ?? 0.1) > 0 ? {} : { dropout: false }),
    },
    layer,
    experts: moe,
    prediction: { ...vocabulary, ...layer(moe.at(-1) ?? false) },
    head: {
      ...vocabulary,
      ...norms,
      ...lossOf(values),
      ...(values.has('untie-embeddings-and-output-weights') ? {} : { tied: true }),
    },
    remarks,
  };
}

/** Experts that are padded to their capacity compute and send as much as the fullest may. */
function capacityOf(values: Values): ShapeArguments {
  if (!values.has('moe-pad-expert-input-to-capacity')) return {};
  const factor = values.number('moe-expert-capacity-factor') ?? 1;
  return factor > 1 ? { capacity: factor } : {};
}

/** The kernel of Transformer Engine writes gradients over the logits; the native one takes as much as without fusion. */
const lossOf = (values: Values): ShapeArguments =>
  values.has('cross-entropy-loss-fusion') && values.word('cross-entropy-fusion-impl') === 'te' ? { loss: 'fused' } : {};

/** Latent attention has its norms, and no biases. */
function biases(values: Values, remarks: string[]): ShapeArguments {
  const none = values.has('disable-bias-linear');
  const [ofHeads, norm] = [values.has('add-qkv-bias'), values.has('qk-layernorm')];
  if (!values.has('multi-latent-attention'))
    return {
      ...(none ? { bias: false } : {}),
      ...(ofHeads ? { qkv_bias: true } : {}),
      ...(norm ? { qk_norm: true } : {}),
    };
  if (!none) remarks.push('With --multi-latent-attention layers without biases are written.');
  return { bias: false };
}

const isFlash = (values: Values): boolean =>
  values.has('use-flash-attn') ||
  (values.word('transformer-impl') !== 'local' &&
    !['unfused', 'local'].includes(values.word('attention-backend') ?? 'auto'));

export function precisionOf(values: Values): MegatronModel['precision'] {
  if (values.has('fp4-format')) {
    values.has('bf16');
    return 'fp4';
  }
  if (['fp8-format', 'fp8-hybrid', 'fp8-e4m3'].some((name) => values.has(name))) {
    values.has('bf16');
    return 'fp8';
  }
  return values.has('bf16') ? 'bf16' : values.has('fp16') ? 'fp16' : 'fp32';
}

/** Recipes by Megatron-LM's names. With Transformer Engine, products store their inputs in fp8. */
const recipes: Readonly<Record<string, string>> = table({
  ...{ delayed: 'delayed', tensorwise: 'current', blockwise: 'blockwise', mxfp8: 'mxfp8' },
});

export function storedOf(values: Values): Pick<MegatronModel, 'activations'> {
  const precision = precisionOf(values);
  if (precision === 'fp4') {
    if ((values.word('fp4-recipe') ?? 'nvfp4') !== 'nvfp4') values.leave('fp4-recipe');
    return { activations: 'fp4' };
  }
  if (precision !== 'fp8') return {};
  const name = values.word('fp8-recipe') ?? 'delayed';
  const recipe = recipes[name];
  if (recipe === undefined) values.leave('fp8-recipe');
  return { activations: recipe === undefined ? 'fp8' : `fp8(recipe = ${recipe})` };
}

/** Heads of keys and values, or the widths of latent attention. `--num-query-groups` needs its switch. */
function attention(values: Values, heads: number): ShapeArguments {
  if (values.has('multi-latent-attention')) {
    const query = values.whole('q-lora-rank');
    // Heads have widths of their parts.
    values.has('kv-channels');
    return {
      kv_lora_rank: values.whole('kv-lora-rank') ?? 32,
      ...(query === undefined ? {} : { q_lora_rank: query }),
      qk_nope_head_dim: values.whole('qk-head-dim') ?? 128,
      qk_rope_head_dim: values.whole('qk-pos-emb-head-dim') ?? 64,
      v_head_dim: values.whole('v-head-dim') ?? 128,
    };
  }
  const width = values.whole('kv-channels');
  const groups = values.has('group-query-attention') ? (values.whole('num-query-groups') ?? 1) : heads;
  return {
    ...(groups === heads ? {} : { kv_heads: groups }),
    ...(width === undefined ? {} : { head_dim: width }),
  };
}

/** The number of shared experts: their whole width, divided by the width of one. */
function shared(values: Values, width: number, remarks: string[]): ShapeArguments {
  const whole = values.whole('moe-shared-expert-intermediate-size');
  if (whole === undefined) {
    const number = values.whole('num-shared-experts');
    return number === undefined ? {} : { shared_experts: number };
  }
  const count = Math.max(1, Math.round(whole / width));
  if (count * width !== whole)
    remarks.push(
      `--moe-shared-expert-intermediate-size ${whole} is not a multiple of the ${width} of an expert: shared experts of ${count * width} are written.`,
    );
  return { shared_experts: count };
}

function layersWithExperts(
  values: Values,
  count: number | undefined,
  layers: number,
  remarks: string[],
): readonly boolean[] {
  const all = new Array<boolean>(layers).fill(count !== undefined);
  const pattern = count === undefined ? undefined : values.word('moe-layer-freq');
  if (pattern === undefined) return all;
  const found = expertLayers(pattern, layers);
  if (found === undefined)
    remarks.push(`--moe-layer-freq does not give ${layers} layers, so every layer has experts. Change them.`);
  return found ?? all;
}

/** Sizes of tokenizers that Megatron-LM has built in. */
const tokenizers: Readonly<Record<string, number>> = table({ GPT2BPETokenizer: 50_257, TikTokenizer: 131_072 });

function vocabularyOf(values: Values, remarks: string[]): ShapeArguments {
  const padded = values.whole('padded-vocab-size');
  if (padded !== undefined) return { vocab: padded };
  const pad = values.whole('make-vocab-size-divisible-by') ?? 128;
  const vocab = values.whole('vocab-size') ?? tokenizers[values.word('tokenizer-type') ?? ''];
  if (vocab === undefined)
    remarks.push(`The script has no --vocab-size: ${usual.vocabulary} entries are written. Replace them.`);
  return { vocab: vocab ?? usual.vocabulary, ...(pad === 1 ? {} : { pad }) };
}
