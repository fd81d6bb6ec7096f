/** Weights and gradients that data ranks hold in parts: what gathering and scattering them costs a layer. */
import { collectiveTime, noTraffic, sentBytes, sumTraffic } from './collectives.ts';
import { noFrozen, packedSaving } from './training.ts';
import type { LayerCost, Ring } from './types.ts';

/** Whole tensors that ranks hold in parts: how many ranks, over which ring. `experts` is the rule for the layers' experts. */
export interface ShardRule {
  /** Weights are gathered for every pass and dropped after it (ZeRO-3, FSDP with resharding). */
  readonly weights: boolean;
  /** Gradients are scattered after every weight gradient (ZeRO-2 and above). */
  readonly gradients: boolean;
  readonly dense: { readonly ranks: number; readonly ring: Ring };
  readonly experts: { readonly ranks: number; readonly ring: Ring };
  /** Each pass waits for its own gather; absent: it comes while the layer before runs. */
  readonly waits?: true;
  /** Ranks from which a backward gathers; absent: the same. */
  readonly again?: Pick<ShardRule, 'dense' | 'experts'>;
  /** Groups of these ranks that each hold all weights, where they reduce their parts of the gradients as soon as they are scattered. */
  readonly groups?: Pick<ShardRule, 'dense' | 'experts'>;
  /** Bytes of a gathered weight, and of a gradient that is scattered. */
  readonly weightBytes: number;
  readonly gradientBytes: number;
}

/**
 * A layer under such a rule. While it runs, the weights of the next one arrive and the gradients of the last one leave. So a pass
 * takes the longer of its work and its traffic (Zhao et al., PyTorch FSDP, arXiv:2304.11277, section 3.3.2). All passes of a backward
 * hide both of its transfers, a gather and a scatter. This is exact for equal layers, where a stage's first gather falls into the pass before. At both ends of an iteration there is no such pass: n
 * passes of work w and traffic g take g + n·w, or n·g + w, which is n · max(w, g) + min(w, g). A gather comes before the forward and the input
 * gradient, a scatter with the weight gradient: 3 Ψ′ elements per microbatch in all. If nothing is gathered ahead, a pass takes its
 * gather and its work.
 */
export function withShards(cost: LayerCost, rule: ShardRule): LayerCost {
  const gathered = gatheredOf(cost, rule.weightBytes);
  const gather = rule.weights ? movement(gathered, rule, rule.weightBytes, 'all_gather') : nothing;
  const scatter = rule.gradients ? scatterOf(trainedOf(cost), rule) : nothing;
  if (gather.time + scatter.time === 0) return cost;
  // Without a backward the weights are gathered once.
  const again =
    cost.forwardOnly === true || !rule.weights
      ? nothing
      : rule.again === undefined
        ? gather
        : movement(gathered, { ...rule, ...rule.again }, rule.weightBytes, 'all_gather');
  const waits = rule.waits === true;
  const forward = waits ? cost.forward + gather.time : Math.max(cost.forward, gather.time);
  const behind = waits
    ? { ...exposedBackward(cost, 0, scatter.time), input: again.time }
    : exposedBackward(cost, again.time, scatter.time);
  const backwardInput = cost.backwardInput + behind.input;
  const backwardWeight = cost.backwardWeight + behind.weight;
  const exposed =
    forward - cost.forward + (backwardInput - cost.backwardInput) + (backwardWeight - cost.backwardWeight);
  const weights = {
    bytes: gather.bytes + again.bytes + scatter.bytes,
    ...(gather.bytes > 0 ? { forward: gather.bytes } : {}),
    time: gather.time + again.time + scatter.time,
    exposed,
  };
  return {
    ...cost,
    forward,
    backwardInput,
    backwardWeight,
    boundary: (waits ? 0 : Math.min(cost.forward, gather.time)) + Math.min(passesOf(cost), scatter.time),
    traffic: sumTraffic([cost.traffic ?? noTraffic, { weights }]),
  };
}

type Backward = Pick<LayerCost, 'backwardInput' | 'backwardWeight' | 'recompute'>;

/** Seconds of the passes of a backward. */
const passesOf = ({ backwardInput, backwardWeight, recompute }: Backward): number =>
  recompute + backwardInput + backwardWeight;

/**
 * Seconds that no pass of a backward hides, on its input and on its weight gradient. The next gather and the last scatter run during
 * all passes of the backward, recomputation included. The weight gradient waits first, so that a faster link makes no pass longer.
 */
function exposedBackward(
  cost: Backward,
  gather: number,
  scatter: number,
): { readonly input: number; readonly weight: number } {
  const exposed = Math.max(0, gather + scatter - passesOf(cost));
  const weight = Math.min(Math.max(0, scatter - cost.backwardWeight), exposed);
  return { input: exposed - weight, weight };
}

const nothing = { bytes: 0, time: 0 };

/** A scatter of gradients, and the reduction of the parts among groups. */
function scatterOf(trained: Parameters<typeof movement>[0], rule: ShardRule): ReturnType<typeof movement> {
  const scatter = movement(trained, rule, rule.gradientBytes, 'reduce_scatter');
  if (rule.groups === undefined) return scatter;
  const experts = trained.expertParameters / rule.experts.ranks;
  const dense = (trained.localParameters - trained.expertParameters) / rule.dense.ranks;
  const parts = { localParameters: dense + experts, expertParameters: experts };
  const reduced = movement(parts, { ...rule, ...rule.groups }, rule.gradientBytes, 'all_reduce');
  return { bytes: scatter.bytes + reduced.bytes, time: scatter.time + reduced.time };
}

/** Only weights that train have gradients. */
const trainedOf = ({ localParameters, expertParameters, frozen = noFrozen }: LayerCost) => ({
  localParameters: localParameters - frozen.dense - frozen.experts,
  expertParameters: expertParameters - frozen.experts,
});

/** Weights packed in 4 bits are gathered so, and unpacked by the products: they are as many fewer of `each` bytes. */
const gatheredOf = ({ localParameters, expertParameters, frozen = noFrozen }: LayerCost, each: number) => ({
  localParameters: localParameters - packedSaving(frozen.packed, each),
  expertParameters,
});

function movement(
  { localParameters, expertParameters }: Pick<LayerCost, 'localParameters' | 'expertParameters'>,
  { dense, experts }: ShardRule,
  width: number,
  pattern: 'all_gather' | 'reduce_scatter' | 'all_reduce',
): { readonly bytes: number; readonly time: number } {
  const parts = [
    { bytes: width * (localParameters - expertParameters), ...dense },
    { bytes: width * expertParameters, ...experts },
  ].filter((candidate) => candidate.bytes > 0 && candidate.ranks > 1);
  return {
    bytes: parts.reduce((sum, part) => sum + sentBytes({ pattern, bytes: part.bytes }, part.ranks), 0),
    time: parts.reduce((sum, part) => sum + collectiveTime({ pattern, bytes: part.bytes }, part.ranks, part.ring), 0),
  };
}
