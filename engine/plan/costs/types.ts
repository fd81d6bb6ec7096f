/** Costs of layers and stages. Pure functions of numbers: no names, no syntax, no places. */

/**
 * `full` keeps the input of every layer, `stage` only what enters the stage. A layer's cost under `stage` is that without
 * recomputation, with one more forward: what is kept is the stage's to say (`sumStage`).
 */
export type RecomputeMode = 'none' | 'selective' | 'full' | 'stage';
export type Precision = 'fp32' | 'tf32' | 'fp16' | 'bf16' | 'fp8';

/** What a layer's cost depends on besides the layer itself. */
export interface LayerSetting {
  /** Tokens of a sample, samples of a microbatch. */
  readonly sequence: number;
  readonly microBatch: number;
  readonly precision: Precision;
  /** Tensor-parallel ranks; 1 is none. With `sequenceParallel` norms and dropout are split too. */
  readonly tensor: number;
  readonly sequenceParallel: boolean;
  readonly recompute: RecomputeMode;
}

/** Device figures that time depends on. Peak in FLOP/s at the setting's precision, `efficiency` the share of it that kernels reach. */
export interface DeviceSpeed {
  readonly compute: number;
  readonly efficiency: number;
  /** Bytes a second of memory; 0 where the file does not say: then only FLOPs count. */
  readonly bandwidth: number;
  /** Divides measured times. */
  readonly speed: number;
  /** Ring of the tensor-parallel group: bytes a second one way, seconds a step. */
  readonly tensorBandwidth: number;
  readonly tensorLatency: number;
}

/** A derived layer, before any device: all for one microbatch on one of `tensor` ranks. */
export interface ShapeCost {
  /** Of the whole layer, over all tensor ranks (published counts are these). */
  readonly parameters: number;
  /** Parameters held by one tensor rank. */
  readonly localParameters: number;
  /** Forward FLOPs of one microbatch on one rank: layers with weights, and the attention core, which has none. */
  readonly linearFlops: number;
  readonly coreFlops: number;
  /** Bytes that one forward moves at least: all the work of layers without FLOPs (embedding), a floor for the others. */
  readonly traffic: number;
  /** Bytes kept for the backward pass under the setting's recompute mode; what only W still needs; what recompute makes again. */
  readonly activation: number;
  readonly activationForWeight: number;
  readonly recomputed: number;
  /** FLOPs of recomputation in one backward. */
  readonly recomputeFlops: number;
  /** Bytes sent to the next layer, and held only while the layer runs (logits). */
  readonly output: number;
  readonly workspace: number;
  /**
   * Bytes of each all-reduce over the tensor ranks, and how many in a forward (and the same again in a backward unless said
   * otherwise). A half is one all-gather or one reduce-scatter.
   */
  readonly reduceBytes: number;
  readonly reduceCount: number;
  readonly reduceBytesBackward?: number;
  readonly reduceCountBackward?: number;
  /** The layer has nothing to train: its whole backward is input gradient, which moves twice the bytes of the forward. */
  readonly weightless?: true;
}

/** One layer of one microbatch on one device of its stage, seconds and bytes: measured or derived, the rest of the engine does not care. */
export interface LayerCost {
  readonly parameters: number;
  readonly localParameters: number;
  readonly forwardFlops: number;
  readonly forward: number;
  readonly backwardInput: number;
  readonly backwardWeight: number;
  readonly splitKnown: boolean;
  readonly recompute: number;
  readonly weights: number;
  readonly activation: number;
  readonly activationForWeight: number;
  readonly recomputed: number;
  readonly output: number;
  readonly workspace: number;
}
