/** Seconds and bytes of every run of layers as a stage, on every kind of device. */
import { column, columns, runFigures } from '../runFigures.ts';
import { savedFrom } from '../sharedEmbeddings.ts';
import type { HeldAtOnce, HetpipeProblem } from './hetpipeProblem.ts';
import { runningSums } from './layers.ts';

/** Of layers `from` to `to` (exclusive) on a site, at `from · (count + 1) + to`. */
export interface SiteRuns {
  /** Seconds of one microbatch, there and back. */
  readonly seconds: Float64Array;
  /** Bytes of one microbatch from the layers before, and to the layers behind. */
  readonly entering: Float64Array;
  readonly leaving: Float64Array;
  /** Bytes that a stage holds whatever runs: state and buffers. Then bytes of each microbatch, of a backward, and of any operation. */
  readonly always: Float64Array;
  readonly activation: Float64Array;
  readonly recomputed: Float64Array;
  readonly workspace: Float64Array;
  readonly update: Float64Array;
  /** Sums over the first layers. */
  readonly weights: Float64Array;
}

/** Pauses after each first layer. */
export function* hetpipeRuns({ layers, weights, order, copies }: HetpipeProblem): Generator<void, readonly SiteRuns[]> {
  const count = order.length;
  const size = count * (count + 1);
  const made: SiteRuns[] = [];
  for (const site of layers.sites.keys()) {
    const [seconds, entering, leaving, always] = [0, 0, 0, 0].map(() => new Float64Array(size));
    const [activation, recomputed, workspace, update] = [0, 0, 0, 0].map(() => new Float64Array(size));
    const runs = runFigures(layers, order);
    for (let from = 0; from < count; from += 1) {
      const figures = runs(site, from);
      const saved = copies === undefined ? undefined : savedFrom(copies[site], from);
      for (let to = from + 1, at = 0; to <= count; to += 1, at += columns) {
        const place = from * (count + 1) + to;
        seconds[place] = figures[at + column.time];
        entering[place] = figures[at + column.entering];
        leaving[place] = figures[at + column.leaving];
        always[place] =
          figures[at + column.static] - (saved?.bytes[to - from - 1] ?? 0) + entering[place] + leaving[place];
        activation[place] = figures[at + column.held];
        recomputed[place] = figures[at + column.held + 2];
        workspace[place] = figures[at + column.held + 4];
        update[place] = figures[at + column.update];
      }
      yield;
    }
    const sums = runningSums(weights[site]);
    made.push({ seconds, entering, leaving, always, activation, recomputed, workspace, update, weights: sums });
  }
  return made;
}

/** The most bytes that a stage of these layers holds at a time. */
export function peakOf(runs: SiteRuns, held: readonly HeldAtOnce[], from: number, to: number, count: number): number {
  const place = from * (count + 1) + to;
  const version = runs.weights[to] - runs.weights[from];
  let most = runs.update[place];
  for (const { microbatches, versions, backward } of held) {
    const bytes =
      microbatches * runs.activation[place] +
      (backward ? runs.recomputed[place] : 0) +
      runs.workspace[place] +
      versions * version;
    if (bytes > most) most = bytes;
  }
  return runs.always[place] + most;
}
