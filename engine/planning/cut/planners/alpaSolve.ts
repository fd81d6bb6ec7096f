/** The least sum of stage times of any plan whose stages are all below a time: the dynamic program of `plan(alpa)`. */
import type { AlpaMesh } from './alpaProblem.ts';
import type { AlpaRuns } from './alpaRuns.ts';

/** Layers `from` to `to` (exclusive) on a mesh, by its number. */
export interface AlpaStage {
  readonly from: number;
  readonly to: number;
  readonly mesh: number;
}

export interface AlpaPlan {
  readonly stages: readonly AlpaStage[];
  /** Seconds of all stages, and of the slowest one. */
  readonly sum: number;
  readonly slowest: number;
}

/** Steps that all searches of a plan may take together, and how many they took. */
export interface AlpaWork {
  done: number;
  /** Steps done when the last pause was made. */
  paused: number;
  readonly budget: number;
}

interface Question {
  /** Seconds of the slowest stage at most. */
  readonly limit: number;
  /** The sum must be below this. */
  readonly below: number;
}

/** Steps between two pauses: some 5 ms. */
const slice = 4_000_000;
/** Sums of the same layers differ in their last digits. */
const rounding = 1e-9;

export type AlpaSolver = (question: Question, work: AlpaWork) => Generator<void, AlpaPlan | 'none' | 'stopped'>;

/**
 * Alpa's F(s, k, d; t) (Zheng et al., 2022, equation 3), from the last layer to the first: the stages from layer k on that use
 * exactly d devices. Memory asks for s, the number of those stages. It is counted up to the largest number that any run asks for;
 * beyond, only runs that fit anywhere are left. A state is left out if the layers
 * before it take more time than is left, or more device-seconds than the remaining devices have. Both are at their least, so no
 * plan is lost.
 */
export function alpaSolver(runs: AlpaRuns, meshes: readonly AlpaMesh[], devices: number): AlpaSolver {
  const { count, stride, seconds, fits, most, least, work: deviceSeconds } = runs;
  const width = devices + 1;
  let asked = 0;
  for (const stages of fits) if (stages < most) asked = Math.max(asked, stages);
  const levels = asked + 1;
  const best = new Float64Array((count + 1) * width * levels);
  const next = new Int32Array(best.length);
  const taken = new Int16Array(best.length);
  const order = meshes.map((_, mesh) => mesh).sort((a, b) => meshes[a].devices - meshes[b].devices);

  return function* solve({ limit, below }, work) {
    best.fill(Infinity);
    best[count * width * levels] = 0;
    /** Devices that the layers from `at` on may have. */
    const fewest = (at: number): number =>
      at === count ? 0 : Math.max(1, Math.ceil(((deviceSeconds[count] - deviceSeconds[at]) / limit) * (1 - rounding)));
    const mostOf = (at: number): number =>
      at === 0 ? devices : devices - Math.max(1, Math.ceil((deviceSeconds[at] / limit) * (1 - rounding)));
    for (let from = count - 1; from >= 0; from -= 1) {
      const low = from === 0 ? devices : fewest(from);
      const high = mostOf(from);
      const under = below - least[from] * (1 - rounding);
      for (let to = from + 1; to <= count && low <= high; to += 1) {
        if ((least[to] - least[from]) * (1 - rounding) > limit) break;
        const [first, last] = [fewest(to), to === count ? 0 : mostOf(to)];
        for (const mesh of order) {
          const place = mesh * stride + from * (count + 1) + to;
          const time = seconds[place];
          const room = fits[place];
          if (!(time <= limit) || room === 0) continue;
          const size = meshes[mesh].devices;
          const end = Math.min(high, last + size);
          // A run that fits with s stages left goes in front of at most s − 1.
          const before = room >= most ? asked : Math.min(asked, room - 1);
          work.done += 4 + Math.max(0, end - Math.max(low, first + size) + 1) * (before + 1);
          for (let used = Math.max(low, first + size); used <= end; used += 1) {
            const rest = (to * width + used - size) * levels;
            const here = (from * width + used) * levels;
            for (let stages = 0; stages <= before; stages += 1) {
              const sum = best[rest + stages] + time;
              const at = here + (stages < asked ? stages + 1 : asked);
              if (sum < best[at] && sum < under) {
                best[at] = sum;
                next[at] = to * levels + stages;
                taken[at] = mesh;
              }
            }
          }
        }
      }
      if (work.done > work.budget) return 'stopped';
      if (work.done < work.paused + slice) continue;
      work.paused = work.done;
      yield;
    }
    let at = devices * levels;
    for (let stages = 1; stages <= asked; stages += 1)
      if (best[devices * levels + stages] < best[at]) at = devices * levels + stages;
    const sum = best[at];
    if (!(sum < below)) return 'none';
    const stages: AlpaStage[] = [];
    let slowest = 0;
    for (let from = 0, used = devices; from < count;) {
      const mesh = taken[at];
      const to = Math.floor(next[at] / levels);
      stages.push({ from, to, mesh });
      slowest = Math.max(slowest, seconds[mesh * stride + from * (count + 1) + to]);
      used -= meshes[mesh].devices;
      at = (to * width + used) * levels + (next[at] % levels);
      from = to;
    }
    return { stages, sum, slowest };
  };
}
