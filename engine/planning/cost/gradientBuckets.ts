/** The layers of a stage whose gradients are exchanged at once. */
import { noFrozen } from '../../costs/training.ts';
import type { LayerCost } from '../../costs/types.ts';
import type { BucketPlan } from '../../values/plan.ts';

/**
 * Parameters of a bucket on one device, with experts' parameters apart. `left` is the work of the stage's last backward that
 * remains when the bucket is ready. `before` is the share of a forward that comes before its layers.
 */
export interface GradientBucket extends Pick<BucketPlan, 'left' | 'joins'> {
  readonly dense: number;
  readonly experts: number;
  readonly before: number;
  /** Its first layer, as an index. */
  readonly first: number;
}

type Parts = Pick<
  LayerCost,
  'localParameters' | 'expertParameters' | 'frozen' | 'forward' | 'recompute' | 'backwardInput' | 'backwardWeight'
>;

/**
 * Consecutive layers from the last to the first, as the backward reaches them. A bucket is full with the layer that brings it to
 * `bytes`, and ready when the backward has passed that layer (Li et al., PyTorch Distributed, arXiv:2006.15704, section 3.2.3).
 * `gradient` is the size of one parameter's gradient, bytes. `atOnce`: the whole stage is recomputed before its backward begins.
 */
export function gradientBuckets(
  layers: readonly Parts[],
  gradient: number,
  bytes: number,
  atOnce: boolean,
): readonly GradientBucket[] {
  const sum = (figure: Exclude<keyof Parts, 'frozen'>) => layers.reduce((all, layer) => all + layer[figure], 0);
  const whole = {
    forward: sum('forward'),
    recompute: sum('recompute'),
    input: sum('backwardInput'),
    weight: sum('backwardWeight'),
  };
  const share = (part: number, all: number) => (all > 0 ? part / all : 0);
  const buckets: GradientBucket[] = [];
  // What the layers before this one still take; added up from the first one on, so that the first has nothing before it.
  const before = layers.map(() => ({ forward: 0, recompute: 0, input: 0, weight: 0 }));
  for (let at = 1; at < layers.length; at += 1) {
    const [last, layer] = [before[at - 1], layers[at - 1]];
    before[at] = {
      forward: last.forward + layer.forward,
      recompute: last.recompute + layer.recompute,
      input: last.input + layer.backwardInput,
      weight: last.weight + layer.backwardWeight,
    };
  }
  let dense = 0;
  let experts = 0;
  let first = -1;
  let joined = 0;
  const close = () => {
    if (first < 0) return;
    const { forward, recompute, input, weight } = before[first];
    const left = {
      recompute: atOnce ? 0 : share(recompute, whole.recompute),
      input: share(input, whole.input),
      weight: share(weight, whole.weight),
    };
    buckets.push({
      dense,
      experts,
      left,
      before: share(forward, whole.forward),
      first,
      ...(joined > 1 ? { joins: true } : {}),
    });
    [dense, experts, first, joined] = [0, 0, -1, 0];
  };
  for (let at = layers.length - 1; at >= 0; at -= 1) {
    const { localParameters, expertParameters, frozen = noFrozen } = layers[at];
    if (localParameters === frozen.dense + frozen.experts) continue;
    dense += localParameters - expertParameters - frozen.dense;
    experts += expertParameters - frozen.experts;
    first = at;
    joined += 1;
    if ((dense + experts) * gradient >= bytes) close();
  }
  close();
  return buckets;
}
