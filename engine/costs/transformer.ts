import {
  attentionMatrices,
  attentionParameters,
  attentionPart,
  checkAttention,
  headParameters,
  outBias,
  outputGate,
} from './attention.ts';
import {
  attendsToItself,
  checkCross,
  crossAttentionPart,
  crossInputBytes,
  crossMatrices,
  crossParameters,
  hasCross,
} from './crossAttention.ts';
import { checkExperts, expertMatrices, expertParameters, expertsPart, hasExperts } from './experts.ts';
import { feedForwardParameters, feedForwardPart, ffnOf, mlpMatrices, swigluParameter } from './feedForward.ts';
import {
  checkLatent,
  isLatent,
  latentMatrices,
  latentParameters,
  latentPart,
  latentTargets,
  widestLatent,
} from './latentAttention.ts';
import { branchExtra, branchParameters } from './branches.ts';
import { frozenKernels, moves } from './kernels.ts';
import { addParts, hiddenOf, type LayerPart, parts, scaleParts, sumParts, tokensOf, wholeRanks } from './layerPart.ts';
import { norms, normParameter, normParameters, normPlace, normPlaceParameter } from './norm.ts';
import { elementBytes } from './precision.ts';
import { checkMixer, isRecurrent, mixerMatrices, mixerParameters, recurrentPart } from './recurrentMixer.ts';
import { recomputation } from './recomputation.ts';
import { budgetIn } from './recompute.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeSchema, wordOf } from './shape.ts';
import { type AdapterPart, frozenWeights, loraOf, packedBytes, sumAdapters, unpacks } from './training.ts';
import type { Collective, FusedCore, Kernel, LayerSetting, Lora, LoraTarget, ShapeCost } from './types.ts';
import type { WeightMatrix } from './weightMatrix.ts';

/**
 * A transformer layer: attention and MLP, each behind a norm and a residual connection. Tensor parallelism follows Megatron-LM:
 * heads and the MLP's width are split. If they do not divide, the figures are for the most loaded rank.
 */
export const transformer: ShapeSchema = {
  name: 'transformer',
  doc:
    'A transformer layer: attention and MLP. The defaults describe GPT. For Llama, write ' +
    "`gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false` and Llama's `kv_heads` and `ffn`. " +
    '`experts` makes the MLP a mixture of experts, `kv_lora_rank` selects latent attention.',
  parameters: [
    { name: 'hidden', kind: 'integer', example: 4096, doc: 'width of a token' },
    ...headParameters,
    ...feedForwardParameters,
    { name: 'bias', kind: 'boolean', default: true, doc: 'biases in every linear layer' },
    ...attentionParameters,
    normParameter('normalisation before attention and MLP', norms),
    normPlaceParameter,
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
    outBias,
    swigluParameter,
    {
      name: 'window',
      kind: 'integer',
      default: null,
      doc: 'latest tokens that a causal layer attends to (sliding window). Default: all',
    },
    {
      name: 'chunk',
      kind: 'integer',
      default: null,
      doc: 'tokens of a part of the sequence inside which a causal layer attends, as in Llama 4. Default: all',
    },
    outputGate,
    ...mixerParameters,
    ...crossParameters,
    ...branchParameters,
    ...expertParameters,
    ...latentParameters,
  ],
  check: checkTransformer,
  cost: costOfTransformer,
  matrices: transformerMatrices,
};

/** Why a layer cannot be so, or cannot be split over the setting's tensor ranks. */
export function checkTransformer(args: ShapeArguments, setting?: LayerSetting): string | undefined {
  const tensor = setting?.tensor ?? 1;
  const problem = checkMixer(args, tensor) ?? checkLatent(args) ?? checkExperts(args, setting) ?? checkCross(args);
  if (problem !== undefined) return problem;
  const limits = ['window', 'chunk'].filter((name) => name in args);
  if (limits.length > 0 && args['causal'] === false) return `${limits[0]} needs \`causal = true\``;
  if (limits.length > 1) return 'a layer attends within a window or within a chunk, not both';
  if (args['swiglu'] !== undefined && args['gated'] !== true) return 'swiglu needs `gated = true`';
  const heads = numberOf(args, 'heads', 1);
  if (isRecurrent(args))
    return heads % tensor === 0 ? undefined : `${heads} heads cannot be split over ${tensor} tensor ranks`;
  if (!isLatent(args)) {
    const wrong = checkAttention(args, 1);
    if (wrong !== undefined) return wrong;
  }
  if (heads % tensor !== 0) return `${heads} heads cannot be split over ${tensor} tensor ranks`;
  return isLatent(args) ? undefined : checkAttention(args, tensor);
}

/** The attentions of a layer, to itself and to another tower, and its MLP. Each has a norm and a residual connection. */
function branchesOf(args: ShapeArguments, setting: LayerSetting): readonly LayerPart[] {
  return [
    ...(attendsToItself(args) ? [mixerPart(args, setting)] : []),
    ...(hasCross(args) ? [crossAttentionPart(args, setting)] : []),
    ...(flagOf(args, 'mlp', true)
      ? [hasExperts(args) ? expertsPart(args, setting) : feedForwardPart(args, setting)]
      : []),
  ];
}

/** Of what mixes tokens, of cross-attention and of the MLP. */
export function transformerMatrices(args: ShapeArguments): readonly WeightMatrix[] {
  const mixer = isRecurrent(args) ? mixerMatrices : isLatent(args) ? latentMatrices : attentionMatrices;
  const mlp = (): readonly WeightMatrix[] => (hasExperts(args) ? expertMatrices(args) : mlpMatrices(args, ffnOf(args)));
  return [
    ...(attendsToItself(args) ? mixer(args) : []),
    ...(hasCross(args) ? crossMatrices(args) : []),
    ...(flagOf(args, 'mlp', true) ? mlp() : []),
  ];
}

const mixerPart = (args: ShapeArguments, setting: LayerSetting): LayerPart =>
  isRecurrent(args)
    ? recurrentPart(args, setting)
    : isLatent(args)
      ? latentPart(args, setting)
      : attentionPart(args, setting);

/** The cost of a layer; the sum of its branches and their norms. */
export function costOfTransformer(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const hidden = hiddenOf(args);
  const branches = branchesOf(args, setting);
  const sum = (figure: (branch: LayerPart) => number): number =>
    branches.reduce((total, branch) => total + figure(branch), 0);
  const tokens = tokensOf(setting);
  const element = elementBytes(setting.precision);
  const input = (element * hidden) / wholeRanks(setting);
  const extra = branchExtra(args, setting, branches.length);
  const { before, after } = normPlace(args);
  const norm = branches.length * normParameters(wordOf(args, 'norm', 'layernorm'), hidden);
  const ofNorms = (before + after) * norm + extra.whole;
  const experts = sum(({ expertParameters = 0 }) => expertParameters);
  const localParameters = sum((branch) => branch.localParameters) + ofNorms + extra.positions / setting.tensor;
  const linearFlops = tokens * sum(({ linear }) => linear);
  const coreFlops = tokens * sum(({ core }) => core);
  const spareFlops = tokens * sum(({ spare = 0 }) => spare);
  // Besides what its branches keep, the inputs of all norms.
  const keeps = scaleParts(
    addParts(
      { [parts.norms]: (before + after) * branches.length * input },
      ...branches.map((branch) => branch.keeps),
      extra.keeps,
    ),
    tokens,
  );
  const all = sumParts(keeps);
  const remade = tokens * sum((branch) => branch.remade);
  const whileInCore = tokens * Math.max(...branches.map((branch) => branch.whileInCore ?? 0));
  const collectives = branches
    .flatMap((branch) => branch.collectives)
    .map((collective) => ({ ...collective, bytes: tokens * collective.bytes }));
  const arriving = collectives.reduce((total, collective) => total + arrivingBytes(collective), 0);
  const learned = trainingOf(args, setting, { branches, element, dense: localParameters - experts, experts });
  const { [parts.scores]: scores = 0 } = keeps;
  const normed = moves(2 * tokens * input);
  const remaining = recomputation({
    setting,
    halves: branches,
    norms: before > 0 ? branches.map(() => normed) : [],
    keeps,
    input: tokens * input,
    crossInput: crossInputBytes(args, setting),
    linearFlops: linearFlops + tokens * learned.adapters.linear,
    coreFlops,
  });
  const fused = fusedOf(branches);
  return {
    parameters: sum((branch) => branch.parameters) + ofNorms + extra.positions + learned.adapters.parameters,
    localParameters: localParameters + learned.adapters.localParameters,
    expertParameters: experts + (learned.adapters.expertParameters ?? 0),
    linearFlops: linearFlops + tokens * learned.adapters.linear,
    coreFlops,
    ...(fused === undefined ? {} : { fused }),
    ...(spareFlops > 0 ? { spareFlops } : {}),
    ...apartOf(branches, setting, tokens),
    ...(setting.documents === undefined ? {} : { unpadded: unpaddedIn(args, branches, tokens) }),
    traffic: learned.traffic ?? localParameters * element + all + remade,
    ...(scores > 0 ? { scores } : {}),
    ...remaining,
    activationForWeight: learned.forWeight ?? tokens * (sum(({ forWeight }) => forWeight) + sumParts(extra.keeps)),
    output: tokens * input,
    // What the products hold and what the core holds are not there at the same time.
    workspace:
      arriving +
      gatheredInputs(setting, branches.length, tokens * element * hidden) +
      extra.workspace +
      Math.max(remade + learned.workspace, whileInCore),
    collectives,
    kernels() {
      const around = (count: number): readonly Kernel[] => (count > 0 ? [normed] : []);
      const kernels = branches.flatMap((branch) => [...around(before), ...branch.kernels(), ...around(after)]);
      return learned.kernels === undefined ? kernels : [...frozenKernels(kernels), ...learned.kernels()];
    },
    ...learned.cost,
  };
}

/**
 * Room for what context ranks send. Around a ring, a block of keys and values is at work, and the next one arrives. Otherwise it is all
 * that arrives in exchange for what is sent. What stays for the backward is not counted again.
 */
function arrivingBytes({ over, pattern, bytes, awaited, backward }: Collective): number {
  if (over !== 'context') return 0;
  if (pattern === 'ring') return 2 * bytes;
  return awaited === true && backward === 0 ? 0 : bytes;
}

/** Products without an input gradient: of an indexer, and of tokens of another tower that does not train. */
function apartOf(
  branches: readonly LayerPart[],
  { attendedFrozen }: LayerSetting,
  tokens: number,
): Pick<ShapeCost, 'inputlessFlops' | 'forwardOnlyFlops' | 'askedApart'> {
  const sum = (figure: (branch: LayerPart) => number): number =>
    tokens * branches.reduce((total, branch) => total + figure(branch), 0);
  const frozen = attendedFrozen === true ? sum(({ otherTower = 0 }) => otherTower) : 0;
  if (branches.every(({ apart }) => apart === undefined)) return frozen > 0 ? { inputlessFlops: frozen } : {};
  return {
    inputlessFlops: frozen + sum(({ apart }) => apart?.run.inputless ?? 0),
    forwardOnlyFlops: sum(({ apart }) => apart?.run.forwardOnly ?? 0),
    askedApart: {
      inputless: frozen + sum(({ apart }) => apart?.asked.inputless ?? 0),
      forwardOnly: sum(({ apart }) => apart?.asked.forwardOnly ?? 0),
    },
  };
}

/** Tokens of another tower have no padding, and a fused core inside documents meets none. */
const unpaddedIn = (args: ShapeArguments, branches: readonly LayerPart[], tokens: number): ShapeCost['unpadded'] => ({
  linear: tokens * branches.reduce((sum, { otherTower = 0 }) => sum + otherTower, 0),
  core: flagOf(args, 'flash', false)
    ? tokens * branches.reduce((sum, { core, otherTower }) => sum + (otherTower === undefined ? core : 0), 0)
    : 0,
});

/** The fused cores of a layer: of its attention to itself, of its cross-attention, or both. */
function fusedOf(branches: readonly LayerPart[]): FusedCore | undefined {
  const [first, second] = branches.filter(({ fused }) => fused !== undefined);
  if (first?.fused === undefined) return undefined;
  if (second?.fused === undefined) return first.fused;
  return { ...first.fused, second: { ...second.fused, share: second.core / (first.core + second.core) } };
}

/**
 * Bytes of gathered inputs of all branches, beyond the part of a rank, and of the whole gradient of one of them. PyTorch's autograd keeps
 * them for the weight gradient once a checkpointed layer runs again.
 */
function gatheredInputs(setting: LayerSetting, branches: number, bytes: number): number {
  const ranks = wholeRanks(setting);
  const { recompute } = setting;
  const again = recompute === 'full' || recompute === 'operations' || budgetIn(recompute) !== undefined;
  return setting.wholeInputs === true && again && ranks > 1 ? branches * (bytes - bytes / ranks) + bytes : 0;
}

/** What differs if not all of the layer trains. */
interface Learned {
  readonly adapters: AdapterPart;
  readonly traffic?: number;
  readonly forWeight?: number;
  readonly workspace: number;
  readonly kernels?: () => readonly Kernel[];
  readonly cost: Pick<ShapeCost, 'trainable' | 'frozen' | 'weightFlops' | 'weightTraffic' | 'unpacking'>;
}

/**
 * Products move what they moved before, whatever is kept of it, and adapters add their bytes. Packed weights are unpacked before every
 * use, one matrix at a time. Norms and biases are never packed.
 */
function trainingOf(
  args: ShapeArguments,
  setting: LayerSetting,
  {
    branches,
    element,
    dense,
    experts,
  }: {
    readonly branches: readonly LayerPart[];
    readonly element: number;
    readonly dense: number;
    readonly experts: number;
  },
): Learned {
  const adapters = sumAdapters(branches.map((branch) => branch.adapters));
  const { training, stored, ...whole } = setting;
  if (training === undefined && stored === undefined) return { adapters, workspace: 0, cost: {} };
  const base = costOfTransformer(args, { ...whole, recompute: 'none' }).traffic;
  const lora = loraOf(setting);
  if (lora === undefined) return { adapters, traffic: base, workspace: 0, cost: {} };
  const tokens = tokensOf(setting);
  const matrices = ({ linear, matrices: of = linear / 2, expertParameters }: LayerPart): number =>
    expertParameters === undefined ? of : 0;
  const packed = lora.packed ? branches.reduce((total, branch) => total + matrices(branch), 0) : 0;
  const unpacked = packed * (packedBytes + element);
  const ofAdapters = tokens * adapters.traffic + adapters.localParameters * element;
  const mlp = hasExperts(args) ? 0 : hiddenOf(args) * ffnOf(args);
  const ofAttention = isLatent(args) ? widestLatent(args) : hiddenOf(args) ** 2;
  const widest = Math.max(mlp, ofAttention) / setting.tensor;
  return {
    adapters,
    traffic: base + ofAdapters,
    forWeight: tokens * adapters.forWeight,
    workspace: lora.packed ? element * widest : 0,
    kernels: () => [...(packed > 0 ? [unpacks(unpacked)] : []), ...adapters.kernels(tokens)],
    cost: {
      trainable: adapters.parameters,
      frozen: frozenWeights(dense, experts, packed),
      weightFlops: tokens * adapters.linear,
      weightTraffic: ofAdapters,
      ...(packed > 0 ? { unpacking: unpacked } : {}),
    },
  };
}

const plainTargets: readonly LoraTarget[] = ['q', 'k', 'v', 'o'];
const mlpTargets: readonly LoraTarget[] = ['gate', 'up', 'down'];

/** Products of a layer that may have adapters. */
export const targetsOf = (args: ShapeArguments): readonly LoraTarget[] => [
  ...attentionTargets(args),
  ...(flagOf(args, 'mlp', true) ? mlpTargets : []).filter((target) => target !== 'gate' || args['gated'] === true),
];

/** Mixers with a state have no adapters. */
const attentionTargets = (args: ShapeArguments): readonly LoraTarget[] =>
  wordOf(args, 'mixer', 'attention') !== 'attention' ? [] : isLatent(args) ? latentTargets(args) : plainTargets;

/** Why the argument `experts` of adapters does nothing in a layer. */
export function expertsProblem(args: ShapeArguments, { targets = [], experts }: Lora): string | undefined {
  if (experts === undefined) return undefined;
  if (!hasExperts(args)) return '`experts` needs a layer with experts';
  return targets.some((target) => mlpTargets.includes(target))
    ? undefined
    : '`experts` needs targets of experts: gate, up or down';
}

/** Why a layer cannot have these adapters. */
export function adapterProblem(args: ShapeArguments, lora: Lora): string | undefined {
  const { targets = [] } = lora;
  const ofAttention = attentionTargets(args);
  const wrong = targets.filter((target) => !ofAttention.includes(target) && !mlpTargets.includes(target));
  if (wrong.length > 0) {
    if (ofAttention.length === 0)
      return `mixer ${wordOf(args, 'mixer', 'attention')} has no targets: ${wrong.join(', ')}`;
    const attention = isLatent(args) ? 'latent attention' : 'attention without `kv_lora_rank`';
    return `${attention} has the targets ${ofAttention.join(', ')}, not ${wrong.join(', ')}`;
  }
  const problem = expertsProblem(args, lora);
  if (problem !== undefined) return problem;
  return targets.includes('gate') && args['gated'] !== true ? 'the target gate needs `gated = true`' : undefined;
}
