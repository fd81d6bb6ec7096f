import type { TensorWait } from '../../../engine/simulate/exchange/exposed.ts';

/**
 * Seconds from the end of an iteration to the end of the next on one device. The iteration ends at `end`, and takes that long where
 * nothing waits. `arrival` and `tail` (by tensor): when layers may use it, and the longest path from the first forward that needs it to
 * the end of its iteration. With a barrier, no forward starts before all tensors are there; the optimizer's step follows them. Without
 * one, `tail` contains the layers' shares of that step.
 */
export function periodOf(
  { arrival, tail }: { readonly arrival: Float64Array; readonly tail: Float64Array },
  end: number,
  barrier?: { readonly optimizer: number },
): number {
  let latest = end;
  for (let tensor = 0; tensor < arrival.length; tensor += 1)
    latest = Math.max(latest, barrier === undefined ? arrival[tensor] + tail[tensor] - end : arrival[tensor]);
  return barrier === undefined ? latest : latest + barrier.optimizer;
}

/** A layer of a chain on one device: seconds of one microbatch. */
export interface ChainLayer {
  readonly forward: number;
  readonly backward: number;
}

/** One device that runs layers in a chain, a forward and a backward for each microbatch in turn; by layer, seconds. */
export interface Chain {
  readonly ready: Float64Array;
  readonly tail: Float64Array;
  /** Start of the last backward. */
  readonly origin: number;
  /** End of the iteration, which starts at 0. */
  readonly end: number;
}

/** Of several microbatches the last makes gradients ready, and the first waits for them. */
export function chainOf(layers: readonly ChainLayer[], microbatches: number): Chain {
  const end = microbatches * layers.reduce((sum, { forward, backward }) => sum + forward + backward, 0);
  const ready = new Float64Array(layers.length);
  const tail = new Float64Array(layers.length);
  let [forward, backward] = [0, 0];
  layers.forEach((layer, at) => {
    ready[at] = end - backward;
    tail[at] = end - forward;
    forward += layer.forward;
    backward += layer.backward;
  });
  return { ready, tail, origin: end - backward, end };
}

/**
 * Waits of one device that runs layers in a chain, from the end of an iteration on: with a barrier for the front tensor, otherwise for
 * each layer in turn. The device works between two waits.
 */
export function waitsOf(
  { arrival, tail }: { readonly arrival: Float64Array; readonly tail: Float64Array },
  end: number,
  barrier: boolean,
): readonly TensorWait[] {
  if (barrier) {
    const latest = arrival.reduce((most, each) => Math.max(most, each), end);
    return latest > end ? [{ from: end, to: latest, tensor: 0 }] : [];
  }
  const waits: TensorWait[] = [];
  // How much later than without waits the device is.
  let late = 0;
  arrival.forEach((at, tensor) => {
    const reached = end + late + (tail[0] - tail[tensor]);
    if (at <= reached) return;
    waits.push({ from: reached, to: at, tensor });
    late += at - reached;
  });
  return waits;
}
