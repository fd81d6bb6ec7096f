/** The planner of DAPPLE: contiguous stages whose replicas share every microbatch, such that one synchronous iteration is shortest. */
import type { DappleProblem } from './dappleProblem.ts';
import { searchSuffixes } from './dappleSearch.ts';
import type { Planned, Size } from './layers.ts';

/** Layers² × machines³ above which a bounded search takes more than about a second. */
const sizeLimit = 150_000_000;
/** Transitions and comparisons of a search after the first one: some 400 ms. */
const budget = 12_000_000;

export const dappleInTime = ({ layers, machines }: Size): boolean => layers.count ** 2 * machines ** 3 <= sizeLimit;

/** About how many transitions and comparisons all searches make, some 20 ns each. */
export const dappleSize = ({ layers, machines }: Size): number => {
  const all = layers.count ** 2 * machines ** 3;
  return Math.min(all, all / 12 + 2 * budget);
};

/**
 * The plan of least latency L = T_w + T_s + T_e; `seconds` is L (Fan et al., "DAPPLE" (2021), section 4). Stages and transfers
 * are numbered together, and Q is the pivot:
 * 1. T_w = Σ_{s≤Q} F_s.
 * 2. T_s = (M − 1)(F_Q + B_Q).
 * 3. T_e = max_s (AR_s + (Σ_{a=s..Q} B_a if s ≤ Q else −Σ_{a=Q..s−1} B_a)).
 *
 * Q is the last stage, replaced backwards by each s with (M − 1)(F_s + B_s) > (M − 1)(F_Q + B_Q) + Σ_{s<a<Q} (F_a + B_a).
 *
 * Plans are built from the last stage to the first. A bounded search gives a good plan; then all suffixes are extended that no
 * other suffix dominates (`dappleSuffixes.ts`) and that can still lead to a shorter latency. If that ends within its budget of
 * transitions, no plan is shorter. Otherwise the best plan that was found is given, and `exact` is false.
 */
export function* dappleSteps(problem: DappleProblem): Generator<void, Planned> {
  const search = yield* searchSuffixes(problem);
  yield* search.run(1, Infinity);
  const { exact, least } = yield* search.run(Infinity, budget);
  if (!exact) yield* search.run(4, budget);
  const { stages, seconds } = search.best();
  return { stages, seconds, exact, least: exact ? seconds : Math.min(least, seconds) };
}
