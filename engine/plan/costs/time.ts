import { elementBytes } from './precision.ts';
import type { DeviceSpeed, LayerCost, LayerSetting, RecomputeMode, ShapeCost } from './types.ts';

/**
 * A derived layer on a device, seconds and bytes. Roofline: FLOPs at peak × efficiency, but never faster than its bytes move;
 * plus ring all-reduces over the tensor ranks. The backward repeats linear layers twice (I and W) and the attention
 * core, which has no weights, twice in I (arXiv:2401.10241, section 2).
 *
 * A figure of the device that is 0 counts as not given and its term is left out: who calls makes sure that `compute` is there
 * for layers with FLOPs, and the ring's bandwidth where `tensor` is above 1.
 */
export function timeOf(cost: ShapeCost, setting: LayerSetting, device: DeviceSpeed): LayerCost {
  const { linearFlops: linear, coreFlops: core, reduceBytes, reduceCount } = cost;
  const run = (flops: number) => roofline(flops, cost.traffic, device);
  const weightless = cost.weightless === true;
  const reduces = reduceCount * allReduce(reduceBytes, setting.tensor, device);
  const reducesBackward =
    (cost.reduceCountBackward ?? reduceCount) *
    allReduce(cost.reduceBytesBackward ?? reduceBytes, setting.tensor, device);
  const lookUp = linear + core === 0;
  const forward = run(linear + core) + reduces;
  return {
    parameters: cost.parameters,
    localParameters: cost.localParameters,
    forwardFlops: linear + core,
    forward,
    backwardInput:
      (weightless ? roofline(2 * core, 2 * cost.traffic, device) : lookUp ? 0 : run(linear + 2 * core)) +
      reducesBackward,
    backwardWeight: weightless ? 0 : run(linear),
    splitKnown: true,
    // Full recomputation runs the forward again with its communication; selective only the attention core, whose scores
    // are each written and read at least once.
    recompute:
      setting.recompute === 'stage'
        ? forward
        : cost.recomputeFlops === 0
          ? 0
          : setting.recompute === 'full'
            ? run(cost.recomputeFlops) + reduces
            : roofline(cost.recomputeFlops, 2 * cost.recomputed, device),
    weights: cost.localParameters * elementBytes(setting.precision),
    activation: cost.activation,
    activationForWeight: cost.activationForWeight,
    recomputed: cost.recomputed,
    output: cost.output,
    workspace: cost.workspace,
  };
}

function roofline(flops: number, traffic: number, device: DeviceSpeed): number {
  const computing = device.compute > 0 ? flops / (device.compute * device.efficiency) : 0;
  const moving = device.bandwidth > 0 ? traffic / device.bandwidth : 0;
  return Math.max(computing, moving);
}

/** Seconds of one ring all-reduce of `bytes` over `ranks`: 2(n − 1) steps of bytes / n. */
export function allReduce(
  bytes: number,
  ranks: number,
  device: Pick<DeviceSpeed, 'tensorBandwidth' | 'tensorLatency'>,
): number {
  if (ranks <= 1) return 0;
  const moving = device.tensorBandwidth > 0 ? bytes / ranks / device.tensorBandwidth : 0;
  return 2 * (ranks - 1) * (device.tensorLatency + moving);
}

/** A layer as measured: seconds and bytes of one microbatch on one device of its stage. */
export interface MeasuredLayer {
  readonly forward: number;
  /** Of both gradients; split in halves where nothing else is known. */
  readonly backward?: number;
  readonly backwardInput?: number;
  readonly backwardWeight?: number;
  readonly weights?: number;
  readonly activation?: number;
  readonly output?: number;
  readonly workspace?: number;
  /** Bytes that it reads from other layers; what full recomputation keeps. Absent counts as 0: a first layer reads the data. */
  readonly input?: number;
  readonly recomputeMode: RecomputeMode;
}

/**
 * A measured layer on a device: times are divided by the device's relative speed, never by tensor ranks. All that F keeps
 * stays until W where the backward is split, for nothing says what W does without. Full recomputation runs one more forward
 * and keeps the input only; selective recomputation has no effect, since attention is not known.
 */
export function measured(values: MeasuredLayer, setting: LayerSetting, device: DeviceSpeed): LayerCost {
  const speed = device.speed > 0 ? device.speed : 1;
  const weights = values.weights ?? 0;
  const activation = values.activation ?? 0;
  const { input, weight, known } = backwards(values);
  const forward = values.forward / speed;
  const full = values.recomputeMode === 'full';
  const kept = full ? Math.min(activation, values.input ?? 0) : activation;
  const parameters = weights / elementBytes(setting.precision);
  return {
    parameters,
    localParameters: parameters,
    forwardFlops: 0,
    forward,
    backwardInput: input / speed,
    backwardWeight: weight / speed,
    splitKnown: known,
    recompute: full || values.recomputeMode === 'stage' ? forward : 0,
    weights,
    activation: kept,
    activationForWeight: activation,
    recomputed: activation - kept,
    output: values.output ?? 0,
    workspace: values.workspace ?? 0,
  };
}

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
