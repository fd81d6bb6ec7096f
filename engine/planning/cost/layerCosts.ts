/** Costs of a model's layers at sites, each computed once for a layer, a site and a recompute mode. */
import { speedAt } from '../../definitions/device.ts';
import { type LayerDefinition, type ModelDefinition, needsOf } from '../../definitions/model.ts';
import type { MicrobatchLengths } from '../../definitions/pipeline.ts';
import type { Mesh } from '../../costs/mesh.ts';
import { contextProblem } from '../../costs/attention.ts';
import { type LayerRole, modeOutsideStages } from '../../costs/recompute.ts';
import { withShards } from '../../costs/shardTraffic.ts';
import { findShape } from '../../costs/shapes.ts';
import { costUnder } from '../../costs/training.ts';
import { measured, scaled, timeOf } from '../../costs/time.ts';
import type { DeviceSpeed, LayerCost, LayerSetting, Precision, RecomputeMode } from '../../costs/types.ts';
import type { Site } from '../place/sites.ts';
import { trainedOf } from './trained.ts';

/** Kinds of microbatches: `kindOf` by microbatch, `costs` and the number of microbatches by kind. */
export interface LengthKinds extends MicrobatchLengths {
  readonly kindOf: readonly number[];
  readonly costs: readonly LayerCosts[];
  readonly counts: readonly number[];
}

export interface LayerCosts {
  /** Cost of one element at a site; under `full(…)` as `modeOutsideStages` says. */
  of(element: number, site: Site, recompute: RecomputeMode): LayerCost;
  /** Equal for elements that cost the same, whatever the length of the microbatch; absent where that is not known. */
  alike(element: number, recompute: RecomputeMode): number | undefined;
  /** Bytes that an element sends on from one device of a site. */
  output(element: number, site: Site): number;
  /** Whether a gradient comes back to the output of an element: the element trains, or one before it. */
  returns(element: number): boolean;
  /** Only if microbatches differ: the costs above are then means. */
  readonly kinds?: LengthKinds;
}

/** Why shapes cannot be split over a mesh: the first layer with a problem, and the key that asks for it. */
export function meshProblem(
  model: ModelDefinition,
  mesh: Mesh,
):
  | { readonly layer: LayerDefinition; readonly problem: string; readonly key: 'tensor' | 'context' | 'expert' }
  | undefined {
  for (const layer of model.layers) {
    if (layer.cost.kind !== 'shape') continue;
    const { args, shape } = layer.cost;
    const check = findShape(shape)?.check;
    const whole = check?.(args, settingOf(model, layer, { mesh: { ...mesh, expert: 1 }, share: 1 }, 'none'));
    if (whole !== undefined) return { layer, problem: whole, key: 'tensor' };
    const apart = contextProblem(args, mesh);
    if (apart !== undefined) return { layer, problem: apart, key: 'context' };
    const spread = check?.(args, settingOf(model, layer, { mesh, share: 1 }, 'none'));
    if (spread !== undefined) return { layer, problem: spread, key: 'expert' };
  }
  return undefined;
}

/** Costs of the layers of a model. */
export function layerCosts(model: ModelDefinition): LayerCosts {
  const speeds = new Map<Precision, Map<Site, DeviceSpeed>>();
  const speedOf = (site: Site, precision: Precision): DeviceSpeed =>
    entryOf(
      entryOf(speeds, precision, () => new Map<Site, DeviceSpeed>()),
      site,
      () => {
        const { bandwidth, memoryEfficiency, launch, memoryOverlap, cache, speed, rings, overlap } = site;
        const { compute = 0, ...rest } = speedAt(site, precision);
        const tiles = cache === undefined ? {} : { cache };
        return {
          compute,
          ...rest,
          bandwidth,
          memoryEfficiency,
          launch,
          memoryOverlap,
          ...tiles,
          speed,
          rings,
          overlap,
        };
      },
    );
  // By recompute mode and site, then by layer; where the input counts, by layer and input.
  const byLayer = new Map<string, Map<Site, (LayerCost | undefined)[]>>();
  const byInput = new Map<Site, Map<string, LayerCost>>();
  const trained = trainedOf(model);
  const outputs = new Map<Site, (number | undefined)[]>();
  const output = (element: number, site: Site): number => {
    const index = model.layerOf[element];
    return (entryOf(outputs, site, () => [])[index] ??= outputOf(model, model.layers[index], site));
  };
  const costOf = (element: number, site: Site, mode: RecomputeMode, input: number): LayerCost => {
    const layer = model.layers[model.layerOf[element]];
    const { cost } = layer;
    const training = trained.of(element);
    const ofLayer = training === undefined ? {} : { training };
    const { stored, ...usual } = settingOf(model, layer, site, mode);
    const isBf16 = model.inBf16?.has(element) === true;
    const precision = isBf16 ? 'bf16' : model.precision;
    const setting = {
      ...usual,
      precision,
      ...(stored === undefined || isBf16 ? {} : { stored }),
      ...(site.loss === undefined ? {} : { loss: site.loss }),
      ...(site.sharesWeights === undefined ? {} : { sharesWeights: site.sharesWeights }),
      ...(site.wholeInputs === undefined ? {} : { wholeInputs: site.wholeInputs }),
      ...(trained.attendedFrozen(element) ? { attendedFrozen: true as const } : {}),
      ...ofLayer,
    };
    const found =
      cost.kind === 'measured'
        ? scaled(
            measured({ ...cost, ...ofLayer, input, recomputeMode: mode }, setting, speedOf(site, precision)),
            site.share * measuredShare(model),
          )
        : timeOf(costUnder(shapeOf(cost.shape), cost.args, setting), setting, speedOf(site, precision));
    return site.shards === undefined ? found : withShards(found, site.shards);
  };
  // Elements of one layer differ if only some train, or only some come behind a layer that trains.
  const kindOf = (element: number): number => {
    const training = trained.of(element);
    if (training === undefined) return 0;
    return 1 + (training.upstream ? 1 : 0) + (training.trains === 'nothing' ? 2 : 0);
  };
  const alike = equalLayers(model);
  const keyOf = (element: number): number =>
    2 * (5 * alike[model.layerOf[element]] + kindOf(element)) + (model.inBf16?.has(element) === true ? 1 : 0);
  /** A measured layer that is recomputed keeps its input, which another layer decides. */
  const needsInput = (element: number, recompute: RecomputeMode): boolean =>
    recompute === 'full' && model.layers[model.layerOf[element]].cost.kind === 'measured';
  return {
    output,
    returns: trained.returns,
    alike: (element, mode) =>
      needsInput(element, modeOutsideStages(mode, roleOf(model, element))) ? undefined : keyOf(element),
    of(element, site, mode) {
      const recompute = modeOutsideStages(mode, roleOf(model, element));
      const key = keyOf(element);
      if (needsInput(element, recompute)) {
        const input = needsOf(model, element).reduce(
          (sum, need) => sum + output(need, site) / (site.share * measuredShare(model)),
          0,
        );
        const known = entryOf(byInput, site, () => new Map<string, LayerCost>());
        return entryOf(known, `${key} ${input}`, () => costOf(element, site, recompute, input));
      }
      const ofMode = entryOf(byLayer, recompute, () => new Map<Site, (LayerCost | undefined)[]>());
      const known = entryOf(ofMode, site, () => []);
      return (known[key] ??= costOf(element, site, recompute, 0));
    },
  };
}

/** Of each layer the first one that costs the same: runs of a pattern repeat. */
function equalLayers({ layers }: ModelDefinition): readonly number[] {
  const first = new Map<LayerDefinition['cost'], number>();
  return layers.map(({ cost, run }, index) => {
    if (run === undefined) return index;
    const known = first.get(cost) ?? index;
    first.set(cost, known);
    return known;
  });
}

/** How `full(…)` counts an element of a model. */
export function roleOf(model: ModelDefinition, element: number): LayerRole {
  const { cost } = model.layers[model.layerOf[element]];
  if (cost.kind === 'measured' || cost.shape === 'transformer') return 'block';
  return cost.shape === 'mtp' ? 'prediction' : 'other';
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** `share`: samples of a microbatch that one data rank gets, of those that the model says. */
const settingOf = (
  model: ModelDefinition,
  { cost }: Pick<LayerDefinition, 'cost'>,
  { mesh, share, contextExchange }: Pick<Site, 'mesh' | 'share' | 'contextExchange'>,
  recompute: RecomputeMode,
): LayerSetting => ({
  ...sequencesOf(model, cost, share),
  precision: model.precision,
  tensor: mesh.tensor,
  sequenceParallel: mesh.sequenceParallel,
  context: mesh.context,
  ...(contextExchange === undefined ? {} : { contextExchange }),
  expert: mesh.expert,
  expertTensor: mesh.expertTensor,
  recompute,
  ...(model.stored === undefined ? {} : { stored: model.stored }),
});

/** What a file measures is of a whole sequence: a shorter microbatch takes a share in proportion to its tokens. */
const measuredShare = ({ microbatch }: ModelDefinition): number => microbatch?.share ?? 1;

function shapeOf(name: string) {
  const shape = findShape(name);
  if (shape === undefined) throw new Error(`no shape ${name}`);
  return shape;
}

/** Tokens of a sequence that the layer works on, and how many of these a microbatch has: its samples, or all of their images. */
const sequencesOf = (
  model: ModelDefinition,
  cost: LayerDefinition['cost'],
  share: number,
): Pick<LayerSetting, 'sequence' | 'microBatch' | 'documents'> => {
  const { tokens, images = 1 } = cost.kind === 'shape' ? cost : {};
  const documents = tokens === undefined ? model.microbatch?.documents : undefined;
  return {
    sequence: tokens ?? model.sequence ?? 1,
    microBatch: model.microBatch * share * images,
    ...(documents === undefined ? {} : { documents }),
  };
};

function outputOf(model: ModelDefinition, layer: LayerDefinition, site: Site): number {
  const { cost } = layer;
  if (cost.kind === 'measured') return (cost.output ?? 0) * site.share * measuredShare(model);
  return shapeOf(cost.shape).cost(cost.args, settingOf(model, layer, site, 'none')).output;
}

/** Seconds of one microbatch through a layer, there and back. */
export const totalTime = (
  cost: Pick<LayerCost, 'forward' | 'backwardInput' | 'backwardWeight' | 'recompute'>,
): number => cost.forward + cost.backwardInput + cost.backwardWeight + cost.recompute;
