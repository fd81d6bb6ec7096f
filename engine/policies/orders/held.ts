import type { Policy, Shape } from '../policy.ts';

/** Most microbatches of a stage each that any device holds under an order: from F to B or W. Linear in the operations. */
export function heldMost(shape: Shape, order: Policy['order']): number {
  let held = 0;
  let most = 0;
  const ignore = (): void => {};
  const release = (): void => {
    held -= 1;
  };
  const out = {
    forward(): void {
      held += 1;
      if (held > most) most = held;
    },
    backward: release,
    backwardInput: ignore,
    backwardWeight: release,
    recompute: ignore,
    update: ignore,
    evict: ignore,
    load: ignore,
    fuse: ignore,
  };
  for (let device = 0; device < shape.devices; device += 1) order(shape, device, out);
  return most;
}
