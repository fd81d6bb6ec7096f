/** Sets of layers that a stage of PipeDream's plans can end behind. */
import { type Dag, dagOf } from '../dag/graph.ts';
import { idealsOf } from '../dag/ideals.ts';
import { againOf, type RunSeconds, secondsAgain } from '../stageRuns.ts';
import { runningSums, type PlannerLayers } from './layers.ts';

/** Set 0 is empty, the last one has all layers, and each comes after those that it contains. */
export interface States {
  readonly count: number;
  /** Seconds of all layers of the set for one microbatch, and bytes of their gradients. */
  readonly seconds: Float64Array;
  readonly gradients: Float64Array;
  /** Seconds that the layers between two sets take longer as a stage, since it recomputes some of them, and the steps to find them. */
  readonly again?: { readonly seconds: RunSeconds; readonly steps: number };
  /** Bytes of one microbatch that layers of the set send to others. */
  readonly sent: Float64Array;
  /** Sets that a set contains, ascending, without itself; absent: all sets before it. */
  readonly below?: readonly Int32Array[];
  /** Layers of a set that are not in the other, ascending. */
  between(other: number, set: number): readonly number[];
}

const secondsOf = ({ forward, backward }: PlannerLayers): Float64Array =>
  forward.map((time, layer) => time + backward[layer]);

/** The first layers in the order in which they are given. */
export function prefixStates(layers: PlannerLayers): States {
  return {
    count: layers.count + 1,
    seconds: runningSums(secondsOf(layers)),
    gradients: runningSums(layers.gradients),
    ...(layers.recomputed === undefined ? {} : { again: { seconds: secondsAgain(layers.recomputed), steps: 1 } }),
    sent: layers.crossing,
    between: (other, set) => Array.from({ length: set - other }, (_, index) => other + index),
  };
}

export const dagOfLayers = ({ count, needs }: PlannerLayers): Dag =>
  dagOf(count, (layer) => needs.nodes.subarray(needs.from[layer], needs.from[layer + 1]));

/** Sets above which pairs of them take more memory than they are worth: 12 MB. */
const mostSets = 10_000;
/** Pairs of sets that are compared between two yields: some 5 ms. */
const slice = 1_000_000;

/** All sets that hold with each layer those that it needs: what the antichains of PipeDream's graph stand for. `undefined`: too many. */
export function* graphStates(layers: PlannerLayers): Generator<void, States | undefined> {
  const dag = dagOfLayers(layers);
  const ideals = idealsOf(dag);
  if (ideals === undefined || ideals.count > mostSets) return undefined;
  const { count, sets, width } = ideals;
  const has = (set: number, layer: number): boolean => ((sets[set * width + (layer >>> 5)] >>> (layer & 31)) & 1) === 1;
  const times = secondsOf(layers);
  const between = (other: number, set: number): readonly number[] =>
    Array.from({ length: layers.count }, (_, layer) => layer).filter((layer) => has(set, layer) && !has(other, layer));
  const { recomputed } = layers;
  const [seconds, gradients, sent] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  for (let set = 0; set < count; set += 1) {
    for (let layer = 0; layer < layers.count; layer += 1) {
      if (!has(set, layer)) continue;
      seconds[set] += times[layer];
      gradients[set] += layers.gradients[layer];
      const { from, nodes } = dag.users;
      let leaves = false;
      for (let at = from[layer]; at < from[layer + 1] && !leaves; at += 1) leaves = !has(set, nodes[at]);
      if (leaves) sent[set] += layers.outputs[layer];
    }
  }
  const below: Int32Array[] = [];
  let compared = 0;
  for (let set = 0; set < count; set += 1) {
    const found: number[] = [];
    for (let other = 0; other < set; other += 1) {
      let word = 0;
      while (word < width && (sets[other * width + word] & ~sets[set * width + word]) === 0) word += 1;
      if (word === width) found.push(other);
    }
    below.push(Int32Array.from(found));
    compared += set;
    if (compared < slice) continue;
    compared = 0;
    yield;
  }
  return {
    count,
    seconds,
    gradients,
    sent,
    below,
    ...(recomputed === undefined
      ? {}
      : {
          again: {
            seconds: (other: number, set: number) => againOf(recomputed, between(other, set)),
            steps: layers.count,
          },
        }),
    between,
  };
}
