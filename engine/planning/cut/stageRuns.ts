/** Seconds of runs of consecutive layers, each as it would be as a stage. */
import { recomputesBlock, type SomeLayers } from '../../costs/recompute.ts';

/** Layers of which every stage recomputes some, counted from where the stage starts. Plain data. */
export interface RecomputedLayers {
  /** `block` or `every`; under `uniform` a stage recomputes all of its blocks, wherever it starts. */
  readonly some: SomeLayers;
  /** By position: 1 for a block: a layer that can be recomputed. */
  readonly blocks: Uint8Array;
  /** By position: by how much a layer takes longer if it is recomputed. */
  readonly seconds: Float64Array;
}

/** Seconds of the layers from `from` to `to` (exclusive) as a stage. One more layer at the end never makes it faster. */
export type RunSeconds = (from: number, to: number) => number;

/** `times`: of each layer, without what `recomputed` adds. O(1) for each run. */
export function runSeconds(times: Float64Array, recomputed?: RecomputedLayers): RunSeconds {
  const sums = new Float64Array(times.length + 1);
  for (const [index, time] of times.entries()) sums[index + 1] = sums[index] + time;
  if (recomputed === undefined) return (from, to) => sums[to] - sums[from];
  const again = secondsAgain(recomputed);
  return (from, to) => sums[to] - sums[from] + again(from, to);
}

/** Seconds that a run takes longer since it recomputes some of its layers. */
export function secondsAgain({ some: { method, layers }, blocks, seconds }: RecomputedLayers): RunSeconds {
  /** Blocks before each position. */
  const before = new Int32Array(blocks.length + 1);
  const ofBlock: number[] = [];
  for (const [position, counts] of blocks.entries()) {
    before[position + 1] = before[position] + counts;
    if (counts === 1) ofBlock.push(seconds[position]);
  }
  // Sums of each block and those before it at distances of `stride`.
  const stride = method === 'every' ? Math.min(layers, ofBlock.length + 1) : 1;
  const sums = new Float64Array(ofBlock.length + stride);
  for (const [block, time] of ofBlock.entries()) sums[block + stride] = sums[block] + time;
  if (method === 'every')
    return (from, to) => {
      const first = before[from];
      return sums[before[to] - ((before[to] - first) % stride) + stride - 1] - sums[first + stride - 1];
    };
  return (from, to) => sums[Math.min(before[to], before[from] + layers)] - sums[before[from]];
}

/** The same of any layers that make a stage, by their positions, ascending. */
export function againOf({ some, blocks, seconds }: RecomputedLayers, layers: readonly number[]): number {
  let [counted, sum] = [0, 0];
  for (const layer of layers) {
    counted += blocks[layer];
    if (blocks[layer] === 1 && recomputesBlock(some, counted)) sum += seconds[layer];
  }
  return sum;
}
