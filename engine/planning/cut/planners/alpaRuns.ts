/** Seconds and memory of every run of layers as a stage, on every mesh. */
import { column, columns, runFigures } from '../runFigures.ts';
import { savedFrom } from '../sharedEmbeddings.ts';
import type { AlpaProblem } from './alpaProblem.ts';
import { runningSums } from './layers.ts';

/** Entries are at `mesh · stride + from · (count + 1) + to` for layers `from` to `to` (exclusive). */
export interface AlpaRuns {
  readonly count: number;
  readonly stride: number;
  /** Seconds of one microbatch: its forward, its backward, and its share of the exchange of gradients. */
  readonly seconds: Float64Array;
  /** Most stages that may be left from this one on so that it fits its memory; 0: it never fits. */
  readonly fits: Int16Array;
  /** Stages of any plan at most. */
  readonly most: number;
  /** By layer, sums of what it takes at least: seconds on any mesh, and seconds times devices. */
  readonly least: Float64Array;
  readonly work: Float64Array;
}

const [activation, recomputed, workspace] = [column.held, column.held + 2, column.held + 4];

/** Pauses after each first layer. */
export function* alpaRuns(problem: AlpaProblem): Generator<void, AlpaRuns> {
  const { layers, order, microbatches, devices, meshes, held } = problem;
  const count = order.length;
  const most = Math.min(count, devices);
  const stride = count * (count + 1);
  const seconds = new Float64Array(meshes.length * stride).fill(Infinity);
  const fits = new Int16Array(seconds.length);
  const [least, work] = [new Float64Array(count).fill(Infinity), new Float64Array(count).fill(Infinity)];
  for (const [index, mesh] of meshes.entries()) {
    const { latency, perParameter, exchanged, copies } = mesh;
    const parameters = runningSums(exchanged);
    const exchange = (sent: number): number => (sent > 0 ? (latency + sent * perParameter) / microbatches : 0);
    const { costs, costOf } = layers.sites[index];
    for (const [at, element] of order.entries()) {
      const { forward, backwardInput, backwardWeight, recompute } = costs[costOf[element]];
      const alone = forward + backwardInput + backwardWeight + recompute;
      const own = Math.max(0, exchanged[at] - (copies?.parameters[at] ?? 0));
      const whole = alone + (own * perParameter) / microbatches;
      least[at] = Math.min(least[at], whole);
      work[at] = Math.min(work[at], whole * mesh.devices);
    }
    // Figures of all runs of a mesh are made anew, since together they would take ten times the room.
    const runs = runFigures(layers, order);
    for (let from = 0; from < count; from += 1) {
      const figures = runs(index, from);
      const saved = copies === undefined ? undefined : savedFrom(copies, from);
      for (let to = from + 1, at = 0; to <= count; to += 1, at += columns) {
        const place = index * stride + from * (count + 1) + to;
        seconds[place] =
          figures[at + column.time] +
          exchange(parameters[to] - parameters[from] - (saved?.parameters[to - from - 1] ?? 0));
        const room = from === 0 && to === count ? mesh.alone : mesh.capacity;
        const state = figures[at + column.static] - (saved?.bytes[to - from - 1] ?? 0);
        const always = state + figures[at + column.entering] + figures[at + column.leaving];
        const working = figures[at + recomputed] + figures[at + workspace];
        const bytes = (stages: number): number =>
          always + Math.max(figures[at + column.update], held[stages - 1] * figures[at + activation] + working);
        // Each later stage has a layer and a device at least.
        const last = Math.min(most, count - to + 1, devices - mesh.devices + 1);
        let stages = last;
        while (stages > 0 && bytes(stages) > room) stages -= 1;
        fits[place] = stages === last ? most : stages;
      }
      yield;
    }
  }
  return { count, stride, seconds, fits, most, least: runningSums(least), work: runningSums(work) };
}
