import type { LayerCost, RecomputeMode } from './types.ts';

/** The figures of a stage that follow from its layers: seconds and bytes of one microbatch on one device. */
export interface StageCost {
  readonly parameters: number;
  /** On one tensor rank; what the optimizer's state goes by. */
  readonly localParameters: number;
  readonly forwardFlops: number;
  readonly forward: number;
  readonly backwardInput: number;
  readonly backwardWeight: number;
  readonly recompute: number;
  /** Every layer's split of the backward is measured or derived. */
  readonly splitKnown: boolean;
  readonly weights: number;
  readonly activation: number;
  readonly activationForWeight: number;
  readonly recomputed: number;
  /** What an R of its own makes: the activations of all layers at once. */
  readonly recomputedWhole: number;
  readonly workspace: number;
  readonly recomputeMode: RecomputeMode;
}

/**
 * Sums the layers of a stage; their costs were made under the same recompute mode.
 *
 * With recomputation, layers are checkpoints of their own: F leaves each layer's kept part (2sbh of a transformer layer under
 * full recomputation), and the backward goes from last to first, making one layer's activations again, using them and
 * dropping them before the next. So beyond the sum of what is kept, only the largest `recomputed` is held at a time. It is
 * reached exactly where the largest layer is the last one, or all are equal; else it is an upper bound, since kept
 * parts of later layers are free by then. Workspace is likewise that of one layer at a time.
 *
 * Under `stage` the whole stage is one checkpoint: F leaves `input` bytes (0 for a stage that reads the data), and the backward
 * first makes all else again. Huang et al., "GPipe" (2019), section 2.3.
 */
export function sumStage(layers: readonly LayerCost[], recompute: RecomputeMode, input = 0): StageCost {
  const sum = (of: (layer: LayerCost) => number) => layers.reduce((total, layer) => total + of(layer), 0);
  const largest = (of: (layer: LayerCost) => number) => layers.reduce((most, layer) => Math.max(most, of(layer)), 0);
  const activation = sum((layer) => layer.activation);
  const kept = recompute === 'stage' ? Math.min(activation, input) : activation;
  const whole = recompute === 'stage' ? activation - kept : sum((layer) => layer.recomputed);
  return {
    parameters: sum((layer) => layer.parameters),
    localParameters: sum((layer) => layer.localParameters),
    forwardFlops: sum((layer) => layer.forwardFlops),
    forward: sum((layer) => layer.forward),
    backwardInput: sum((layer) => layer.backwardInput),
    backwardWeight: sum((layer) => layer.backwardWeight),
    recompute: sum((layer) => layer.recompute),
    splitKnown: layers.every((layer) => layer.splitKnown),
    weights: sum((layer) => layer.weights),
    activation: kept,
    activationForWeight: sum((layer) => layer.activationForWeight),
    recomputed: recompute === 'stage' ? whole : largest((layer) => layer.recomputed),
    recomputedWhole: whole,
    workspace: largest((layer) => layer.workspace),
    recomputeMode: recompute,
  };
}
