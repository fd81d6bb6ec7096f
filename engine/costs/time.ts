import { exchange, forwardTraffic, noTraffic, sumTraffic } from './collectives.ts';
import { coreTimes } from './fusedCore.ts';
import { byKernel, kernelWork, type Work } from './kernels.ts';
import { overlapTime, shareAt } from './kernelTime.ts';
import { elementBytes } from './precision.ts';
import { frozenBytes, frozenWeights, noFrozen } from './training.ts';
import { extraBytes } from './tiles.ts';
import type {
  DeviceSpeed,
  LayerCost,
  LayerSetting,
  LayerTraining,
  RecomputeMode,
  ShapeCost,
  Traffic,
} from './types.ts';

/**
 * A derived layer on a device, seconds and bytes: its work, plus what of its collectives no computing hides. The backward repeats
 * linear layers twice (I and W) and the attention core, which has no weights, twice in I (arXiv:2401.10241, section 2).
 *
 * A figure of the device that is 0 is treated as absent, and its term is left out. The caller makes sure that `compute` is there
 * for layers with FLOPs, and a ring's bandwidth if its group has several ranks.
 */
export function timeOf(cost: ShapeCost, setting: LayerSetting, nominal: DeviceSpeed): LayerCost {
  const device = nominal.speed > 0 ? { ...nominal, compute: nominal.compute * nominal.speed } : nominal;
  const work = workOf(cost, device);
  const forward = exchange(cost.collectives, 'forward', setting, device, { all: work.forward, core: work.core });
  const backward = exchange(cost.collectives, 'backward', setting, device, {
    all: work.backwardInput,
    core: work.coreBackward,
  });
  // Full recomputation runs the forward again with its communication; selective only the attention core.
  const { backward: passes } = cost;
  const padding = paddingIn(cost, setting);
  const spareFlops = (cost.spareFlops ?? 0) + padding.linear + padding.core;
  const again = setting.recompute === 'stage' || (setting.recompute === 'full' && cost.recomputeFlops > 0);
  const repeated = repeatedIn(cost, setting, device);
  const traffic = sumTraffic([
    forwardTraffic(forward.traffic),
    passes === undefined ? backward.traffic : noTraffic,
    again ? forward.traffic : (repeated?.traffic ?? noTraffic),
  ]);
  return {
    parameters: cost.parameters,
    localParameters: cost.localParameters,
    expertParameters: cost.expertParameters ?? 0,
    ...(cost.embeddingParameters === undefined ? {} : { embeddingParameters: cost.embeddingParameters }),
    ...(cost.ownsEmbedding === true ? { ownsEmbedding: true } : {}),
    forwardFlops: cost.linearFlops + cost.coreFlops,
    ...(spareFlops > 0 ? { spareFlops } : {}),
    forward: work.forward + forward.exposed,
    backwardInput: passes === undefined ? work.backwardInput + backward.exposed : 0,
    backwardWeight: cost.trainable === 0 ? 0 : work.backwardWeight,
    splitKnown: true,
    ...trainedFigures(cost, padding),
    recompute:
      setting.recompute === 'stage'
        ? work.forward + forward.exposed
        : cost.recomputeFlops === 0
          ? (repeated?.seconds ?? 0)
          : setting.recompute === 'full'
            ? work.full + forward.exposed
            : (repeated?.seconds ?? work.selective),
    weights: weightBytes(cost, elementBytes(setting.precision)),
    activation: cost.activation,
    activationForWeight: cost.activationForWeight,
    recomputed: cost.recomputed,
    output: cost.output,
    workspace: cost.workspace,
    ...(cost.workspaceStays === undefined ? {} : { workspaceStays: cost.workspaceStays }),
    ...(cost.activationParts === undefined ? {} : { activationParts: cost.activationParts }),
    ...(cost.crossInput === undefined ? {} : { crossInput: cost.crossInput }),
    ...(cost.repeats === undefined ? {} : { recomputedParts: cost.repeats.frees }),
    ...(traffic === noTraffic ? {} : { traffic }),
  };
}

/** FLOPs of a forward on padding, and the share of the tokens that is padding. */
interface Padding {
  readonly share: number;
  readonly linear: number;
  readonly core: number;
}

/** The model asks for the tokens of documents. The tokens of a sample behind them are padding, through which linear layers go all the same. */
function paddingIn(cost: ShapeCost, { documents, sequence }: LayerSetting): Padding {
  if (documents === undefined) return { share: 0, linear: 0, core: 0 };
  const { linearFlops, coreFlops, spareFlops = 0, unpadded = { linear: 0, core: 0 } } = cost;
  const share = 1 - documents.reduce((sum, length) => sum + length, 0) / sequence;
  return {
    share,
    linear: share * (linearFlops - spareFlops - unpadded.linear),
    core: share * (coreFlops - unpadded.core),
  };
}

/** What differs if not all of a layer trains: the backward's FLOPs, and weights without a gradient. */
function trainedFigures(
  cost: ShapeCost,
  padding: Padding,
): Pick<LayerCost, 'backwardFlops' | 'trainable' | 'frozen' | 'forwardOnly'> {
  const { backward, weightFlops, trainable, frozen, linearFlops, coreFlops, spareFlops = 0, inputlessFlops } = cost;
  if (backward === undefined && frozen === undefined && inputlessFlops === undefined) return {};
  const products = linearFlops - spareFlops - padding.linear;
  const { inputless, forwardOnly } = cost.askedApart ?? { inputless: inputlessFlops ?? 0, forwardOnly: 0 };
  const ofInput = backward === undefined ? products - inputless + 2 * (coreFlops - padding.core) : 0;
  const ofWeights = weightFlops === undefined ? products - forwardOnly : weightFlops * (1 - padding.share);
  return {
    backwardFlops: backward === 'none' ? 0 : ofInput + ofWeights,
    ...(trainable === undefined ? {} : { trainable }),
    ...(frozen === undefined ? {} : { frozen }),
    ...(backward === 'none' ? { forwardOnly: true } : {}),
  };
}

const weightBytes = ({ localParameters, frozen = noFrozen }: ShapeCost, element: number): number =>
  (localParameters - frozen.dense - frozen.experts) * element + frozenBytes(frozen, element);
/** Seconds and traffic of the parts of a forward that recomputation runs again, as a forward of these alone. */
function repeatedIn(
  { repeats, fused }: ShapeCost,
  setting: LayerSetting,
  device: DeviceSpeed,
): { readonly seconds: number; readonly traffic: Traffic } | undefined {
  if (repeats === undefined) return undefined;
  const { linearFlops, coreFlops, traffic, collectives, kernels } = repeats;
  const core = fused === undefined || coreFlops === 0 ? {} : { fused };
  const work = workOf({ linearFlops, coreFlops, recomputeFlops: 0, traffic, kernels, ...core }, device);
  const { exposed, traffic: moved } = exchange(collectives, 'forward', setting, device, {
    all: work.forward,
    core: work.core,
  });
  return { seconds: work.forward + exposed, traffic: moved };
}

/** What the seconds of a part of a layer follow from. */
type Worked = Pick<
  ShapeCost,
  | 'linearFlops'
  | 'coreFlops'
  | 'recomputeFlops'
  | 'traffic'
  | 'scores'
  | 'kernels'
  | 'weightless'
  | 'fused'
  | 'unpacking'
  | 'weightFlops'
  | 'weightTraffic'
  | 'inputlessFlops'
  | 'forwardOnlyFlops'
>;

/** Of a layer without FLOPs the weight gradient moves what the forward does, and there is no other: an embedding. */
const isLookUp = ({ linearFlops, coreFlops, weightless }: Worked): boolean =>
  linearFlops + coreFlops === 0 && weightless !== true;

/**
 * Kernel by kernel if the device has figures for single kernels. Otherwise one roofline for the layer, and the launches of its
 * kernels.
 */
function workOf(cost: Worked, device: DeviceSpeed): Work {
  if (byKernel(device)) return kernelWork(cost.kernels(), device, isLookUp(cost));
  const whole = layerWork(cost, device, extraTraffic(cost, device));
  if ((device.launch ?? 0) === 0) return whole;
  const { attention: _, ...idle } = { ...device, compute: 0, bandwidth: 0 };
  const launches = kernelWork(cost.kernels(), idle, isLookUp(cost));
  return {
    forward: whole.forward + launches.forward,
    core: whole.core + launches.core,
    coreBackward: whole.coreBackward + launches.coreBackward,
    backwardInput: whole.backwardInput + launches.backwardInput,
    backwardWeight: whole.backwardWeight + launches.backwardWeight,
    full: whole.full + launches.full,
    selective: whole.selective + launches.selective,
  };
}

/** Bytes that products move beyond each element once, by pass; `full` is what full recomputation makes again. */
interface ExtraTraffic {
  readonly forward: number;
  readonly left: number;
  readonly right: number;
  readonly full: number;
}

/** Products with weights move more where a cache holds only a tile of them. */
function extraTraffic({ kernels }: Worked, { cache }: DeviceSpeed): ExtraTraffic {
  const extra = { forward: 0, left: 0, right: 0, full: 0 };
  if (cache === undefined) return extra;
  for (const kernel of kernels()) {
    const bytes = kernel.count * extraBytes(kernel, 'forward', cache);
    extra.forward += bytes;
    if (kernel.kept !== true) extra.full += bytes;
    if (kernel.inputless !== true) extra.left += kernel.count * extraBytes(kernel, 'left', cache);
    extra.right += kernel.count * extraBytes(kernel, 'right', cache);
  }
  return extra;
}

/** A layer as one: FLOPs at peak × efficiency, but never faster than its bytes move. */
function layerWork(cost: Worked, device: DeviceSpeed, extra: ExtraTraffic): Work {
  const { linearFlops: linear, coreFlops: core, recomputeFlops, scores = 0 } = cost;
  const weightless = cost.weightless === true;
  const ofInput = linear - (cost.inputlessFlops ?? 0);
  const ofWeight = cost.weightFlops ?? linear - (cost.forwardOnlyFlops ?? 0);
  const bandwidth = device.bandwidth * shareAt(device.memoryEfficiency ?? [], 0);
  const roofline = (flops: number, traffic: number): number => {
    const computing = device.compute > 0 ? flops / (device.compute * device.efficiency) : 0;
    const moving = bandwidth > 0 ? traffic / bandwidth : 0;
    return overlapTime(computing, moving, device.memoryOverlap);
  };
  // Scores are written and read again by whatever runs the core.
  const run = (flops: number, more: number) => roofline(flops, cost.traffic + scores + more);
  const unpacking = bandwidth > 0 ? (cost.unpacking ?? 0) / bandwidth : 0;
  if (cost.fused !== undefined && device.attention !== undefined && !weightless) {
    // A fused core runs before and after other kernels, never at the same time. What it moves is part of the layer's traffic.
    const fused = coreTimes(core, cost.fused, device.attention, { ...device, launch: 0 });
    return {
      forward: run(linear, extra.forward) + fused.forward + unpacking,
      core: fused.forward,
      coreBackward: fused.backward,
      backwardInput: run(ofInput, extra.left) + fused.backward + unpacking,
      backwardWeight: roofline(ofWeight, cost.weightTraffic ?? cost.traffic + extra.right),
      full: recomputeFlops === 0 ? 0 : run(recomputeFlops - core, extra.full) + fused.forward + unpacking,
      selective: 0,
    };
  }
  return {
    forward: run(linear + core, extra.forward) + unpacking,
    core: roofline(core, 0),
    coreBackward: 2 * roofline(core, 0),
    backwardInput: weightless
      ? roofline(2 * core, 2 * cost.traffic + extra.left + extra.right)
      : isLookUp(cost)
        ? 0
        : run(ofInput + 2 * core, extra.left) + unpacking,
    backwardWeight: weightless ? 0 : roofline(ofWeight, cost.weightTraffic ?? cost.traffic - scores + extra.right),
    full: run(recomputeFlops, extra.full) + unpacking,
    selective: roofline(recomputeFlops, 2 * scores),
  };
}

/** What a file says of a measured layer: seconds and bytes of one microbatch on one device of its stage. */
export interface MeasuredFigures {
  readonly forward: number;
  /** Of both gradients. It is split into halves if they are not measured separately. */
  readonly backward?: number;
  readonly backwardInput?: number;
  readonly backwardWeight?: number;
  readonly weights?: number;
  readonly activation?: number;
  /** Of `activation`, what W still needs once I has run; all of it if absent. */
  readonly activationForWeight?: number;
  readonly output?: number;
  readonly workspace?: number;
}

/** A measured layer under a recompute mode. */
export interface MeasuredLayer extends MeasuredFigures {
  /** Bytes that it reads from other layers, which full recomputation keeps. Default: 0, because a first layer reads the data. */
  readonly input?: number;
  readonly recomputeMode: RecomputeMode;
  /** Whether its weights train; a measured layer has no adapters. Absent: all do. */
  readonly training?: LayerTraining;
}

/**
 * A measured layer on a device: times are divided by the device's relative speed, never by tensor ranks. All that F keeps
 * stays until W where the backward is split; the file may say that W needs less. Full recomputation runs one more forward
 * and keeps the input only; selective recomputation has no effect, since attention is not known. A frozen layer without
 * trained layers before it only runs its forward: what others keep is there while it runs.
 */
export function measured(values: MeasuredLayer, setting: LayerSetting, device: DeviceSpeed): LayerCost {
  const { weights = 0, activation = 0, output = 0, workspace = 0, training, recomputeMode } = values;
  const speed = device.speed > 0 ? device.speed : 1;
  const frozen = training?.trains === 'nothing';
  const forwardOnly = frozen && training.upstream === false;
  const { input, weight, known } = forwardOnly ? noBackward : backwards(values);
  const forward = values.forward / speed;
  const again = recomputeMode === 'stage' || (recomputeMode === 'full' && !forwardOnly);
  const held = forwardOnly ? 0 : activation;
  const kept = recomputeMode === 'full' ? Math.min(held, values.input ?? 0) : held;
  const parameters = weights / elementBytes(setting.precision);
  return {
    parameters,
    localParameters: parameters,
    expertParameters: 0,
    forwardFlops: 0,
    ...(frozen ? { trainable: 0, frozen: frozenWeights(parameters), backwardFlops: 0 } : {}),
    ...(forwardOnly ? { forwardOnly } : {}),
    forward,
    backwardInput: input / speed,
    backwardWeight: frozen ? 0 : weight / speed,
    splitKnown: known,
    recompute: again ? forward : 0,
    weights,
    activation: kept,
    activationForWeight: frozen ? 0 : (values.activationForWeight ?? activation),
    recomputed: held - kept,
    output,
    workspace: forwardOnly ? workspace + activation : workspace,
  };
}

const noBackward = { input: 0, weight: 0, known: true };

/** A measured layer of a share of its samples: times and sizes go with them, weights do not. */
export const scaled = (cost: LayerCost, share: number): LayerCost =>
  share === 1
    ? cost
    : {
        ...cost,
        forward: cost.forward * share,
        backwardInput: cost.backwardInput * share,
        backwardWeight: cost.backwardWeight * share,
        recompute: cost.recompute * share,
        activation: cost.activation * share,
        activationForWeight: cost.activationForWeight * share,
        recomputed: cost.recomputed * share,
        output: cost.output * share,
        workspace: cost.workspace * share,
      };

/** Seconds of both gradients. One of them and the sum give the other; the sum alone is halved. */
function backwards(values: MeasuredLayer): {
  readonly input: number;
  readonly weight: number;
  readonly known: boolean;
} {
  const { backward, backwardInput: input, backwardWeight: weight } = values;
  if (input !== undefined && weight !== undefined) return { input, weight, known: true };
  if (backward === undefined) return { input: input ?? 0, weight: weight ?? 0, known: true };
  if (input !== undefined) return { input, weight: Math.max(0, backward - input), known: true };
  if (weight !== undefined) return { input: Math.max(0, backward - weight), weight, known: true };
  return { input: backward / 2, weight: backward / 2, known: backward === 0 };
}
