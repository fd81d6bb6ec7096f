/** The search for the plan of least latency by `plan(dapple)`: suffixes of plans, from the last stage to the first. */
import type { DappleProblem } from './dappleProblem.ts';
import { dappleBounds } from './dappleBounds.ts';
import { dappleCosts } from './dappleCosts.ts';
import { type Suffixes, suffixesOf } from './dappleSuffixes.ts';
import type { PlannedStage } from './layers.ts';

/** Suffixes that an exact search keeps: some 60 MB. */
const mostSuffixes = 500_000;
/** Transitions and comparisons between two yields: some 5 ms. */
const slice = 100_000;
/** Bounds are rounded down by this share, since sums of the same layers differ in their last digits. */
const rounding = 1e-12;

interface Plan {
  readonly stages: readonly PlannedStage[];
  /** L. */
  readonly seconds: number;
  readonly machines: number;
}

interface Search {
  /**
   * Extends suffixes, of which `kept` are kept for each first layer, number of machines and replicas, until `budget` is spent. `exact`: all
   * were looked at, so that no plan is below `best`. `least`: the latency that no plan is below.
   */
  run(kept: number, budget: number): Generator<void, { readonly exact: boolean; readonly least: number }>;
  /** The shortest plan of all runs; of equally short ones one that takes the fewest machines. */
  best(): Plan;
}

export function* searchSuffixes(problem: DappleProblem): Generator<void, Search> {
  const { layers, machines, microbatches, link } = problem;
  const costs = dappleCosts(problem);
  const { forward, backward, least: shortest, exchange, transfer } = costs;
  const width = machines + 1;
  const bounds = yield* dappleBounds({ count: layers.count, machines, microbatches, costs });
  const root = bounds.slowest[layers.count * width + machines];
  let best: Plan = { stages: [], seconds: Infinity, machines: Infinity };
  /** By machines that are left: the last layer before which they can still make a plan that is shorter. */
  const reach = new Int32Array(width).fill(layers.count, 1);
  const complete = (suffixes: Suffixes, rest: number, to: number, replicas: number, used: number): void => {
    const seconds = suffixes.latency();
    if (seconds > best.seconds || (seconds === best.seconds && used >= best.machines)) return;
    best = { seconds, machines: used, stages: [{ from: 0, to, replicas }, ...suffixes.stages(rest, to)] };
    for (let left = 1; left < width; left += 1)
      while (bounds.slowest[reach[left] * width + left] * (1 - rounding) > seconds) reach[left] -= 1;
  };

  function* run(kept: number, budget: number) {
    const suffixes = suffixesOf({ layers: layers.count, machines, microbatches, kept, alone: link.alone });
    let work = 0;
    let pause = slice;
    /** Puts every stage that ends before layer `to` in front of a suffix; −1: of no suffix. */
    const extend = (rest: number, to: number): void => {
      const usedBehind = rest < 0 ? 0 : suffixes.used(rest);
      const behind = rest < 0 ? 0 : suffixes.replicas(rest);
      for (let replicas = 1; replicas <= machines - usedBehind; replicas += 1) {
        if (rest < 0) suffixes.start();
        else if (replicas <= behind || replicas === 1) suffixes.send(rest, transfer(to, replicas));
        const used = usedBehind + replicas;
        const left = machines - used;
        for (let from = Math.min(to - 1, reach[left]); from >= 0; from -= 1) {
          work += 1;
          const f = forward(from, to, replicas);
          const b = backward(from, to, replicas);
          // A longer stage takes longer still, but for layers that only the shorter one recomputes.
          if (microbatches * shortest(from, to, replicas) * (1 - rounding) > best.seconds) break;
          if (microbatches * (f + b) * (1 - rounding) > best.seconds) continue;
          suffixes.put(f, b, exchange(from, to, replicas));
          if (from === 0) {
            complete(suffixes, rest, to, replicas, used);
            continue;
          }
          const place = from * width + left;
          // The transfer to this stage is one of the steps in front.
          const rising = bounds.rising[place] + 2 * transfer(from, Math.min(replicas, left));
          const latency = Math.max(suffixes.leastLatency(rising), bounds.slowest[place]) * (1 - rounding);
          if (latency <= best.seconds) suffixes.keep({ from, to, replicas, used, rest }, latency);
        }
      }
    };
    extend(-1, layers.count);
    for (let to = layers.count - 1; to > 0; to -= 1) {
      for (const suffix of suffixes.undominated(to)) {
        const done = work + suffixes.comparisons();
        if (done > budget || suffixes.count() > mostSuffixes)
          return { exact: false, least: kept === Infinity ? Math.min(best.seconds, suffixes.leastPending(to)) : root };
        if (done > pause) {
          pause = done + slice;
          yield;
        }
        extend(suffix, to);
      }
    }
    return kept === Infinity ? { exact: true, least: best.seconds } : { exact: false, least: root };
  }
  return { run, best: () => best };
}
