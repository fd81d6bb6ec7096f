import type { Layout } from './layout.ts';

/** Kinds F, I and W in the order in which a device prefers them. */
const preferences = [
  [1, 0, 2],
  [0, 1, 2],
  [1, 2, 0],
] as const;

/**
 * Keys of simple priority lists: kinds by preference, then microbatches; or microbatches by the time that a device needs for each,
 * and kinds within a few operations. Stages from the last or from the first.
 */
export function* priorityLists({ problem, stages, local, ticks }: Layout, keys: Float64Array): Generator<void, void> {
  const { microbatches, devices } = problem;
  const typical = local.reduce((sum, code) => sum + ticks[code], 0) / local.length;
  const period = (typical * local.length) / devices;
  const all = microbatches * period * 10;
  for (const inTurn of [false, true])
    for (const deepest of [true, false])
      for (const preference of preferences) {
        for (const code of local) {
          const kind = Math.floor(code / stages);
          const stage = code - kind * stages;
          const depth = (deepest ? stages - stage : stage) * 1e-3 * typical;
          const rank = preference.findIndex((preferred) => preferred === kind);
          for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
            keys[code * microbatches + microbatch] =
              rank * (inTurn ? 3 * typical : all) + microbatch * (inTurn ? period : typical * 1e-2) + depth;
        }
        yield;
      }
}
