/** The plan of each stage: what its layers cost on its devices. */
import { type ModelDefinition, elementName } from '../../definitions/model.ts';
import type { OptimizerUse } from '../../definitions/optimizer.ts';
import { noTraffic } from '../../costs/collectives.ts';
import { optimizers, shardRanks, shardsGradients, shardsWeights } from '../../costs/optimizer.ts';
import { gatheredBytes } from '../../costs/gathering.ts';
import { addParts } from '../../costs/layerPart.ts';
import { sumStage, type StageCost, withoutCopy } from '../../costs/stage.ts';
import type { LayerCost, RecomputeMode } from '../../costs/types.ts';
import type { EdgePlan, StagePlan } from '../../plan.ts';
import type { LayerCosts } from './layerCosts.ts';
import type { Site, SitedRanks } from '../place/sites.ts';

export interface StagesRequest {
  readonly model: ModelDefinition;
  readonly names: readonly string[];
  /** Elements of each stage, in order. */
  readonly elements: readonly (readonly number[])[];
  readonly modes: readonly RecomputeMode[];
  /** Bytes of one microbatch that enter each stage from others, and that it holds only to hand them on. */
  readonly entering: readonly number[];
  readonly relayed: readonly number[];
  readonly ranks: SitedRanks;
  readonly costs: LayerCosts;
  readonly edges: readonly EdgePlan[];
  readonly optimizer?: OptimizerUse;
  /** Stages of a device are entered again and again, so messages overlap and buffers are doubled. */
  readonly interleaved: boolean;
}

/**
 * A stage's plan and layers, and its parameters on one device. `dense` and `experts` add up to all; `embedding` is the part of
 * all that copies the token embedding.
 */
export interface StageParts {
  readonly plan: StagePlan;
  readonly layers: readonly LayerCost[];
  readonly dense: number;
  readonly experts: number;
  readonly embedding: number;
}

/** Stages between two pauses: a few milliseconds. */
const slice = 200;

/** One for each stage, in steps. */
export function* stagePlans(request: StagesRequest): Generator<void, readonly StageParts[], void> {
  const { model, names, elements, modes, ranks, costs } = request;
  const buffers = bufferBytes(request);
  /** By rank, parameters of the token embedding that an earlier layer on it holds, of whatever stage. */
  const embeddings = new Float64Array(ranks.ranks.length);
  const stages: StageParts[] = [];
  for (const [stage, name] of names.entries()) {
    if (stage % slice === slice - 1) yield;
    const mode = modes[stage];
    const rank = ranks.placement[stage];
    const { kind } = ranks.ranks[rank];
    const layers = elements[stage].map((element) => {
      const whole = costs.of(element, kind, mode);
      const layer = withoutCopy(whole, embeddings[rank]);
      embeddings[rank] = Math.max(embeddings[rank], whole.embeddingParameters ?? 0);
      return layer;
    });
    const cost = sumStage(layers, mode, request.entering[stage]);
    const gathered = gatheredFor(layers, kind, request);
    const { parameters, forwardFlops, forward, backwardInput, backwardWeight, recompute, splitKnown } = cost;
    const { activation, activationForWeight, recomputed, recomputedWhole, workspace } = cost;
    const held = staticBytes(cost, kind, request);
    const spareFlops = layers.reduce((sum, layer) => sum + (layer.spareFlops ?? 0), 0);
    const activationParts = addParts(cost.activationParts, { 'handed on': request.relayed[stage] });
    const plan: StagePlan = {
      name,
      layers: elements[stage].map((element) => elementName(model, element)),
      parameters,
      forwardFlops,
      ...(spareFlops > 0 ? { spareFlops } : {}),
      forward,
      backwardInput,
      backwardWeight,
      recompute,
      splitKnown,
      ...held,
      weights: held.weights + gathered.weights,
      gradients: held.gradients + gathered.gradients,
      activation: activation + request.relayed[stage],
      activationForWeight,
      recomputed,
      ...(recomputedWhole === recomputed ? {} : { recomputedWhole }),
      workspace: workspace + gathered.passing,
      buffers: buffers[stage],
      recomputeMode: mode,
      ...(Object.keys(activationParts).length > 1 ? { activationParts } : {}),
      ...(cost.traffic === noTraffic ? {} : { traffic: cost.traffic }),
    };
    stages.push({
      plan,
      layers,
      dense: cost.localParameters - cost.expertParameters,
      experts: cost.expertParameters,
      embedding: layers.reduce((most, { embeddingParameters = 0 }) => Math.max(most, embeddingParameters), 0),
    });
  }
  return stages;
}

type Held = Pick<StagesRequest, 'model' | 'optimizer'>;

/** Without an optimizer: the weights as given, and gradients as large as they. */
export function staticBytes(
  { localParameters, expertParameters, weights }: Pick<StageCost, 'localParameters' | 'expertParameters' | 'weights'>,
  { ranks, expertRanks }: Pick<Site, 'ranks' | 'expertRanks'>,
  { model, optimizer }: Held,
): { readonly weights: number; readonly gradients: number; readonly optimizer: number } {
  if (optimizer === undefined || optimizer.recipe === optimizers[0])
    return { weights, gradients: weights, optimizer: 0 };
  return optimizer.recipe.bytes({
    local: localParameters - expertParameters,
    experts: expertParameters,
    ranks,
    expertRanks,
    precision: model.precision,
    shard: optimizer.shard,
    over: optimizer.over,
  });
}

/**
 * Bytes in addition to the shards if data ranks hold weights or gradients in parts. `weights` and `gradients` are there from the
 * first forward to the last backward, `passing` while a pass runs. Shards stay while gathered bytes are there. What only one rank
 * holds, such as experts that are spread over all ranks, is never gathered.
 */
function gatheredFor(
  layers: readonly LayerCost[],
  site: Site,
  { model, optimizer }: Held,
): { readonly weights: number; readonly gradients: number; readonly passing: number } {
  const none = { weights: 0, gradients: 0, passing: 0 };
  if (optimizer === undefined || !shardsGradients(optimizer.shard)) return none;
  const whole = optimizer.recipe.bytes({ local: 1, experts: 0, ranks: 1, expertRanks: 1, precision: model.precision });
  const { gathered } = optimizer.recipe.moved(model.precision);
  const [ofDense, ofExperts] = [site.ranks, site.expertRanks].map((ranks) => shardRanks(ranks, optimizer.over) > 1);
  const sizes = layers.map(({ localParameters, expertParameters }) => {
    const inParts = (ofDense ? localParameters - expertParameters : 0) + (ofExperts ? expertParameters : 0);
    return { weights: shardsWeights(optimizer.shard) ? inParts * gathered : 0, gradients: inParts * whole.gradients };
  });
  const accumulate = shardsWeights(optimizer.shard) && !optimizer.reshard;
  const { forward, backward } = gatheredBytes(sizes, { reshard: optimizer.reshard, prefetch: 1, accumulate });
  if (!accumulate) return { ...none, passing: Math.max(forward, backward) };
  const sum = (figure: 'weights' | 'gradients') => sizes.reduce((total, size) => total + size[figure], 0);
  return { weights: sum('weights'), gradients: sum('gradients'), passing: Math.max(forward, backward) };
}

/**
 * One message to receive in each direction: activations from earlier stages and gradients from later ones. Frameworks with
 * point-to-point receive buffers keep them so (Megatron-LM, schedules.py). Twice these bytes if receives overlap.
 */
export function bufferBytes({
  edges,
  ranks,
  interleaved,
}: Pick<StagesRequest, 'edges' | 'ranks' | 'interleaved'>): Float64Array {
  const bytes = new Float64Array(ranks.placement.length);
  // A message comes from one of the replicas of the other stage: room for one is enough for all.
  const roomFor = new Set<string>();
  const number = (stage: number) => ranks.copies?.[stage].stage ?? stage;
  const add = (stage: number, other: number, size: number) => {
    const key = `${stage} ${number(other)}`;
    if (ranks.copies?.[other].segment === undefined && roomFor.has(key)) return;
    roomFor.add(key);
    bytes[stage] += size;
  };
  for (const edge of edges) {
    if (ranks.placement[edge.from] === ranks.placement[edge.to]) continue;
    // Each receives in parts of its own.
    add(edge.to, edge.from, edge.back ?? edge.bytes);
    add(edge.from, edge.to, edge.bytes);
  }
  return interleaved ? bytes.map((value) => 2 * value) : bytes;
}
