/** Exchanges between islands: once in some updates, as a mean over these iterations. */
import type { OuterStepPlan } from '../values/stepPlan.ts';

/**
 * Seconds that they add to an iteration on average. `ends`: of an iteration without them, by device. The exchange starts after an update
 * and must be over `delay` iterations later. What is left of it then, and the outer update, keep the devices for that long.
 */
export function outerSeconds(
  outer: readonly (OuterStepPlan | undefined)[],
  ends: ArrayLike<number>,
  iteration: number,
): number {
  let latest = iteration;
  let every = 1;
  for (const [device, step] of outer.entries()) {
    if (step === undefined) continue;
    const left = Math.max(0, step.seconds - step.delay * iteration) + step.update;
    latest = Math.max(latest, ends[device] + left);
    every = step.every;
  }
  return (latest - iteration) / every;
}
