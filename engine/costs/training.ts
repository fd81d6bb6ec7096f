/** What of a layer trains: all of it, nothing (frozen), or adapters next to frozen weights. */
import { frozenKernels, moves, product } from './kernels.ts';
import { elementBytes } from './precision.ts';
import { type OptimizerRequest, shardRanks, shardsWeights } from './optimizer.ts';
import type { ShapeArguments, ShapeSchema } from './shape.ts';
import type { FrozenWeights, Kernel, LayerSetting, Lora, LoraTarget, ShapeCost } from './types.ts';

/** Whether W of the layer's own weights runs. */
export const trainsWeights = ({ training }: Pick<LayerSetting, 'training'>): boolean =>
  training === undefined || training.trains === 'all';

/** The adapters of a layer, if it has any. */
export const loraOf = ({ training }: Pick<LayerSetting, 'training'>): Lora | undefined =>
  typeof training?.trains === 'object' ? training.trains : undefined;

/** Products that read the same input, and that input: bytes of a token on one rank. Widths are of all tensor ranks. */
export interface AdaptedProducts {
  readonly input: number;
  readonly inputs: number;
  readonly outputs: Readonly<Partial<Record<LoraTarget, number>>>;
}

/** Adapters of one input on one tensor rank. FLOPs and bytes are per token. */
export interface AdapterPart {
  readonly parameters: number;
  readonly localParameters: number;
  /** Of these, of experts. None where absent. */
  readonly expertParameters?: number;
  readonly linear: number;
  /** Bytes that the forward keeps: the input of the adapters, and what A makes of it. */
  readonly inputs: number;
  readonly sums: number;
  /** Bytes that W needs: these, and the gradients of the outputs. */
  readonly forWeight: number;
  /** Bytes that one forward moves, without weights. */
  readonly traffic: number;
  readonly kernels: (tokens: number) => readonly Kernel[];
}

const isTarget = ({ targets }: Lora, name: string): boolean =>
  targets === undefined || targets.some((target) => target === name);

/** What W of these products needs of their input: bytes per token. */
export function inputForWeight(setting: LayerSetting, products: AdaptedProducts): number {
  if (trainsWeights(setting)) return products.input;
  return adapterPart(setting, products)?.inputs ?? 0;
}

/**
 * Adapters of products with one input; `undefined` where there are none. Tensor ranks split both matrices, as Megatron Bridge does
 * (`ParallelLinearAdapter`); what A makes is whole on each. With dropout every adapter keeps a separate copy of the input and a mask
 * of bytes, as in PEFT, where each has a separate dropout.
 */
export function adapterPart(
  setting: LayerSetting,
  { input, inputs, outputs }: AdaptedProducts,
): AdapterPart | undefined {
  const lora = loraOf(setting);
  if (lora === undefined) return undefined;
  const widths = Object.entries(outputs).flatMap(([name, width]) => (isTarget(lora, name) ? [width] : []));
  if (widths.length === 0) return undefined;
  const { tensor } = setting;
  const element = elementBytes(setting.precision);
  const { rank } = lora;
  const parameters = widths.reduce((sum, width) => sum + rank * (inputs + width), 0);
  const output = (element * widths.reduce((sum, width) => sum + width, 0)) / tensor;
  const kept = lora.dropout ? widths.length * (input + input / element) : input;
  const sums = element * rank * widths.length;
  return {
    parameters,
    localParameters: parameters / tensor,
    linear: (2 * parameters) / tensor,
    inputs: kept,
    sums,
    forWeight: kept + sums + output,
    // A reads the input and writes its sums, B reads these and writes the output, which is added to the other output.
    traffic: widths.length * ((element * inputs) / tensor + 2 * element * rank) + 4 * output,
    kernels: (tokens) =>
      widths.flatMap((width) => [
        product([tokens, inputs / tensor, rank], element),
        product([tokens, rank, width / tensor], element),
        moves((3 * tokens * element * width) / tensor),
      ]),
  };
}

/** Sums over the adapters of a layer; nothing where there are none. */
export function sumAdapters(all: readonly (AdapterPart | undefined)[]): AdapterPart {
  const found = all.filter((each) => each !== undefined);
  const sum = (figure: Exclude<keyof AdapterPart, 'kernels'>) =>
    found.reduce((total, each) => total + (each[figure] ?? 0), 0);
  return {
    parameters: sum('parameters'),
    localParameters: sum('localParameters'),
    expertParameters: sum('expertParameters'),
    linear: sum('linear'),
    inputs: sum('inputs'),
    sums: sum('sums'),
    forWeight: sum('forWeight'),
    traffic: sum('traffic'),
    kernels: (tokens) => found.flatMap((each) => each.kernels(tokens)),
  };
}

/**
 * Bytes of a weight in 4-bit NormalFloat with double quantisation: half a byte. Each block of 64 weights adds one
 * byte, and 256 blocks add four (arXiv:2305.14314, section 3: 0.127 bits of constants for each weight).
 */
const codeBytes = 0.5;
const constantBytes = 1 / 64 + 4 / (64 * 256);
export const packedBytes = codeBytes + constantBytes;

/**
 * A shape's cost under the setting's training. A layer that does not train, and behind no layer that does, runs its forward only:
 * nothing is kept, and what it would have kept is there while it runs. Behind a layer that trains it still passes the gradient on.
 */
export function costUnder(shape: Pick<ShapeSchema, 'cost'>, args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const { training, ...whole } = setting;
  if (training === undefined) return shape.cost(args, setting);
  if (training.trains === 'nothing') {
    const cost = training.upstream
      ? shape.cost(args, setting)
      : forwardOnly(shape.cost(args, { ...whole, recompute: 'none' }));
    return {
      ...cost,
      trainable: 0,
      frozen: frozenWeights(cost.localParameters - (cost.expertParameters ?? 0), cost.expertParameters),
      weightFlops: 0,
      weightTraffic: 0,
      activationForWeight: 0,
      kernels: () => frozenKernels(cost.kernels()),
    };
  }
  const cost = shape.cost(args, training.trains === 'all' ? whole : setting);
  return training.upstream || cost.single !== true ? cost : { ...cost, backward: 'weights' };
}

const forwardOnly = (cost: ShapeCost): ShapeCost => ({
  ...cost,
  backward: 'none',
  activation: 0,
  activationParts: {},
  crossInput: 0,
  recomputed: 0,
  recomputeFlops: 0,
  workspace: cost.workspace + cost.activation,
  collectives: cost.collectives.map((collective) => ({ ...collective, backward: 0 })),
});

/** Weights that do not train, of which `packed` are stored in 4 bits. */
export const frozenWeights = (dense: number, experts = 0, packed = 0): FrozenWeights => ({ dense, experts, packed });

export const noFrozen: FrozenWeights = { dense: 0, experts: 0, packed: 0 };

/**
 * Bytes of frozen weights on a device: whole, or a part where ranks hold weights in parts. `each`: bytes of one that is not packed.
 * The parameter of a packed weight has its codes. Its constants are an attribute of the module, which each rank has whole
 * (bitsandbytes/nn/modules.py: `Linear4bit.quant_state`, `fix_4bit_weight_quant_state_from_module`).
 */
export function frozenShare(
  frozen: FrozenWeights,
  each: number,
  { ranks, expertRanks, shard = 'none', over }: Pick<OptimizerRequest, 'ranks' | 'expertRanks' | 'shard' | 'over'>,
): number {
  const [ofDense, ofExperts] = [ranks, expertRanks].map((count) =>
    shardsWeights(shard) ? shardRanks(count, over) : 1,
  );
  const dense = movedFrozenBytes({ ...frozen, experts: 0 }, each);
  return dense / ofDense + frozen.packed * constantBytes + (frozen.experts * each) / ofExperts;
}

/** As many weights of `each` bytes as packed weights take less of them where they are gathered. */
export const packedSaving = (packed: number, each: number): number =>
  packed > 0 && each > 0 ? packed * (1 - codeBytes / each) : 0;

/** Bytes of frozen weights that ranks gather from each other: packed ones move as they are kept, and products unpack them. */
export const movedFrozenBytes = ({ dense, experts, packed }: FrozenWeights, each: number): number =>
  (dense + experts - packed) * each + packed * codeBytes;

export const addFrozen = (a: FrozenWeights | undefined, b: FrozenWeights | undefined): FrozenWeights | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : { dense: a.dense + b.dense, experts: a.experts + b.experts, packed: a.packed + b.packed };

/** Packed weights are read and written in 16 bits before each product that reads them, in F and in I. */
export const unpacks = (bytes: number): Kernel => ({ part: 'linear', flops: 0, bytes, count: 1, frozen: true });

/** Bytes of frozen weights on a device where one that is not packed takes `each`. */
export const frozenBytes = ({ dense, experts, packed }: FrozenWeights, each: number): number =>
  (dense + experts - packed) * each + packed * packedBytes;
