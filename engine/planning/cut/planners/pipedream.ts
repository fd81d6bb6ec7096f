/** The planner of PipeDream: contiguous stages and replicas of each, such that a full pipeline's slowest step is as fast as can be. */
import type { PlanCut } from '../../../definitions/cut.ts';
import { runningSums, type Planned, type PlannedStage, type PlannerLayers, type Size } from './layers.ts';

/** `paper`: section 3.1. `released`: as the code that was published with it computes. */
export type PipedreamObjective = PlanCut['objective'];

export interface PipedreamProblem {
  readonly planner: 'pipedream';
  readonly layers: PlannerLayers;
  /** Microbatches of one update. */
  readonly microbatches: number;
  /** Machines at most. */
  readonly machines: number;
  /** Whether a stage may have several replicas. They divide the microbatches of an update, unless it has only one. */
  readonly replicates: boolean;
  /** Bytes a second between any two machines. */
  readonly bandwidth: number;
  readonly objective: PipedreamObjective;
}

/** Steps of the dynamic program above which it takes more than about a second. */
const stepLimit = 100_000_000;

/** Whether the plan would be searched for in about a second. */
export const pipedreamInTime = ({ layers, machines }: Size): boolean => (layers.count * machines) ** 2 <= stepLimit;

/** Steps of the dynamic program below. */
export const pipedreamSize = ({ layers, machines }: Size): number => (layers.count * machines) ** 2 / 4;

/**
 * The plan whose slowest stage or transfer is fastest; among those one of the fewest machines, then the least sum of squared stage
 * times. `seconds` are those of one update. Narayanan et al., "PipeDream" (2019), section 3.1:
 * T(i..j, m) = 1/m · max(Σ T_l, 2(m − 1)·Σ|w_l| / B), and A(j, m) = min over k, m' of max(A(k, m − m'), 2·a_k / B, T(k+1..j, m')).
 * The released code (msr-fiddle/pipedream, optimizer_graph_hierarchical.py) has 1/m · (Σ T_l + 4(m − 1)/m · Σ|w_l| / B) for T, and
 * leaves transfers out unless they are compressed. One level of bandwidth; unlike both, machines may be left over.
 */
export function* pipedreamSteps(request: PipedreamProblem): Generator<void, Planned> {
  yield;
  const { layers, machines } = request;
  const cost = stageTime(request);
  const slowest = bestPaths(request, cost, Math.max);
  const last = layers.count;
  let fewest = machines;
  while (fewest > 1 && slowest.value(fewest - 1, last) <= slowest.value(machines, last)) fewest -= 1;
  const seconds = slowest.value(fewest, last);
  const limit = seconds * (1 + 1e-12);
  const even = (from: number, to: number, replicas: number): number => {
    const time = cost(from, to, replicas);
    return time <= limit ? time * time : Infinity;
  };
  const { stages } = bestPaths(request, even, (a, b) => a + b);
  return { stages: stages(fewest), seconds, exact: true, least: seconds };
}

/** Seconds of a stage for one update, or of the transfer before it where that takes longer. */
function stageTime({ layers, microbatches, bandwidth, objective }: PipedreamProblem) {
  const compute = runningSums(layers.forward.map((one, index) => microbatches * (one + layers.backward[index])));
  const gradients = runningSums(layers.gradients);
  return (from: number, to: number, replicas: number): number => {
    const own = compute[to] - compute[from];
    const exchange = ((replicas - 1) * (gradients[to] - gradients[from])) / bandwidth;
    return objective === 'paper'
      ? Math.max(Math.max(own, 2 * exchange) / replicas, (2 * microbatches * layers.crossing[from]) / bandwidth)
      : (own + (4 * exchange) / replicas) / replicas;
  };
}

type StageCost = (from: number, to: number, replicas: number) => number;

/** For each prefix of the layers and each number of machines at most, the cut whose joined costs are least. */
function bestPaths(
  { layers, machines, microbatches, replicates }: PipedreamProblem,
  cost: StageCost,
  join: (before: number, cost: number) => number,
) {
  const width = layers.count + 1;
  const best = new Float64Array((machines + 1) * width).fill(Infinity);
  const start = new Int32Array(best.length);
  const taken = new Int32Array(best.length);
  const allows = (replicas: number) => replicates && (microbatches === 1 || microbatches % replicas === 0);
  const counts = Array.from({ length: machines }, (_, index) => index + 1).filter((one) => one === 1 || allows(one));
  for (let most = 0; most <= machines; most += 1) best[most * width] = 0;
  for (let to = 1; to < width; to += 1) {
    for (let from = 0; from < to; from += 1) {
      for (const replicas of counts) {
        const own = cost(from, to, replicas);
        if (own === Infinity) continue;
        for (let most = replicas; most <= machines; most += 1) {
          const before = best[(most - replicas) * width + from];
          const value = before === Infinity ? Infinity : join(before, own);
          const at = most * width + to;
          if (!(value < best[at])) continue;
          best[at] = value;
          start[at] = from;
          taken[at] = replicas;
        }
      }
    }
  }
  return {
    value: (most: number, to: number) => best[most * width + to],
    stages(most: number): readonly PlannedStage[] {
      const stages: PlannedStage[] = [];
      for (let to = layers.count, left = most; to > 0;) {
        const at = left * width + to;
        stages.unshift({ from: start[at], to, replicas: taken[at] });
        to = start[at];
        left -= taken[at];
      }
      return stages;
    },
  };
}
