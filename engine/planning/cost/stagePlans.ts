/** The plan of each stage: what its layers cost on its devices. */
import { type ModelDefinition, elementName } from '../../definitions/model.ts';
import type { OptimizerUse } from '../../definitions/optimizer.ts';
import type { ActivationOffload } from '../../definitions/pipeline.ts';
import { noTraffic } from '../../costs/collectives.ts';
import {
  type OptimizerBytes,
  optimizers,
  scattersEach,
  shardRanks,
  shardsGradients,
  shardsWeights,
} from '../../costs/optimizer.ts';
import { gatheredBytes } from '../../costs/gathering.ts';
import { addParts, parts } from '../../costs/layerPart.ts';
import { elementBytes } from '../../costs/precision.ts';
import { frozenBytes, frozenShare, movedFrozenBytes, noFrozen } from '../../costs/training.ts';
import { offloadStage, type StageOffload } from '../../costs/offload.ts';
import { inGroups, layerModesOf, type LayerRole } from '../../costs/recompute.ts';
import { sumStage, type StageCost, withoutCopy } from '../../costs/stage.ts';
import type { FrozenWeights, LayerCost, RecomputeMode } from '../../costs/types.ts';
import type { LocalUse } from '../../exchange/local.ts';
import { outerState } from '../../costs/optimizer/outer.ts';
import type { EdgePlan, OffloadedPlan, StagePlan } from '../../values/plan.ts';
import { type LayerCosts, roleOf } from './layerCosts.ts';
import { bufferBytes, type MessageRoom, sentBytes } from './messageRoom.ts';
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
  readonly offload?: ActivationOffload;
  readonly local?: LocalUse;
  /** By stage: the share of a microbatch that it runs at a time, of which each copy to the host takes its latency. */
  readonly pieces: readonly Piece[];
  readonly room: MessageRoom;
  readonly microbatches: number;
}

/** A segment of the sequence or a part of a microbatch: shares of the bytes and of the seconds of a whole one. */
export interface Piece {
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * A stage's plan and layers, and its parameters on one device. `dense` and `experts` add up to all that train; `embedding` is the
 * part of these that copies the token embedding. `frozen` do not train.
 */
export interface StageParts {
  readonly plan: StagePlan;
  readonly layers: readonly LayerCost[];
  readonly dense: number;
  readonly experts: number;
  readonly embedding: number;
  readonly frozen?: FrozenWeights;
}

/** Stages between two pauses: a few milliseconds the first time, when the code still runs slowly. */
const slice = 8;

/** One for each stage, in steps. */
export function* stagePlans(request: StagesRequest): Generator<void, readonly StageParts[], void> {
  const { model, names, elements, modes, ranks, costs } = request;
  const buffers = bufferBytes(request);
  const sent = sentBytes(request);
  /** By rank, parameters of the token embedding that an earlier layer on it holds, of whatever stage, and of copies before it. */
  const embeddings = new Float64Array(ranks.ranks.length);
  const copied = new Float64Array(ranks.ranks.length);
  const stages: StageParts[] = [];
  for (const [stage, name] of names.entries()) {
    if (stage % slice === slice - 1) yield;
    // What has no backward recomputes nothing.
    const mode = elements[stage].some(costs.returns) ? modes[stage] : 'none';
    const rank = ranks.placement[stage];
    const { kind } = ranks.ranks[rank];
    const roles = elements[stage].map((element) => roleOf(model, element));
    const layerModes = layerModesOf(mode, roles);
    const single = elements[stage].map((element, index) => {
      const whole = costs.of(element, kind, layerModes[index]);
      const { embeddingParameters = 0, ownsEmbedding = false } = whole;
      // Two embeddings of which none is tied have two matrices.
      const layer = withoutCopy(whole, ownsEmbedding ? copied[rank] : Math.max(copied[rank], embeddings[rank]));
      embeddings[rank] = Math.max(embeddings[rank], ownsEmbedding ? embeddingParameters : 0);
      copied[rank] = ownsEmbedding ? 0 : Math.max(copied[rank], embeddingParameters);
      return layer;
    });
    const layers = inGroups(single, mode, roles);
    const away = offloadOf(layers, roles, kind, request.offload, request.pieces[stage]);
    const gone = new Set(away?.members);
    const onDevice = layers.map((layer, index) =>
      gone.has(index) ? { ...layer, activation: 0, activationParts: {}, crossInput: 0 } : layer,
    );
    const cost = sumStage(onDevice, mode, request.entering[stage]);
    const gathered = gatheredFor(layers, kind, request);
    const { parameters, forwardFlops, forward, backwardInput, backwardWeight, recompute, splitKnown } = cost;
    const { activation, activationForWeight, recomputed, recomputedWhole, workspace } = cost;
    const held = staticBytes(cost, kind, request);
    const { trainable, backwardFlops, frozen = noFrozen } = cost;
    const spareFlops = layers.reduce((sum, layer) => sum + (layer.spareFlops ?? 0), 0);
    const activationParts = addParts(cost.activationParts, {
      'handed on': request.relayed[stage],
      [parts.sent]: sent[stage],
    });
    const plan: StagePlan = {
      name,
      layers: elements[stage].map((element) => elementName(model, element)),
      parameters,
      forwardFlops,
      ...(spareFlops > 0 ? { spareFlops } : {}),
      ...(trainable === undefined ? {} : { trainable }),
      ...(backwardFlops === undefined ? {} : { backwardFlops }),
      forward: forward + (away?.forward ?? 0),
      backwardInput: backwardInput + (away?.backward ?? 0),
      backwardWeight,
      recompute,
      splitKnown,
      ...held,
      weights: held.weights + gathered.weights,
      gradients: held.gradients + gathered.gradients,
      optimizer: held.optimizer + outerStateOf(cost, kind, request),
      activation: activation + request.relayed[stage] + sent[stage],
      activationForWeight,
      recomputed,
      ...(recomputedWhole === recomputed ? {} : { recomputedWhole }),
      workspace: workspace + gathered.passing + (away?.passing ?? 0),
      buffers: buffers[stage],
      recomputeMode: mode,
      ...(Object.keys(activationParts).length > 1 ? { activationParts } : {}),
      ...(cost.traffic === noTraffic ? {} : { traffic: cost.traffic }),
      ...(away === undefined ? {} : { offloaded: offloadedPlan(away) }),
    };
    stages.push({
      plan,
      layers,
      dense: cost.localParameters - cost.expertParameters - frozen.dense,
      experts: cost.expertParameters - frozen.experts,
      embedding: layers.reduce(
        (most, { embeddingParameters = 0, trainable: trains }) =>
          Math.max(most, trains === 0 ? 0 : embeddingParameters),
        0,
      ),
      ...(cost.frozen === undefined ? {} : { frozen }),
    });
  }
  const waiting = waitingBytes(request, stages);
  return waiting === undefined
    ? stages
    : stages.map((made, stage) => ({
        ...made,
        plan: { ...made.plan, buffers: made.plan.buffers + waiting[stage] },
      }));
}

/**
 * The activations of a stage that are offloaded; `undefined` if none are, or no link says how. Figures are of a whole microbatch, such that
 * a piece has its share of them.
 */
function offloadOf(
  layers: readonly LayerCost[],
  roles: readonly LayerRole[],
  { host }: Site,
  offload: ActivationOffload | undefined,
  piece: Piece,
): StageOffload | undefined {
  const link = offload?.link ?? host;
  if (offload === undefined || link === undefined) return undefined;
  const { bytes, seconds } = piece;
  const found = offloadStage(
    layers.map((layer, index) => ({
      forward: seconds * layer.forward,
      backward: seconds * (layer.recompute + layer.backwardInput + layer.backwardWeight),
      input: seconds * (layer.recompute + layer.backwardInput),
      activation: bytes * layer.activation,
      activationForWeight: bytes * layer.activationForWeight,
      counted: roles[index] === 'block',
    })),
    offload.layers,
    link,
  );
  if (found === undefined || (bytes === 1 && seconds === 1)) return found;
  return {
    members: found.members,
    bytes: found.bytes / bytes,
    forWeight: found.forWeight / bytes,
    busy: found.busy / bytes,
    passing: found.passing / bytes,
    forward: found.forward / seconds,
    backward: found.backward / seconds,
    input: found.input / seconds,
  };
}

const offloadedPlan = ({ members, bytes, forWeight, busy, forward, backward, input }: StageOffload): OffloadedPlan => ({
  layers: members.length,
  bytes,
  forWeight,
  busy,
  exposed: forward + backward,
  split: input - backward,
});

/**
 * A stage without a backward waits for nothing and runs ahead of its receiver. Of its m messages, spaced by the time t of its device's
 * forwards, a pipeline with a period of T takes m · t / T meanwhile. The others wait at the receiver; room for one is a buffer already.
 * The period is the work of the busiest device. `undefined` if there is no such stage.
 */
function waitingBytes(
  { edges, ranks, microbatches }: StagesRequest,
  stages: readonly StageParts[],
): Float64Array | undefined {
  const running = edges.filter(({ forwardOnly, back }) => forwardOnly === true && back !== 0);
  if (running.length === 0) return undefined;
  const work = new Float64Array(ranks.ranks.length);
  const forwards = new Float64Array(ranks.ranks.length);
  for (const [stage, { plan }] of stages.entries()) {
    forwards[ranks.placement[stage]] += plan.forward;
    work[ranks.placement[stage]] += plan.forward + plan.recompute + plan.backwardInput + plan.backwardWeight;
  }
  const period = work.reduce((most, seconds) => Math.max(most, seconds), 0);
  const waiting = new Float64Array(stages.length);
  for (const { from, to, bytes } of running) {
    const sender = ranks.placement[from];
    if (sender === ranks.placement[to] || period === 0) continue;
    const left = Math.ceil(microbatches * (1 - forwards[sender] / period));
    waiting[to] += Math.max(0, left - 1) * bytes;
  }
  return waiting;
}

type Held = Pick<StagesRequest, 'model' | 'optimizer'>;

/** Without an optimizer: the weights as given, and gradients as large as they. */
export function staticBytes(
  {
    localParameters,
    expertParameters,
    weights,
    frozen = noFrozen,
  }: Pick<StageCost, 'localParameters' | 'expertParameters' | 'weights' | 'frozen'>,
  { ranks, expertRanks }: Pick<Site, 'ranks' | 'expertRanks'>,
  { model, optimizer }: Held,
): OptimizerBytes {
  const { precision } = model;
  if (optimizer === undefined || optimizer.recipe === optimizers[0])
    return { weights, gradients: weights - frozenBytes(frozen, elementBytes(precision)), optimizer: 0 };
  const { recipe, shard, over } = optimizer;
  const kept = recipe.bytes({
    local: localParameters - expertParameters - frozen.dense,
    experts: expertParameters - frozen.experts,
    ranks,
    expertRanks,
    precision,
    shard,
    over,
  });
  const still = frozenShare(frozen, recipe.moved(precision).gathered, { ranks, expertRanks, shard, over });
  return { ...kept, weights: kept.weights + still };
}

/** What the outer optimizer of islands keeps of the weights that a device holds. */
function outerStateOf(
  { localParameters, expertParameters, frozen = noFrozen }: StageCost,
  { ranks, expertRanks }: Site,
  { optimizer, local }: StagesRequest,
): number {
  if (local === undefined) return 0;
  const part = (count: number): number =>
    shardsWeights(optimizer?.shard ?? 'none') ? shardRanks(count, optimizer?.over) : 1;
  const dense = (localParameters - expertParameters - frozen.dense) / part(ranks);
  return outerState(local) * (dense + (expertParameters - frozen.experts) / part(expertRanks));
}

/**
 * Bytes in addition to the shards if data ranks hold weights or gradients in parts. `weights` and `gradients` are there from the
 * first forward to the last backward, `passing` while a pass runs. Shards stay while gathered bytes are there. What only one rank
 * holds, such as experts that are spread over all ranks, is not gathered: some engines copy it all the same.
 */
function gatheredFor(
  layers: readonly LayerCost[],
  site: Site,
  { model, optimizer }: Held,
): { readonly weights: number; readonly gradients: number; readonly passing: number } {
  const none = { weights: 0, gradients: 0, passing: 0 };
  if (optimizer === undefined || !shardsGradients(optimizer.shard)) return none;
  const { gathered, whole } = optimizer.recipe.moved(model.precision);
  const groups = [site.ranks, site.expertRanks].map((ranks) => shardRanks(ranks, optimizer.over));
  const sizes = layers.map(({ localParameters, expertParameters, frozen = noFrozen }) => {
    const parts = [
      { learned: localParameters - expertParameters - frozen.dense, still: { ...frozen, experts: 0 } },
      { learned: expertParameters - frozen.experts, still: { ...noFrozen, experts: frozen.experts } },
    ];
    const sum = (isCounted: (ranks: number) => boolean, bytesOf: (part: (typeof parts)[number]) => number) =>
      parts.reduce((total, part, index) => total + (isCounted(groups[index]) ? bytesOf(part) : 0), 0);
    const weightsOf = ({ learned, still }: (typeof parts)[number]) =>
      learned * gathered + movedFrozenBytes(still, gathered);
    return {
      weights: shardsWeights(optimizer.shard) ? sum((ranks) => ranks > 1, weightsOf) : 0,
      gradients: sum(
        (ranks) => ranks > 1 || site.copiesAlone === true,
        ({ learned }) => learned * whole,
      ),
      copied: site.copiesAlone === true ? sum((ranks) => ranks === 1, weightsOf) : 0,
    };
  });
  const accumulate = !scattersEach(optimizer);
  const { forward, backward } = gatheredBytes(sizes, {
    reshard: optimizer.reshard,
    prefetch: optimizer.prefetch ?? 1,
    accumulate,
  });
  const sum = (figure: keyof (typeof sizes)[number]) => sizes.reduce((total, size) => total + size[figure], 0);
  return {
    weights: optimizer.reshard ? keptParts(layers, site, { model, optimizer }) : sum('weights') + sum('copied'),
    gradients: accumulate ? sum('gradients') : 0,
    passing: Math.max(forward, backward),
  };
}

/** Bytes of weights that stay in parts on a few neighbours from a forward to its backward. */
function keptParts(layers: readonly LayerCost[], { ranks, expertRanks }: Site, { model, optimizer }: Held): number {
  if (optimizer?.reshardTo === undefined || !shardsWeights(optimizer.shard)) return 0;
  const { gathered } = optimizer.recipe.moved(model.precision);
  const [ofDense, ofExperts] = [ranks, expertRanks].map((count) => shardRanks(count, optimizer.reshardTo));
  return layers.reduce((sum, { localParameters, expertParameters, frozen = noFrozen }) => {
    const dense = localParameters - expertParameters - frozen.dense;
    const still = movedFrozenBytes({ ...frozen, experts: 0 }, gathered);
    return sum + (gathered * dense + still) / ofDense + (gathered * expertParameters) / ofExperts;
  }, 0);
}
