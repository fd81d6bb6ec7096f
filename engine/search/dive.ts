import type { OpenTick } from './openTick.ts';
import { openPairs } from './openPairs.ts';

/** Rounds of the rules after each step. */
const rounds = 20;
/** How many more pairs a step decides after one that the rules allow, and how many fewer after one that they refute. */
const [growth, shrinkage] = [2, 4];

/**
 * Goes from an open tick towards one order that ends by it. Each step decides pairs of operations of a device, those with the least
 * room first, as in another order; then the rules say what follows. If they refute a step, a shorter one is tried. If they refute
 * a single pair, its other order holds. Beck, "Solution-guided multi-point constructive search for job shop scheduling" (2007).
 * Yields after each round of the rules, true if it ends a step. Returns whether all pairs are decided; otherwise nothing is left.
 * `guide`: priorities of the other order, by code · m + microbatch. `bias`: by device, factors on the room of its pairs.
 */
export function* diveSteps(tick: OpenTick, guide: Float64Array, bias: Float64Array): Generator<boolean, boolean> {
  const { keep, restore } = tick.keeper();
  const pairs = openPairs(tick, guide, bias);
  function* allows(): Generator<boolean, boolean> {
    const steps = tick.settleSteps(rounds);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield false;
    }
  }
  for (let size = 1; pairs.find();) {
    keep();
    for (;;) {
      size = Math.min(size, pairs.count());
      pairs.decide(size);
      if (yield* allows()) break;
      restore();
      if (size === 1) {
        pairs.decideOther();
        if (!(yield* allows())) return false;
        break;
      }
      size = Math.ceil(size / shrinkage);
    }
    size *= growth;
    yield true;
  }
  return true;
}
