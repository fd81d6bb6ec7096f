/** Mixers with a state in the place of attention: Mamba-2, the gated delta rule, and linear attention. */
import { table } from '../basics/table.ts';
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
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter, wordOf } from './shape.ts';
import { storedInput } from './stored.ts';
import { trainsWeights } from './training.ts';
import type { Collective, Kernel, LayerSetting } from './types.ts';
import { matrix, type WeightMatrix } from './weightMatrix.ts';

/** What differs between kinds of mixers. */
interface MixerKind {
  /** Numbers of a token and head that a product makes: steps, decays and strengths. */
  readonly gates: number;
  /** Learned numbers of a head. */
  readonly numbers: number;
  /** A short convolution of queries, keys and values, and its bias. */
  readonly convolution: boolean;
  readonly convolutionBias: boolean;
  /** The norm of the result is over all heads, or over one. */
  readonly norm: 'all' | 'head';
  /** Decays of each element of a key, and the output gate, are made by two products with `head_dim` between them. */
  readonly lowRank: boolean;
  /** The state is corrected by what it holds for a key already. */
  readonly delta: boolean;
  /** Tokens of a block that kernels multiply as a matrix. */
  readonly block: number;
}

const kinds = table<MixerKind>({
  mamba2: {
    ...{ gates: 1, numbers: 3, convolution: true, convolutionBias: true, norm: 'all' },
    ...{ lowRank: false, delta: false, block: 256 },
  },
  delta_net: {
    ...{ gates: 2, numbers: 2, convolution: true, convolutionBias: false, norm: 'head' },
    ...{ lowRank: false, delta: true, block: 64 },
  },
  kimi_delta: {
    ...{ gates: 1, numbers: 1, convolution: true, convolutionBias: false, norm: 'head' },
    ...{ lowRank: true, delta: true, block: 64 },
  },
  lightning: {
    ...{ gates: 0, numbers: 0, convolution: false, convolutionBias: false, norm: 'all' },
    ...{ lowRank: false, delta: false, block: 256 },
  },
});

export const mixerParameters: readonly ShapeParameter[] = [
  {
    name: 'mixer',
    kind: 'word',
    words: ['attention', ...Object.keys(kinds), 'none'],
    default: 'attention',
    doc:
      'what mixes tokens. A mixer with a state in the place of attention: `mamba2`, `delta_net` (gated delta rule, as in Qwen3-Next), ' +
      '`kimi_delta`, or `lightning` (linear attention, as in MiniMax-01). `none`: the layer is an MLP only',
  },
  {
    name: 'state',
    kind: 'integer',
    default: null,
    doc: 'rows of the state of a head: the width of a key. Default: head_dim',
  },
  {
    name: 'groups',
    kind: 'integer',
    default: null,
    doc: 'heads of queries and keys of a mixer with a state. Default: `heads`',
  },
  { name: 'kernel', kind: 'integer', default: 4, doc: 'tokens of the short convolution of a mixer with a state' },
  {
    name: 'block',
    kind: 'integer',
    default: null,
    doc: 'tokens that kernels of a mixer with a state multiply as a matrix. Default: 256, for delta rules 64',
  },
  { name: 'mlp', kind: 'boolean', default: true, doc: '`false`: the layer has no MLP, as in Nemotron-H' },
];

const kindOf = (args: ShapeArguments): MixerKind | undefined => kinds[wordOf(args, 'mixer', 'attention')];

/** Whether the layer has a state in the place of attention. */
export const isRecurrent = (args: ShapeArguments): boolean => kindOf(args) !== undefined;

const ofOthers = [
  ...['kv_heads', 'qkv_bias', 'out_bias', 'qk_norm', 'qk_norm_whole', 'sinks', 'output_gate', 'window', 'chunk'],
  ...['cross', 'relative_positions', 'kv_lora_rank'],
];

/** Arguments that lack another argument they need, or come with one they exclude. */
export function checkMixer(args: ShapeArguments, tensor: number): string | undefined {
  const mixer = wordOf(args, 'mixer', 'attention');
  if (mixer === 'none' && !flagOf(args, 'mlp', true)) return 'a layer without a mixer needs its MLP';
  const mlp = ['ffn', 'gated', 'experts'].find((name) => name in args);
  if (!flagOf(args, 'mlp', true) && mlp !== undefined) return `${mlp} has no effect with \`mlp = false\``;
  const lone = ['state', 'groups', 'kernel', 'block'].find((name) => name in args);
  if (!isRecurrent(args)) return lone === undefined ? excludedBy(args, mixer) : `${lone} needs a mixer with a state`;
  const { heads, groups, width } = widths(args);
  if (args['causal'] === false) return `mixer ${mixer} needs \`causal = true\``;
  if (!Number.isInteger(width)) return `hidden ${hiddenOf(args)} is not a multiple of heads ${heads}; set head_dim`;
  if (groups > heads || heads % groups !== 0) return `heads ${heads} is not a multiple of groups ${groups}`;
  if (groups % tensor !== 0 && tensor % groups !== 0)
    return `${groups} groups cannot be split over ${tensor} tensor ranks`;
  return excludedBy(args, mixer);
}

function excludedBy(args: ShapeArguments, mixer: string): string | undefined {
  if (mixer === 'attention') return undefined;
  const excluded = ofOthers.find((name) => name in args);
  return excluded === undefined ? undefined : `${excluded} has no effect with mixer ${mixer}`;
}

function widths(args: ShapeArguments) {
  const heads = numberOf(args, 'heads', 1);
  const width = numberOf(args, 'head_dim', hiddenOf(args) / heads);
  return { heads, width, groups: numberOf(args, 'groups', heads), state: numberOf(args, 'state', width) };
}

/** Weights and vectors of a number of heads and groups, of a rank or of all. What is whole on each rank is in `shared`. */
function weightsOf(args: ShapeArguments, kind: MixerKind, heads: number, groups: number) {
  const { width, state } = widths(args);
  const hidden = hiddenOf(args);
  const value = heads * width;
  const mixed = 2 * groups * state + value;
  // An output gate as wide as the values, unless two narrow products make it.
  const wide = mixed + (kind.lowRank ? 0 : value) + kind.gates * heads;
  const narrow = kind.lowRank ? width * (heads * state + value) : 0;
  const shared = kind.lowRank ? 2 * hidden * width : 0;
  const kernel = numberOf(args, 'kernel', 4);
  const convolved = kind.convolution ? kernel * mixed : 0;
  const vectors =
    (flagOf(args, 'bias', true) ? wide : 0) +
    (kind.convolutionBias ? mixed : 0) +
    kind.numbers * heads +
    (kind.lowRank ? heads * state : 0) +
    (kind.norm === 'all' ? value : 0);
  return { mixed, value, wide, narrow, shared, convolved, vectors, out: value * hidden };
}

/** Its first product is one matrix, as is its last. Convolutions are none. */
export function mixerMatrices(args: ShapeArguments): readonly WeightMatrix[] {
  const kind = kindOf(args);
  if (kind === undefined) return [];
  const { heads, groups, width, state } = widths(args);
  const hidden = hiddenOf(args);
  const { wide, value } = weightsOf(args, kind, heads, groups);
  return [
    ...matrix(hidden, wide),
    ...(kind.lowRank
      ? [
          ...matrix(hidden, width, { count: 2, unsplit: true }),
          ...matrix(width, heads * state),
          ...matrix(width, value),
        ]
      : []),
    ...matrix(value, hidden),
  ];
}

/**
 * FLOPs of a token in blocks of L, for heads with a state of n × p. As in attention, half of a causal product is counted. Without the delta rule
 * (Mamba-2, arXiv:2405.21060, section 6, and Lightning Attention, arXiv:2401.04658), scores of each group take L·n. Their product with
 * values takes L·p, and the sum into the state and the product with it 4·n·p. The delta rule (arXiv:2406.06484, section 3, and
 * arXiv:2412.06464) makes a triangle of L × L of keys and multiplies it with keys, as scores are made: 3·L·n. Its product with values and
 * the product of scores take 2·L·p. Its inverse takes L² / 3, and three products with the state 6·n·p.
 */
export function stateFlops(args: ShapeArguments, sequence: number, heads: number, groups: number): number {
  const kind = kindOf(args);
  if (kind === undefined) return 0;
  const { width: p, state: n } = widths(args);
  const block = Math.min(sequence, numberOf(args, 'block', kind.block));
  if (kind.delta) return heads * (block * (3 * n + 2 * p) + block ** 2 / 3 + 6 * n * p);
  return groups * block * n + heads * (block * p + 4 * n * p);
}

/**
 * Heads are split over tensor ranks, groups as well, and a rank has at least one group. Kept: the input of the first product, all that it
 * makes, the result of the core and the input of the last product (mamba_ssm, `MambaSplitConv1dScanCombinedFn`; flash-linear-attention,
 * `ChunkGatedDeltaRuleFunction`). The delta rule also keeps convolved queries, keys and values and its triangle. Linear attention keeps
 * the activated ones. States of blocks are recomputed in the backward, so they are there while the layer runs.
 */
export function recurrentPart(args: ShapeArguments, setting: LayerSetting): LayerPart {
  const kind = kindOf(args) ?? kinds['mamba2'];
  const { heads, groups, width, state } = widths(args);
  const hidden = hiddenOf(args);
  const { tensor, sequence } = setting;
  const element = elementBytes(setting.precision);
  const [localHeads, localGroups] = [heads / tensor, Math.max(1, groups / tensor)];
  const whole = weightsOf(args, kind, heads, groups);
  const local = weightsOf(args, kind, localHeads, localGroups);
  const share = wholeRanks(setting);
  const input = (element * hidden) / share;
  const made =
    element * local.wide + (kind.lowRank ? element * (localHeads * state + local.value + (2 * width) / share) : 0);
  const block = Math.min(sequence, numberOf(args, 'block', kind.block));
  const activated = kind.delta || !kind.convolution ? element * local.mixed : 0;
  const triangle = kind.delta ? element * block * localHeads : 0;
  const result = element * local.value;
  // Whole on every rank: the norm of a head, and the bias after the reduction.
  const undivided = (kind.norm === 'head' ? width : 0) + (flagOf(args, 'bias', true) ? hidden : 0);
  const parametersOf = (one: typeof whole): number =>
    hidden * one.wide + one.narrow + one.shared + one.convolved + one.vectors + one.out + undivided;
  const trains = trainsWeights(setting);
  const core = stateFlops(args, sequence, localHeads, localGroups);
  const tokens = tokensOf(setting);
  const convolution: Kernel = {
    part: 'linear',
    flops: 2 * tokens * local.convolved,
    bytes: 2 * element * tokens * local.mixed,
    count: 1,
  };
  const projection = { output: made, kept: true, kernel: () => product([tokens, hidden, local.wide], element) };
  const last = () => product([tokens, local.value, hidden], element);
  return {
    parameters: parametersOf(whole),
    localParameters: parametersOf(local),
    linear: 2 * (hidden * local.wide + local.narrow + local.shared / share + local.convolved + local.out),
    spare: 2 * local.shared * (1 / share - 1 / tensor),
    core,
    keeps: {
      [parts.linearInputs]: trains ? storedInput(setting, input) : 0,
      [parts.masks]: maskBytes(args, setting),
      [parts.mixed]: made + activated + triangle,
      [parts.attended]: result + (trains ? storedInput(setting, result) : 0),
    },
    remade: 0,
    // States in fp32, one for each block.
    whileInCore: (4 * localHeads * width * state) / block,
    forWeight: storedInput(setting, input + result + made + input),
    collectives: [
      ...tensorCollectives(setting, element * hidden),
      ...stateExchange(setting, { made, result, state: 4 * localHeads * width * state }),
    ],
    operations: {
      products: [projection, { output: element * hidden, kept: false, kernel: last }],
      saves: { [parts.attended]: result },
      extra: { [parts.scattered]: scattered(setting, element * hidden) },
    },
    kernels: () => [
      product([tokens, hidden, local.wide], element),
      ...(kind.lowRank
        ? [
            product([tokens / share, hidden, width], element, 2),
            product([tokens, width, localHeads * state], element),
            product([tokens, width, local.value], element),
          ]
        : []),
      ...(kind.convolution ? [convolution] : [moves(2 * element * tokens * local.mixed)]),
      { part: 'core', flops: tokens * core, bytes: tokens * (made + result), count: 1 },
      // The norm and the gate of the result.
      moves(3 * tokens * result),
      last(),
      residual(args, setting),
    ],
  };
}

/**
 * Context ranks that exchange heads for tokens do so with all that the first product makes (Megatron-LM, `MambaContextParallel`). Otherwise
 * each rank needs the states at the end of the others' parts of a sequence, which are gathered (LASP-2, arXiv:2502.07563, section 3).
 */
function stateExchange(
  { context, contextExchange: exchange, sequence }: LayerSetting,
  bytes: { readonly made: number; readonly result: number; readonly state: number },
): readonly Collective[] {
  if (context === 1) return [];
  const each = { over: 'context', forward: 1, backward: 1 } as const;
  if (exchange === 'all_to_all')
    return [bytes.made, bytes.result].map((sent) => ({ ...each, pattern: 'all_to_all', bytes: sent }));
  return [{ ...each, pattern: 'all_gather', bytes: (context ** 2 * bytes.state) / sequence }];
}
