import { adaptersOfExperts } from './expertAdapters.ts';
import { expertFfnOf, innerKernels, innerPart, innerProducts, mlpMatrices, mlpParameters } from './feedForward.ts';
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
import { ownNorm } from './ownNorm.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter } from './shape.ts';
import { storedDispatch, storedInput } from './stored.ts';
import { trainsWeights } from './training.ts';
import type { Collective, LayerSetting } from './types.ts';
import { matrix, type WeightMatrix } from './weightMatrix.ts';

/** A mixture of experts in place of the MLP. It is chosen by `experts`. */
export const expertParameters: readonly ShapeParameter[] = [
  { name: 'experts', kind: 'integer', default: null, doc: 'experts that a router chooses from: a mixture of experts' },
  { name: 'experts_per_token', kind: 'integer', default: null, doc: 'experts that each token goes to' },
  { name: 'expert_ffn', kind: 'integer', default: null, doc: 'inner width of an expert. Default: `ffn`' },
  {
    name: 'shared_experts',
    kind: 'integer',
    default: 0,
    min: 0,
    doc: 'additional experts that every token goes to, as in DeepSeek-V3',
  },
  {
    name: 'shared_gate',
    kind: 'boolean',
    default: false,
    doc: 'a learned gate of what shared experts add, a number for each token, as in Qwen 2 MoE',
  },
  {
    name: 'capacity',
    kind: 'quantity',
    dimension: 'number',
    default: 1,
    doc: 'tokens of the fullest expert rank relative to an even spread: the cost of imbalance, or of padding to a capacity factor',
  },
  {
    name: 'nodes_per_token',
    kind: 'integer',
    default: null,
    doc: 'nodes that the experts of a token are on at most (node-limited routing). Tokens cross the network once for each of them. Default: no limit, and once for each expert',
  },
  {
    name: 'router_bias',
    kind: 'boolean',
    default: false,
    doc: 'a bias for each expert in the router, as in DeepSeek-V3',
  },
];

export const hasExperts = (args: ShapeArguments): boolean => typeof args['experts'] === 'number';

export function checkExperts(args: ShapeArguments, setting?: LayerSetting): string | undefined {
  if (!hasExperts(args)) {
    const lone = expertParameters.find(({ name }) => name !== 'experts' && name in args);
    return lone === undefined ? undefined : `${lone.name} needs experts`;
  }
  const experts = numberOf(args, 'experts', 1);
  const chosen = numberOf(args, 'experts_per_token', 0);
  if (chosen === 0) return 'experts needs experts_per_token';
  if (flagOf(args, 'shared_gate', false) && numberOf(args, 'shared_experts', 0) === 0)
    return 'shared_gate needs shared_experts';
  if (chosen > experts) return `experts_per_token ${chosen} is more than experts ${experts}`;
  const nodes = numberOf(args, 'nodes_per_token', 1);
  if (nodes > chosen)
    return `nodes_per_token ${nodes} is more than experts_per_token ${chosen}: ${chosen} experts are on at most ${chosen} nodes`;
  if (numberOf(args, 'capacity', 1) < 1) return 'capacity is below 1, but the fullest rank has at least the mean';
  const { expert = 1 } = setting ?? {};
  return experts % expert === 0 ? undefined : `${experts} experts cannot be spread over ${expert} expert ranks`;
}

/**
 * Expert ranks hold some of the experts each. Tensor ranks split the width of every expert (or not: `expertTensor` 1); the router
 * is whole on each. Tokens are spread evenly, times `capacity`; each is kept once for every expert that it goes to. If tensor
 * ranks split an expert, its tokens are gathered, so these copies stay whole on each rank. Otherwise each rank has a different
 * part. Routing keeps its probabilities in fp32. The weights of the sum are applied before the last product, so the experts'
 * outputs are not kept. SwiGLU applies them in its own kernel; other activations do not, and their results are kept for the gradient of
 * the weights (Megatron-LM, `TEGroupedMLP`, `bias_act_func`). Biases of the last product are added in kernels apart (`_apply_bias`):
 * `torch.cat([t + b * p for t, b, p in …])` moves each copy six times. A gate of shared experts is a product of one column, and keeps what
 * it multiplies (transformers, `Qwen2MoeSparseMoeBlock`).
 */
export function expertsPart(args: ShapeArguments, setting: LayerSetting): LayerPart {
  const hidden = hiddenOf(args);
  const experts = numberOf(args, 'experts', 1);
  const chosen = numberOf(args, 'experts_per_token', 1) * numberOf(args, 'capacity', 1);
  const shared = numberOf(args, 'shared_experts', 0);
  const gate = flagOf(args, 'shared_gate', false) ? hidden : 0;
  const width = expertFfnOf(args);
  const { tensor, expert, expertTensor } = setting;
  const whole = wholeRanks(setting);
  const element = elementBytes(setting.precision);
  const input = (element * hidden) / whole;
  // Copies of a token on one rank: of its part of the sequence, and of the ranks that split an expert with it.
  const routed = (chosen * expertTensor) / tensor;
  const copies = element * routed * hidden;
  const routing = (4 * experts) / whole;
  // What shared experts return, and the gate of it.
  const gated = gate > 0 ? element * (hidden + 1) : 0;
  const inner = innerPart(args, setting, width / expertTensor);
  const innerShared = innerPart(args, setting, width / tensor);
  const router = hidden * experts + gate + (flagOf(args, 'router_bias', false) ? experts : 0);
  const localExperts = (experts / expert) * mlpParameters(args, width / expertTensor);
  const trains = trainsWeights(setting);
  const both = (figure: 'flops' | 'kept' | 'forInput' | 'remade' | 'forWeight') =>
    routed * inner[figure] + shared * innerShared[figure];
  const weighted = routed * inner.weighted;
  const tokens = tokensOf(setting);
  const local = experts / expert;
  const adapted = adaptersOfExperts(args, setting, { copies: routed, local, inner, innerShared });
  const collectives = expertCollectives(setting, {
    sent: storedDispatch(setting, (element * chosen * hidden) / (expertTensor === tensor ? whole : tensor)),
    gathered: copies,
    shared: shared > 0 ? element * hidden : 0,
    all: element * hidden,
  });
  // Shared experts are one wider MLP.
  const sharedKernels = () => innerKernels(args, setting, (shared * width) / tensor, tokens);
  const gateKernels = () =>
    gate > 0 ? [product([tokens / whole, hidden, 1], element), moves((2 * tokens * gated) / whole)] : [];
  const inside = () => {
    // Copies are sorted by expert, and their results sorted back and summed.
    const sorting = moves(2 * tokens * copies);
    // The bias behind the last product is multiplied with the probability of each copy, added, and the experts are joined again.
    const bias = flagOf(args, 'bias', true) ? [1, 3, 2].map((tensors) => moves(tensors * tokens * copies)) : [];
    return [
      product([tokens / whole, hidden, experts], element),
      // Probabilities in fp32, and the choice.
      moves(2 * tokens * routing),
      sorting,
      ...innerKernels(args, setting, width / expertTensor, (tokens * routed) / local, local),
      ...bias,
      sorting,
      // The result of shared experts is added.
      ...gateKernels(),
      ...(shared > 0 ? [...sharedKernels(), moves((3 * element * tokens * hidden) / whole)] : []),
    ];
  };
  // The router reads its input in 16 bits; shared experts read theirs in the format of inputs.
  const read = trains
    ? input + (setting.stored !== undefined && shared > 0 ? storedInput(setting, input) : 0)
    : adapted.input;
  return {
    parameters: router + (experts + shared) * mlpParameters(args, width),
    localParameters: router + localExperts + shared * mlpParameters(args, width / tensor),
    expertParameters: localExperts,
    linear: (2 * (hidden * experts + gate)) / whole + both('flops'),
    spare:
      2 * (hidden * experts + gate) * (1 / whole - 1 / tensor) +
      (1 - 1 / numberOf(args, 'capacity', 1)) * routed * inner.flops,
    core: 0,
    keeps: {
      [parts.linearInputs]: read,
      [parts.masks]: maskBytes(args, setting),
      [parts.routing]: routing,
      [parts.copies]: trains ? storedInput(setting, copies) : adapted.copies,
      [parts.experts]: weighted + gated / whole + (trains ? both('kept') : both('forInput') + adapted.down),
      [parts.adapters]: adapted.adapters.sums,
    },
    remade: trains ? both('remade') : adapted.remade,
    adapters: adapted.adapters,
    forWeight:
      input +
      routing +
      both('forWeight') +
      storedInput(setting, 2 * copies + (shared > 0 ? (setting.stored === undefined ? 1 : 2) * input : 0)),
    collectives,
    kernels: () => [...inside(), residual(args, setting)],
    modules: {
      ...ownNorm(args, setting, read),
      moe: {
        frees: {
          [parts.routing]: routing,
          [parts.copies]: copies,
          [parts.experts]: weighted + gated / whole + both('kept'),
        },
        kernels: inside,
        collectives,
      },
      // The activation function alone. Its inputs stay.
      moe_act: {
        frees: { [parts.experts]: weighted + routed * (inner.kept - inner.gates) },
        kernels: () =>
          innerKernels(args, setting, width / expertTensor, (tokens * routed) / local, local).filter(
            ({ part }) => part === 'elementwise',
          ),
      },
      ...(shared > 0
        ? {
            shared_experts: {
              frees: { [parts.experts]: shared * innerShared.kept + gated / whole },
              kernels: () => [...sharedKernels(), ...gateKernels()],
              collectives: tensorCollectives(setting, element * hidden),
            },
          }
        : {}),
    },
    operations: {
      products: shared > 0 ? innerProducts(args, setting, (shared * width) / tensor, tokens) : [],
      // The chosen experts of a token and their probabilities are few bytes, which are left out.
      saves: expert > 1 ? { [parts.copies]: copies } : {},
      extra: {
        [parts.exchanged]: expert > 1 ? copies : 0,
        [parts.scattered]: scattered(setting, element * hidden),
      },
      again: () => [
        product([tokens / whole, hidden, experts], element),
        ...(gate > 0 ? [product([tokens / whole, hidden, 1], element)] : []),
        ...innerKernels(args, setting, width / expertTensor, (tokens * routed) / local, local).filter(
          ({ part }) => part === 'linear',
        ),
      ],
    },
  };
}

/** The router, the matrices of each expert, and of the shared experts, which are one wider MLP. */
export function expertMatrices(args: ShapeArguments): readonly WeightMatrix[] {
  const [hidden, experts, width] = [hiddenOf(args), numberOf(args, 'experts', 1), expertFfnOf(args)];
  return [
    ...matrix(hidden, experts, { unsplit: true }),
    ...mlpMatrices(args, width, { count: experts, ofExperts: true }),
    ...mlpMatrices(args, numberOf(args, 'shared_experts', 0) * width),
  ];
}

/**
 * Without expert ranks, what a dense MLP exchanges. With them, a rank sends its tokens to their experts and gets them back. That
 * takes two all-to-alls in a forward and two in a backward (Megatron Core, `MoEAlltoAllTokenDispatcher`). If tensor ranks, all or some
 * neighbours, split the experts, they gather these tokens before and scatter their sums behind. Shared experts exchange what a dense MLP does.
 */
function expertCollectives(
  setting: LayerSetting,
  bytes: { readonly sent: number; readonly gathered: number; readonly shared: number; readonly all: number },
): readonly Collective[] {
  const { tensor, expert, expertTensor } = setting;
  if (expert === 1 && expertTensor === tensor) return tensorCollectives(setting, bytes.all);
  const found: Collective[] = [];
  if (expert > 1) found.push({ over: 'expert', pattern: 'all_to_all', bytes: bytes.sent, forward: 2, backward: 2 });
  const some = expertTensor === tensor ? {} : { ranks: expertTensor };
  const split = tensorCollectives({ ...setting, tensor: expertTensor, sequenceParallel: true }, bytes.gathered);
  found.push(...split.map((collective) => ({ ...collective, ...some })));
  if (bytes.shared > 0) found.push(...tensorCollectives(setting, bytes.shared));
  return found;
}
