/** The plan of each stage: what its layers cost on its devices. */
import { optimizers } from '../costs/optimizer.ts';
import { sumStage, type StageCost } from '../costs/stage.ts';
import type { RecomputeMode } from '../costs/types.ts';
import type { ModelDefinition } from '../definitions.ts';
import type { EdgePlan, StagePlan } from '../plan.ts';
import type { LayerCosts } from './layerCosts.ts';
import { elementName } from './elements.ts';
import type { OptimizerUse } from './optimizer.ts';
import type { Ranks } from './ranks.ts';

export interface StagesRequest {
  readonly model: ModelDefinition;
  readonly names: readonly string[];
  /** Elements of each stage, in order. */
  readonly elements: readonly (readonly number[])[];
  readonly modes: readonly RecomputeMode[];
  /** Bytes of one microbatch that enter each stage from others, and that it holds only to hand them on. */
  readonly entering: readonly number[];
  readonly relayed: readonly number[];
  readonly ranks: Ranks;
  readonly costs: LayerCosts;
  readonly edges: readonly EdgePlan[];
  readonly optimizer?: OptimizerUse;
  readonly data: number;
  /** Stages of a device are entered again and again, so messages overlap and buffers are doubled. */
  readonly interleaved: boolean;
}

/** One plan for each stage. */
export function stagePlans(request: StagesRequest): readonly StagePlan[] {
  const { model, names, elements, modes, ranks, costs } = request;
  const buffers = bufferBytes(request);
  return names.map((name, stage) => {
    const mode = modes[stage];
    const { kind } = ranks.ranks[ranks.placement[stage]];
    const cost = sumStage(
      elements[stage].map((element) => costs.of(element, kind, mode)),
      mode,
      request.entering[stage],
    );
    const { parameters, forwardFlops, forward, backwardInput, backwardWeight, recompute, splitKnown } = cost;
    const { activation, activationForWeight, recomputed, recomputedWhole, workspace } = cost;
    return {
      name,
      layers: elements[stage].map((element) => elementName(model, element)),
      parameters,
      forwardFlops,
      forward,
      backwardInput,
      backwardWeight,
      recompute,
      splitKnown,
      ...staticBytes(cost, request),
      activation: activation + request.relayed[stage],
      activationForWeight,
      recomputed,
      ...(recomputedWhole === recomputed ? {} : { recomputedWhole }),
      workspace,
      buffers: buffers[stage],
      recomputeMode: mode,
    };
  });
}

/** Without an optimizer: the weights as given, and gradients as large as they. */
export function staticBytes(
  { localParameters, weights }: Pick<StageCost, 'localParameters' | 'weights'>,
  { model, optimizer, data }: Pick<StagesRequest, 'model' | 'optimizer' | 'data'>,
): { readonly weights: number; readonly gradients: number; readonly optimizer: number } {
  if (optimizer === undefined || optimizer.recipe === optimizers[0])
    return { weights, gradients: weights, optimizer: 0 };
  return optimizer.recipe.bytes({ local: localParameters, data, precision: model.precision, shard: optimizer.shard });
}

/**
 * One message to receive in each direction: the activations that come from earlier stages and the gradients from later ones, as
 * frameworks with point-to-point receive buffers keep them (Megatron-LM, schedules.py); twice that where receives overlap.
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
    add(edge.to, edge.from, edge.bytes);
    add(edge.from, edge.to, edge.bytes);
  }
  return interleaved ? bytes.map((one) => 2 * one) : bytes;
}
