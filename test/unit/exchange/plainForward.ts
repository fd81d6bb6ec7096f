/** The first forward of a stage in the plain way: whenever the device is free, it takes what it may do next. */
export interface PlainForwardLayer {
  readonly forward: number;
  /** The layer's share of the optimizer's step, and when its gradients are there. */
  readonly step: number;
  readonly there: number;
}

/**
 * When the forward ends. Layers run in turn, once `input` is there, and each after its step. Steps are in turn, too. `forwardFirst`: what
 * the device does if it may step a layer and run another one.
 */
export function plainForward(
  layers: readonly PlainForwardLayer[],
  { from, input }: { readonly from: number; readonly input: number },
  forwardFirst: () => boolean = () => true,
): number {
  let now = from;
  let [stepped, ran] = [0, 0];
  while (ran < layers.length) {
    const next = layers.at(stepped);
    const runs = ran < stepped && input <= now;
    const steps = next !== undefined && stepped < layers.length && next.there <= now;
    if (runs && (!steps || forwardFirst())) {
      now += layers[ran].forward;
      ran += 1;
    } else if (steps) {
      now += next.step;
      stepped += 1;
    } else now = Math.min(...[input, next?.there ?? Infinity].filter((time) => time > now));
  }
  return now;
}
