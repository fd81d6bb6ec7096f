/** Costs of a model's layers on devices, each computed once for a layer, a kind of device and a recompute mode. */
import { findShape } from '../costs/shapes.ts';
import { measured, timeOf } from '../costs/time.ts';
import type { DeviceSpeed, LayerCost, LayerSetting, RecomputeMode } from '../costs/types.ts';
import type { DeviceDefinition, LayerDefinition, ModelDefinition } from '../definitions.ts';
import { needsOf } from './elements.ts';
import { speedAt } from './rates.ts';

/** What costs depend on besides layer and device. */
export interface CostSetting {
  readonly tensor: number;
  readonly sequenceParallel: boolean;
  readonly recompute: RecomputeMode;
}

/** The ring of a tensor-parallel group. */
export interface Ring {
  readonly bandwidth: number;
  readonly latency: number;
}

export interface LayerCosts {
  /** Cost of one element on a kind of device; `recompute` overrules the pipeline's. */
  of(element: number, device: DeviceDefinition, recompute: RecomputeMode): LayerCost;
  /** Bytes that an element sends on; they depend on no device. */
  output(element: number): number;
}

/** Why shapes cannot be split over `tensor` ranks: the first layer with a problem. */
export function tensorProblem(
  model: ModelDefinition,
  setting: CostSetting,
): { readonly layer: LayerDefinition; readonly problem: string } | undefined {
  for (const layer of model.layers) {
    if (layer.cost.kind !== 'shape') continue;
    const problem = findShape(layer.cost.shape)?.check?.(layer.cost.args, settingOf(model, setting, setting.recompute));
    if (problem !== undefined) return { layer, problem };
  }
  return undefined;
}

/** Costs under a setting; `ring` gives the tensor group's links for a kind of device. */
export function layerCosts(
  model: ModelDefinition,
  setting: CostSetting,
  ring: (kind: DeviceDefinition) => Ring,
): LayerCosts {
  const speeds = new Map<DeviceDefinition, DeviceSpeed>();
  const speedOf = (kind: DeviceDefinition): DeviceSpeed => {
    const known = speeds.get(kind);
    if (known !== undefined) return known;
    const { bandwidth, latency } = ring(kind);
    const { compute = 0, efficiency } = speedAt(kind, model.precision);
    const made = {
      compute,
      efficiency,
      bandwidth: kind.bandwidth,
      speed: kind.speed,
      tensorBandwidth: bandwidth,
      tensorLatency: latency,
    };
    speeds.set(kind, made);
    return made;
  };
  const outputs = model.layers.map((layer) => outputOf(model, layer, setting));
  // By recompute mode and device, then by layer; where the input counts, by layer and input.
  const byLayer = new Map<string, Map<DeviceDefinition, (LayerCost | undefined)[]>>();
  const byInput = new Map<DeviceDefinition, Map<string, LayerCost>>();
  const output = (element: number): number => outputs[model.layerOf[element]];
  return {
    output,
    of(element, device, recompute) {
      const index = model.layerOf[element];
      const layer = model.layers[index];
      if (recompute === 'full' && layer.cost.kind === 'measured') {
        const input = needsOf(model, element).reduce((sum, one) => sum + output(one), 0);
        const known = entryOf(byInput, device, () => new Map<string, LayerCost>());
        return entryOf(known, `${index} ${input}`, () =>
          costOf(layer, settingOf(model, setting, recompute), speedOf(device), input),
        );
      }
      const ofMode = entryOf(byLayer, recompute, () => new Map<DeviceDefinition, (LayerCost | undefined)[]>());
      const known = entryOf(ofMode, device, () => []);
      return (known[index] ??= costOf(layer, settingOf(model, setting, recompute), speedOf(device), 0));
    },
  };
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const settingOf = (
  model: ModelDefinition,
  { tensor, sequenceParallel }: CostSetting,
  recompute: RecomputeMode,
): LayerSetting => ({
  sequence: model.sequence ?? 1,
  microBatch: model.microBatch,
  precision: model.precision,
  tensor,
  sequenceParallel,
  recompute,
});

function costOf({ cost }: LayerDefinition, setting: LayerSetting, speed: DeviceSpeed, input: number): LayerCost {
  if (cost.kind === 'measured') return measured({ ...cost, input, recomputeMode: setting.recompute }, setting, speed);
  const shape = findShape(cost.shape);
  if (shape === undefined) throw new Error(`no shape ${cost.shape}`);
  return timeOf(shape.cost(cost.args, setting), setting, speed);
}

function outputOf(model: ModelDefinition, { cost }: LayerDefinition, setting: CostSetting): number {
  if (cost.kind === 'measured') return cost.output;
  return findShape(cost.shape)?.cost(cost.args, settingOf(model, setting, 'none')).output ?? 0;
}

/** Seconds of one microbatch through a layer, there and back. */
export const totalTime = (
  cost: Pick<LayerCost, 'forward' | 'backwardInput' | 'backwardWeight' | 'recompute'>,
): number => cost.forward + cost.backwardInput + cost.backwardWeight + cost.recompute;
