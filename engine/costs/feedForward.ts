import { moves, product } from './kernels.ts';
import {
  hiddenOf,
  type LayerPart,
  maskBytes,
  type Operations,
  parts,
  residual,
  tensorCollectives,
  tokensOf,
  wholeRanks,
} from './layerPart.ts';
import { scattered } from './operations.ts';
import { normBefore } from './ownNorm.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter, wordOf } from './shape.ts';
import { storedGate, storedInput } from './stored.ts';
import { type AdaptedProducts, adapterPart, inputForWeight, loraOf, sumAdapters, trainsWeights } from './training.ts';
import type { Kernel, LayerSetting } from './types.ts';
import { matrix, type WeightMatrix } from './weightMatrix.ts';

export const feedForwardParameters: readonly ShapeParameter[] = [
  { name: 'ffn', kind: 'integer', default: null, doc: 'inner width of the MLP. Default: 4 × hidden' },
  { name: 'gated', kind: 'boolean', default: false, doc: 'SwiGLU: a gate in addition to the up projection' },
];

export const swigluParameter: ShapeParameter = {
  name: 'swiglu',
  kind: 'word',
  words: ['fused', 'recompute', 'eager'],
  default: 'fused',
  doc:
    'what a gated MLP keeps. `fused`: gate, up and product. `recompute`: all but the product. ' +
    '`eager`: the activated gate too',
};

/** Inner width of the MLP of a layer without experts. */
export const ffnOf = (args: ShapeArguments): number => numberOf(args, 'ffn', 4 * hiddenOf(args));

/** Inner width of an expert. */
export const expertFfnOf = (args: ShapeArguments): number => numberOf(args, 'expert_ffn', ffnOf(args));

/** Weights of one MLP of an inner width, of a rank or of all; the bias after the reduction is whole on every rank. */
export function mlpParameters(args: ShapeArguments, ffn: number): number {
  const hidden = hiddenOf(args);
  const up = matrices(args);
  return (up + 1) * hidden * ffn + (flagOf(args, 'bias', true) ? up * ffn + hidden : 0);
}

/** Matrices that read the MLP's input: up, and gate where there is one. */
const matrices = (args: ShapeArguments): number => (flagOf(args, 'gated', false) ? 2 : 1);

/** Up, gate and down of MLPs of an inner width, a matrix each. */
export const mlpMatrices = (
  args: ShapeArguments,
  ffn: number,
  more: Partial<Pick<WeightMatrix, 'count' | 'ofExperts'>> = {},
): readonly WeightMatrix[] => matrix(hiddenOf(args), ffn, { ...more, count: (matrices(args) + 1) * (more.count ?? 1) });

/** Of one token in one MLP on one rank: FLOPs, and bytes between its first and last product. */
export function innerPart(args: ShapeArguments, setting: LayerSetting, localFfn: number) {
  const up = matrices(args);
  const element = elementBytes(setting.precision);
  const gates = storedGate(setting, element * up * localFfn);
  const product = element * localFfn;
  const asInput = storedInput(setting, product);
  const asWritten = wordOf(args, 'swiglu', 'fused');
  const keeps = up === 1 ? 'fused' : setting.stored?.remakes === true ? 'recompute' : asWritten;
  return {
    flops: 2 * (up + 1) * hiddenOf(args) * localFfn,
    gates,
    kept: gates + (keeps === 'recompute' ? 0 : keeps === 'eager' ? product + asInput : asInput),
    /** Of these, what the input gradient reads: all but the input of the last product. */
    forInput: gates + (keeps === 'eager' ? product : 0),
    remade: keeps === 'recompute' ? product : 0,
    /** Kept too where the activation is not fused with the product with a routing probability: its result, which that product reads. */
    weighted: up === 1 || keeps === 'eager' ? product : 0,
    forWeight: storedInput(setting, element * up * localFfn + product),
  };
}

/**
 * `count` equal MLPs of some tokens each on one rank. First come the products that read the input, as one product (gate joined
 * with up). Then the activation of all of them at once with the bias before it (an eager one apart from the product with up), and
 * the product behind it.
 */
export function innerKernels(
  args: ShapeArguments,
  { precision }: LayerSetting,
  localFfn: number,
  tokens: number,
  count = 1,
): readonly Kernel[] {
  const up = matrices(args);
  const hidden = hiddenOf(args);
  const element = elementBytes(precision);
  const vector = element * count * tokens * localFfn;
  const eager = up === 2 && wordOf(args, 'swiglu', 'fused') === 'eager';
  return [
    product([tokens, hidden, up * localFfn], element, count),
    ...(eager ? [moves(2 * vector), moves(3 * vector)] : [moves((up + 1) * vector)]),
    product([tokens, localFfn, hidden], element, count),
  ];
}

/** The products of one MLP, for recomputation by operation: up, or gate and up, then down. */
export function innerProducts(
  args: ShapeArguments,
  { precision }: LayerSetting,
  localFfn: number,
  tokens: number,
): Operations['products'] {
  const hidden = hiddenOf(args);
  const element = elementBytes(precision);
  const widening = {
    output: element * localFfn,
    kept: true,
    kernel: () => product([tokens, hidden, localFfn], element),
  };
  return [
    ...Array.from({ length: matrices(args) }, () => widening),
    { output: element * hidden, kept: false, kernel: () => product([tokens, localFfn, hidden], element) },
  ];
}

/** A dense MLP whose width is split over tensor ranks. */
export function feedForwardPart(args: ShapeArguments, setting: LayerSetting): LayerPart {
  const ffn = ffnOf(args);
  const inner = innerPart(args, setting, ffn / setting.tensor);
  const element = elementBytes(setting.precision);
  const hidden = hiddenOf(args);
  const input = (element * hidden) / wholeRanks(setting);
  const gated = matrices(args) === 2;
  const kept = trainsWeights(setting) ? storedInput(setting, input) : input;
  const into: AdaptedProducts = { input: kept, inputs: hidden, outputs: { up: ffn, ...(gated ? { gate: ffn } : {}) } };
  const out: AdaptedProducts = { input: (element * ffn) / setting.tensor, inputs: ffn, outputs: { down: hidden } };
  const adapters = sumAdapters([adapterPart(setting, into), adapterPart(setting, out)]);
  const trains = trainsWeights(setting);
  // What an adapter of the last product reads may be made again like any other input, unless it is dropped out.
  const remakes = inner.remade > 0 && loraOf(setting)?.dropout !== true;
  const down = remakes ? 0 : inputForWeight(setting, out);
  const again = trains || (remakes && inputForWeight(setting, out) > 0);
  const collectives = tensorCollectives(setting, element * hidden);
  const inside = () => innerKernels(args, setting, ffn / setting.tensor, tokensOf(setting));
  const norm = normBefore(args, setting);
  const read = inputForWeight(setting, into);
  return {
    parameters: mlpParameters(args, ffn),
    localParameters: mlpParameters(args, ffn / setting.tensor),
    linear: inner.flops,
    core: 0,
    keeps: {
      [parts.linearInputs]: read,
      [parts.masks]: maskBytes(args, setting),
      [parts.mlp]: trains ? inner.kept : inner.forInput + down,
      [parts.adapters]: adapters.sums,
    },
    remade: again ? inner.remade : 0,
    adapters,
    forWeight: storedInput(setting, 2 * input) + inner.forWeight,
    collectives,
    kernels: () => [...inside(), residual(args, setting)],
    // The norm before the MLP runs inside its first product, so its result goes too.
    modules: {
      mlp: {
        frees: { [parts.mlp]: inner.kept, [parts.linearInputs]: norm.length > 0 ? read : 0 },
        kernels: () => [...norm, ...inside()],
        collectives,
      },
    },
    operations: {
      products: innerProducts(args, setting, ffn / setting.tensor, tokensOf(setting)),
      saves: {},
      extra: { [parts.scattered]: scattered(setting, element * hidden) },
    },
  };
}
