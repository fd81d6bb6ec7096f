import { noTraffic, sumTraffic } from './collectives.ts';
import { addParts, parts } from './layerPart.ts';
import { recomputedInGroup } from './recompute.ts';
import { addFrozen } from './training.ts';
import type { FrozenWeights, LayerCost, Parts, RecomputeMode, Traffic } from './types.ts';

/** The figures of a stage that follow from its layers: seconds and bytes of one microbatch on one device. */
export interface StageCost {
  readonly parameters: number;
  /** On one tensor rank; what the optimizer's state goes by. */
  readonly localParameters: number;
  /** The part of these that belongs to experts. */
  readonly expertParameters: number;
  readonly forwardFlops: number;
  readonly forward: number;
  readonly backwardInput: number;
  readonly backwardWeight: number;
  readonly recompute: number;
  /** Every layer's split of the backward is measured or derived. */
  readonly splitKnown: boolean;
  /** Weights on one device that do not train; absent: none. */
  readonly frozen?: FrozenWeights;
  readonly weights: number;
  readonly activation: number;
  /** Of `activation`, tokens of another tower that its layers attend to; absent: none. */
  readonly crossInput?: number;
  readonly activationForWeight: number;
  /** What is recomputed at a time, as far as it is not in the place of `workspace` that another layer needs. */
  readonly recomputed: number;
  /** What a separate R makes: the activations of all layers at once. */
  readonly recomputedWhole: number;
  readonly workspace: number;
  readonly recomputeMode: RecomputeMode;
}

/** With what is only shown. */
export interface StageFigures extends StageCost {
  /** Parameters that train, over all tensor ranks; absent: all. */
  readonly trainable?: number;
  /** FLOPs of the backward that the model asks for; absent: twice the forward's. */
  readonly backwardFlops?: number;
  /** `activation` by what it is; bytes that no layer tells apart are called `activations`. */
  readonly activationParts: Parts;
  readonly traffic: Traffic;
}

/**
 * Sums the layers of a stage; their costs were made under the same recompute mode.
 *
 * With recomputation, each layer is a checkpoint. F leaves each layer's kept part (2sbh of a transformer layer under full
 * recomputation). The backward goes from last to first: it recomputes one layer's activations, uses them and drops them before
 * the next. So in addition to the sum of what is kept, the most of one layer is held at a time: what it recomputes and its workspace.
 * The logits of a head are gone when the first layer runs again, but for the gradient that a separate W reads. The result is exact if
 * the largest layer is the last one, or all are equal. Otherwise it is an upper bound, since kept parts of later layers are free
 * by then. Tokens of another tower that several layers attend to are one tensor.
 *
 * Under `stage` the whole stage is one checkpoint: F leaves `input` bytes (0 for a stage that reads the data), and the backward
 * first recomputes everything else. Huang et al., "GPipe" (2019), section 2.3.
 */
export function sumStage(layers: readonly LayerCost[], recompute: RecomputeMode, input = 0): StageFigures {
  const sums = layers.reduce(withLayer, noLayers);
  return {
    ...stageCost(sums, recompute, input),
    activationParts:
      recompute === 'stage' ? { 'stage input': Math.min(sums.activation, input) } : partsOfAll(layers, sums.crossInput),
    traffic: sumTraffic(layers.map((layer) => layer.traffic ?? noTraffic)),
    ...(layers.some(({ trainable }) => trainable !== undefined)
      ? { trainable: layers.reduce((sum, { trainable, parameters }) => sum + (trainable ?? parameters), 0) }
      : {}),
    ...(layers.some(({ backwardFlops }) => backwardFlops !== undefined)
      ? { backwardFlops: layers.reduce((sum, layer) => sum + backwardFlopsOf(layer), 0) }
      : {}),
  };
}

const backwardFlopsOf = ({ backwardFlops, forwardFlops, spareFlops = 0 }: LayerCost): number =>
  backwardFlops ?? 2 * (forwardFlops - spareFlops);

/**
 * A layer on a device that holds `held` parameters of the token embedding already. A head or an embedding that is tied to it, or
 * a multi-token prediction, uses these and has no separate copy.
 */
export function withoutCopy(layer: LayerCost, held: number): LayerCost {
  const shared = Math.min(held, layer.embeddingParameters ?? 0);
  if (shared === 0) return layer;
  const { localParameters, weights } = layer;
  return {
    ...layer,
    localParameters: localParameters - shared,
    weights: weights - (weights * shared) / localParameters,
    ...(layer.frozen === undefined ? {} : { frozen: { ...layer.frozen, dense: layer.frozen.dense - shared } }),
  };
}

/** Sums over layers before it is known which activations are kept; `workspace` is the largest of a layer. */
export interface LayerSums extends Omit<StageCost, 'recomputeMode' | 'recomputed'> {
  /** Of the layer that holds most while it runs again; absent: none does. */
  readonly again?: RunningAgain;
  /** The most that one layer recomputes. */
  readonly largest: number;
}

/** What is held while a layer runs again, beyond what the stage keeps. `workspace` includes what layers behind it leave for W. */
interface RunningAgain {
  readonly recomputed: number;
  readonly workspace: number;
}

/** What sums take of a layer. */
export type SummedCost = Pick<
  LayerCost,
  Exclude<keyof LayerSums, 'recomputedWhole' | 'again' | 'largest'> | 'recomputed' | 'workspaceStays'
>;

const partsOf = ({ activation, activationParts }: LayerCost): Parts => activationParts ?? { activations: activation };

/** Parts of all layers, with tokens of another tower once. */
function partsOfAll(layers: readonly LayerCost[], crossInput = 0): Parts {
  const all = addParts(...layers.map(partsOf));
  if (crossInput === 0) return all;
  const twice = layers.reduce((sum, layer) => sum + (layer.crossInput ?? 0), 0) - crossInput;
  return addParts({ ...all, [parts.crossInput]: (all[parts.crossInput] ?? 0) - twice });
}

export const noLayers: LayerSums = {
  parameters: 0,
  localParameters: 0,
  expertParameters: 0,
  forwardFlops: 0,
  forward: 0,
  backwardInput: 0,
  backwardWeight: 0,
  recompute: 0,
  splitKnown: true,
  weights: 0,
  activation: 0,
  activationForWeight: 0,
  largest: 0,
  recomputedWhole: 0,
  workspace: 0,
};

/**
 * Bytes of a layer's workspace that stay from its input gradient to its weight gradient: the gradient of a head's logits. What fits in
 * the place of its `activation` is not counted twice.
 */
const leftForWeight = (layer: SummedCost): number =>
  layer.workspaceStays === true
    ? layer.workspace
    : Math.min(layer.workspace, Math.max(0, layer.activationForWeight - layer.activation - layer.recomputed));

/** The most that a layer holds while it runs again, with one more layer behind all others. */
function againWith(again: RunningAgain | undefined, layer: SummedCost): RunningAgain | undefined {
  const { recomputed, workspace } = layer;
  const before = again && { ...again, workspace: again.workspace + leftForWeight(layer) };
  if (recomputed === 0) return before;
  const most = before === undefined ? -1 : before.recomputed + before.workspace;
  return recomputed + workspace > most ? { recomputed, workspace } : before;
}

/** What is held beyond the stage's workspace while a layer runs again. Differences of workspaces come first: they are mostly 0. */
const beyondWorkspace = ({ again, largest, workspace }: LayerSums): number =>
  again === undefined ? 0 : Math.min(largest, Math.max(0, again.recomputed + (again.workspace - workspace)));

/** The sums with one more layer at the end. */
export const withLayer = (sums: LayerSums, layer: SummedCost): LayerSums => ({
  parameters: sums.parameters + layer.parameters,
  localParameters: sums.localParameters + layer.localParameters,
  expertParameters: sums.expertParameters + layer.expertParameters,
  forwardFlops: sums.forwardFlops + layer.forwardFlops,
  forward: sums.forward + layer.forward,
  backwardInput: sums.backwardInput + layer.backwardInput,
  backwardWeight: sums.backwardWeight + layer.backwardWeight,
  recompute: sums.recompute + layer.recompute,
  splitKnown: sums.splitKnown && layer.splitKnown,
  weights: sums.weights + layer.weights,
  activation: sums.activation + layer.activation - Math.min(sums.crossInput ?? 0, layer.crossInput ?? 0),
  activationForWeight: sums.activationForWeight + layer.activationForWeight,
  again: againWith(sums.again, layer),
  largest: Math.max(sums.largest, layer.recomputed),
  recomputedWhole: sums.recomputedWhole + layer.recomputed,
  workspace: Math.max(sums.workspace, layer.workspace),
  ...(sums.crossInput === undefined && layer.crossInput === undefined
    ? {}
    : { crossInput: Math.max(sums.crossInput ?? 0, layer.crossInput ?? 0) }),
  ...(sums.frozen === undefined && layer.frozen === undefined ? {} : { frozen: addFrozen(sums.frozen, layer.frozen) }),
});

/** The sums with one more layer of the last group that is recomputed at once; `group`: what it holds without this layer. */
export function withLayerOfGroup(sums: LayerSums, layer: SummedCost, group: RunningAgain): LayerSums {
  const more = recomputedInGroup(layer);
  const next = withLayer(sums, {
    ...layer,
    activation: layer.crossInput ?? 0,
    recomputed: group.recomputed + more,
    workspace: Math.max(group.workspace, layer.workspace),
  });
  return { ...next, recomputedWhole: sums.recomputedWhole + more };
}

/** The stage of these layers. */
export function stageCost(sums: LayerSums, recompute: RecomputeMode, input: number): StageCost {
  const { again: _again, largest: _largest, ...summed } = sums;
  if (recompute !== 'stage') return { ...summed, recomputed: beyondWorkspace(sums), recomputeMode: recompute };
  const activation = Math.min(sums.activation, input);
  const whole = sums.activation - activation;
  return { ...summed, activation, recomputed: whole, recomputedWhole: whole, recomputeMode: recompute };
}
