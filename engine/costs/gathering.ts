/** A layer under a shard of the weights: bytes of its whole weights as they are gathered (16 bit) and of its whole gradient, on one device. */
export interface GatheredLayer {
  readonly weights: number;
  readonly gradients: number;
  /** Bytes of weights that no other rank shares, copied when the layer runs and never ahead of it. None if absent. */
  readonly copied?: number;
}

export interface GatheringRule {
  /** Gathered weights are dropped after each forward and each backward of a layer. */
  readonly reshard: boolean;
  /** Layers whose weights are gathered ahead of the one that runs; FSDP fetches one. */
  readonly prefetch: number;
  /**
   * Gradients stay whole from the first backward to the last, and are reduced and scattered once: PyTorch's pipelines with FSDP
   * modules (torch/distributed/pipelining/stage.py, `set_requires_gradient_sync(False)`; arXiv:2304.11277, section 3.3.4).
   * Default: after each backward.
   */
  readonly accumulate?: boolean;
}

/** Bytes beyond the shards. */
export interface GatheredBytes {
  /** From the stage's first forward of an iteration to its last backward. */
  readonly always: number;
  /** Additional bytes, at most, while a forward or a backward of the stage runs. */
  readonly forward: number;
  readonly backward: number;
}

/**
 * Bytes in addition to the shards while a stage runs under `zero3` or `fsdp`. The weights of a layer are whole while it runs. So
 * are the weights of the `prefetch` layers that come next (FSDP, arXiv:2304.11277, sections 3.3.2, 3.3.3 and 3.4.2: at most two
 * gathers run at once). A backward makes the whole gradient of its layer. The reduce-scatter of the layer before it runs at the
 * same time, so that its gradient is still whole too. (FSDP2 frees the input of a reduce-scatter at the end of the next
 * backward.)
 *
 * FSDP2 treats a shard group of one rank as others. The copy in the format of the products is another tensor, and so is the sum of
 * gradients (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py: `wait_for_unshard`; _fsdp_collectives.py: `foreach_reduce`).
 *
 * Without `reshard` each layer is gathered once per iteration: Llama 3 (arXiv:2407.21783, section 3.3.2) and torchtitan under
 * pipelines, which spare the gathers of each microbatch.
 *
 * `layers` in the order of the forward. Linear in their number. Recomputation gathers nothing more: it runs while the weights of
 * its layer are whole.
 */
export function gatheredBytes(layers: readonly GatheredLayer[], rule: GatheringRule): GatheredBytes {
  const { reshard, accumulate = false } = rule;
  const prefetch = Math.max(0, Math.floor(rule.prefetch));
  const weights = layers.map((layer) => layer.weights);
  const copied = layers.map((layer) => layer.copied ?? 0);
  const gradients = layers.map((layer) => layer.gradients);
  const ahead = windowSums(weights.toReversed(), prefetch + 1).toReversed();
  const behind = windowSums(weights, prefetch + 1);
  let [forward, backward] = [0, 0];
  for (let layer = 0; layer < layers.length; layer += 1) {
    if (reshard) forward = Math.max(forward, ahead[layer] + copied[layer]);
    const gathered = reshard ? behind[layer] + copied[layer] : 0;
    backward = Math.max(backward, gathered + (accumulate ? 0 : gradients[layer] + (gradients[layer + 1] ?? 0)));
  }
  return {
    always: (reshard ? 0 : total(weights) + total(copied)) + (accumulate ? total(gradients) : 0),
    forward,
    backward,
  };
}

/** Sums of up to `width` neighbours that end at each place. */
function windowSums(values: readonly number[], width: number): Float64Array {
  const endingAt = new Float64Array(values.length);
  const sums = new Float64Array(values.length + 1);
  for (const [at, value] of values.entries()) {
    sums[at + 1] = sums[at] + value;
    endingAt[at] = sums[at + 1] - sums[Math.max(0, at + 1 - width)];
  }
  return endingAt;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
