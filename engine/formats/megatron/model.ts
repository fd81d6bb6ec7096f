/** The model that Megatron-LM's arguments describe. Defaults are Megatron-LM's (megatron/training/arguments.py). */
import { table } from '../../basics/table.ts';
import type { ShapeArguments } from '../../costs/shape.ts';
import type { ModelConstants } from '../../definitions/model.ts';
import { headsOf, type LayerMixer, mixersOf } from './attention.ts';
import { expertLayers } from './layerPattern.ts';
import type { Values } from './values.ts';

/** A transformer layer, and how arrays of its kind are called. */
export interface TrunkLayer {
  readonly name: string;
  readonly args: ShapeArguments;
}

export interface MegatronModel {
  readonly sequence: number;
  readonly microBatch: number;
  readonly precision: 'fp8' | 'fp4' | 'bf16' | 'fp16' | 'fp32';
  /** How inputs of products are stored, as a file writes it, if not at the precision. */
  readonly activations?: string;
  readonly constants: ModelConstants;
  readonly embedding: ShapeArguments;
  /** Transformer layers, the same object for equal ones. */
  readonly layers: readonly TrunkLayer[];
  /** For each transformer layer. */
  readonly experts: readonly boolean[];
  readonly prediction: ShapeArguments;
  readonly head: ShapeArguments;
  /** What the script does not say, a sentence each. */
  readonly remarks: readonly string[];
}

/** Of `--rope-scaling-factor`. */
export const usualScaling = 8;

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
    ...headsOf(values, heads),
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
  const all = trunkLayers(mixersOf(values, layers, trunk, remarks), moe, { trunk, experts });
  return {
    sequence: tokens,
    microBatch: values.whole('micro-batch-size') ?? 1,
    precision: precisionOf(values),
    ...storedOf(values),
    constants: constantsOf(values, !learned),
    embedding: {
      ...vocabulary,
      ...(learned ? { positions: values.whole('max-position-embeddings') ?? tokens } : {}),
      ...((values.number('hidden-dropout') ?? 0.1) > 0 ? {} : { dropout: false }),
    },
    layers: all,
    experts: moe,
    prediction: { ...vocabulary, ...(all.at(-1)?.args ?? trunk) },
    head: {
      ...vocabulary,
      ...norms,
      ...lossOf(values),
      ...(values.has('untie-embeddings-and-output-weights') ? {} : { tied: true }),
    },
    remarks,
  };
}

/** What a layer with a gated delta rule has of the other ones. */
const besideMixer = ['hidden', 'ffn', 'gated', 'bias', 'norm', 'dropout'];

/** Layers by their mixers and whether they have experts. Arrays are called by what differs: `block`, `windowed`, `linear_moe`. */
function trunkLayers(
  mixers: readonly LayerMixer[],
  moe: readonly boolean[],
  { trunk, experts }: Readonly<Record<'trunk' | 'experts', ShapeArguments>>,
): readonly TrunkLayer[] {
  const common = Object.fromEntries(Object.entries(trunk).filter(([name]) => besideMixer.includes(name)));
  const [isMixed, areMixed] = [new Set(moe).size > 1, new Set(mixers).size > 1];
  const known = new Map<string, TrunkLayer>();
  return mixers.map((mixer, layer) => {
    const name = [
      ...(areMixed && mixer.name !== 'block' ? [mixer.name] : []),
      ...(isMixed && moe[layer] ? ['moe'] : []),
    ].join('_');
    const found = known.get(name) ?? {
      name: name === '' ? 'block' : name,
      args: {
        ...(mixer.name === 'linear' ? { ...common, ...mixer.args } : mixer.args),
        ...(moe[layer] ? experts : {}),
      },
    };
    known.set(name, found);
    return found;
  });
}

/** The base is not taken for the default: a script that leaves it out may be given it behind its arguments, or be part of another. */
function constantsOf(values: Values, rotary: boolean): ModelConstants {
  const [rotaryBase, factor] = [values.whole('rotary-base'), values.number('rope-scaling-factor')];
  const rotaryPercent = rotary ? values.number('rotary-percent') : undefined;
  const normEpsilon = values.number('norm-epsilon') ?? values.number('layernorm-epsilon');
  return {
    ...(rotary && rotaryBase !== undefined ? { rotaryBase } : {}),
    ...(rotaryPercent === undefined || rotaryPercent <= 0 || rotaryPercent >= 1 ? {} : { rotaryPercent }),
    ...(rotary && values.has('use-rope-scaling') ? { ropeScaling: Math.max(1, factor ?? usualScaling) } : {}),
    ...(normEpsilon === undefined || normEpsilon <= 0 || normEpsilon > 1 ? {} : { normEpsilon }),
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

/** The number of shared experts: their whole width, divided by the width of one. */
function shared(values: Values, width: number, remarks: string[]): ShapeArguments {
  const whole = values.whole('moe-shared-expert-intermediate-size');
  const gate: ShapeArguments = values.has('moe-shared-expert-gate') ? { shared_gate: true } : {};
  if (whole === undefined) {
    const number = values.whole('num-shared-experts');
    return number === undefined ? {} : { shared_experts: number, ...gate };
  }
  const count = Math.max(1, Math.round(whole / width));
  if (count * width !== whole)
    remarks.push(
      `--moe-shared-expert-intermediate-size ${whole} is not a multiple of the ${width} of an expert: shared experts of ${count * width} are written.`,
    );
  return { shared_experts: count, ...gate };
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
/** Usual sizes of those that read a file: the SentencePiece model of Llama 2, Mistral and Mixtral. */
const usualOf: Readonly<Record<string, number>> = table({ Llama2Tokenizer: 32_000 });

function vocabularyOf(values: Values, remarks: string[]): ShapeArguments {
  const padded = values.whole('padded-vocab-size');
  if (padded !== undefined) return { vocab: padded };
  const pad = values.whole('make-vocab-size-divisible-by') ?? 128;
  const vocab = values.whole('vocab-size') ?? tokenizers[values.word('tokenizer-type') ?? ''];
  const written = vocab ?? usualOf[values.word('tokenizer-type') ?? ''] ?? usual.vocabulary;
  if (vocab === undefined)
    remarks.push(`The script has no --vocab-size: ${written} entries are written. Replace them.`);
  return { vocab: written, ...(pad === 1 ? {} : { pad }) };
}
