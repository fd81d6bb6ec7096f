import { toEnd } from '../basics/steps.ts';
import type { OpenTick } from './openTick.ts';
import { pairAt } from './precedence.ts';

/** Rounds of the rules that an assumption may take; most that are refuted take two or three. */
const rounds = 6;

/**
 * Assumes one order of a forward and an input gradient of a device, and lets the rules refute it: then the other order holds. Only
 * pairs next to what is known are tried: what follows for others follows from them. True if both orders of a pair are refuted.
 */
export function* probeSteps(tick: OpenTick): Generator<void, boolean> {
  const { microbatches: m, codes, precedence } = tick;
  const { before } = precedence;
  const { keep, restore } = tick.keeper();
  /** Whether the rules refute that `count` operations are before another. */
  const refuted = (at: number, count: number): boolean => {
    before[at] = count;
    const open = toEnd(tick.settleSteps(rounds));
    restore();
    return !open;
  };
  /** What is proven for every order; false if nothing is left. */
  const prove = (at: number, count: number): boolean => {
    before[at] = count;
    if (!toEnd(tick.settleSteps(Infinity))) return false;
    keep();
    return true;
  };
  const pairs = [...codes.forward].flatMap((forward) =>
    [...codes.input].flatMap((input) =>
      codes.ofDevice[forward] === codes.ofDevice[input]
        ? [[pairAt(precedence, codes, m, forward, input), pairAt(precedence, codes, m, input, forward)] as const]
        : [],
    ),
  );
  for (let found = true; found;) {
    found = false;
    for (const [forwards, inputs] of pairs)
      for (let k = 0; k < m; k += 1) {
        for (;;) {
          // The first forward that may be on either side of the k-th input gradient: not after it?
          const first = before[forwards + k];
          if (first >= m || before[inputs + first] > k || !refuted(inputs + first, k + 1)) break;
          found = true;
          if (!prove(forwards + k, first + 1)) return true;
        }
        yield;
        for (;;) {
          // The last one: not before it?
          let last = m - 1;
          while (last >= 0 && before[inputs + last] > k) last -= 1;
          if (last < before[forwards + k] || !refuted(forwards + k, last + 1)) break;
          found = true;
          if (!prove(inputs + last, k + 1)) return true;
        }
        yield;
      }
  }
  return false;
}
