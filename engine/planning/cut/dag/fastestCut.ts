/** The cut of a graph with the fastest slowest stage, over all cuts. */
import type { Ideals } from './ideals.ts';

export interface FastestCut {
  /** Weight of the slowest stage: no cut has a lower one. Stages may be empty. */
  readonly slowest: number;
  /** Stage of each node; absent where the known cut is as fast. */
  readonly stageOf?: Int32Array;
}

/**
 * `weights`: whole numbers, one row for each stage. `low` is proven, `high` the slowest stage of a known cut.
 *
 * A limit for the slowest stage is tried by dynamic programming over the sets. A set can be built node by node along several
 * paths. The best path has reached the fewest stages; of equal paths, the one whose last stage is the least full. No other path
 * is better to go on from (Held, Karp and Shareshian 1963, for assembly lines). If a limit is too low, so is every limit below
 * the least sum that exceeded it. If it is not, it gives a cut, and lower limits than its slowest stage are tried.
 */
export function fastestCut(ideals: Ideals, weights: readonly Float64Array[], low: number, high: number): FastestCut {
  const tables = {
    stage: new Int32Array(ideals.count),
    load: new Float64Array(ideals.count),
    by: new Int32Array(ideals.count),
    before: new Int32Array(ideals.count),
  };
  let [least, slowest] = [low, high];
  let stageOf: Int32Array | undefined;
  for (let first = true; least < slowest; first = false) {
    const limit = first ? least : least + Math.floor((slowest - least) / 2);
    const exceeded = fill(ideals, weights, limit, tables);
    if (tables.stage[ideals.count - 1] === weights.length) {
      least = Math.max(limit + 1, exceeded);
      continue;
    }
    stageOf = stagesOf(ideals.count, weights[0].length, tables);
    slowest = Math.min(limit, slowestOf(stageOf, weights));
  }
  return { slowest, ...(stageOf === undefined ? {} : { stageOf }) };
}

interface Tables {
  /** Stage that each set's last node is in; as many as there are stages: it cannot be built. */
  readonly stage: Int32Array;
  readonly load: Float64Array;
  /** Last node, and the set before it. */
  readonly by: Int32Array;
  readonly before: Int32Array;
}

/** Fills the tables and returns the least sum that exceeded the limit. */
function fill(
  { count, from, node, to }: Ideals,
  weights: readonly Float64Array[],
  limit: number,
  tables: Tables,
): number {
  const { stage, load, by, before } = tables;
  const parts = weights.length;
  let exceeded = Infinity;
  stage.fill(parts);
  stage[0] = 0;
  load[0] = 0;
  for (let set = 0; set < count; set += 1) {
    const here = stage[set];
    if (here === parts) continue;
    for (let at = from[set]; at < from[set + 1]; at += 1) {
      const moved = node[at];
      let next = here;
      let sum = load[set] + weights[here][moved];
      while (sum > limit) {
        if (sum < exceeded) exceeded = sum;
        next += 1;
        if (next === parts) break;
        sum = weights[next][moved];
      }
      const made = to[at];
      if (next > stage[made] || next === parts || (next === stage[made] && sum >= load[made])) continue;
      stage[made] = next;
      load[made] = sum;
      by[made] = moved;
      before[made] = set;
    }
  }
  return exceeded;
}

function stagesOf(sets: number, nodes: number, { stage, by, before }: Tables): Int32Array {
  const stageOf = new Int32Array(nodes);
  for (let set = sets - 1; set > 0; set = before[set]) stageOf[by[set]] = stage[set];
  return stageOf;
}

function slowestOf(stageOf: Int32Array, weights: readonly Float64Array[]): number {
  const loads = new Float64Array(weights.length);
  for (const [node, stage] of stageOf.entries()) loads[stage] += weights[stage][node];
  return loads.reduce((most, load) => Math.max(most, load), 0);
}
