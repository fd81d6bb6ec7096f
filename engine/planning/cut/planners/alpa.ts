/** Alpa's pass between operators: stages and submeshes whose pipeline takes the least time. */
import type { AlpaMesh, AlpaProblem } from './alpaProblem.ts';
import { type AlpaRuns, alpaRuns } from './alpaRuns.ts';
import { type AlpaPlan, alpaSolver, type AlpaWork } from './alpaSolve.ts';
import type { Planned } from './layers.ts';

/** Runs of layers on all meshes above which their table takes more than some 80 MB. */
const runLimit = 8_000_000;
/** Steps of all dynamic programs: about two seconds. */
const budget = 1_200_000_000;
/** Stage times that differ by less than this share are equal but for rounding. */
const rounding = 1e-12;

export const alpaInTime = (layers: number, meshes: number, devices: number): boolean =>
  layers * layers * meshes <= runLimit && layers * devices <= 200_000;

/** About how many elementary steps of 20 ns a search takes. */
export const alpaSize = ({ order, meshes }: AlpaProblem): number =>
  order.length ** 2 * meshes.length * 20 + Math.min(budget / 10, order.length ** 2 * meshes.length * 100);

/** Why there is no plan: none fills the devices, each that does needs more memory, or the budget ended before one was found. */
export type AlpaAnswer = Planned | { readonly none: 'ranks' | 'memory' | 'budget' };

/** Stages whose slowest takes at least `low` and less than `high`; `sum`: no plan of these has a smaller sum. */
interface Interval {
  readonly low: number;
  readonly high: number;
  readonly sum: number;
}

/**
 * The plan of least Σ tᵢ + (B − 1) · max tᵢ (Zheng et al., "Alpa" (2022), section 5.2). The paper tries all values of the slowest
 * stage. Here an interval of them is solved once at its top: its sum bounds all values below. It is split while that bound is
 * below the best plan, so the result is the same. If the budget ends first, `exact` is false.
 */
export function* alpaSteps(problem: AlpaProblem, most = budget): Generator<void, AlpaAnswer> {
  const runs = yield* alpaRuns(problem);
  const found = yield* search(problem, runs, most);
  if (!('none' in found) || found.none === 'budget') return found;
  // Without a limit of memory any plan does: one solution says whether there is one.
  const unlimited = { ...runs, fits: runs.fits.map(() => runs.most) };
  const free = alpaSolver(unlimited, problem.meshes, problem.devices);
  const any = yield* free({ limit: Infinity, below: Infinity }, { done: 0, paused: 0, budget: Infinity });
  return { none: any === 'none' ? 'ranks' : 'memory' };
}

function* search(problem: AlpaProblem, runs: AlpaRuns, most: number): Generator<void, AlpaAnswer> {
  const { microbatches, meshes, devices, chain } = problem;
  const work: AlpaWork = { done: 0, paused: 0, budget: most };
  const turns = microbatches - 1;
  const solve = alpaSolver(runs, meshes, devices);
  let best: AlpaPlan | undefined;
  let seconds = Infinity;
  const keep = (plan: AlpaPlan): void => {
    const found = plan.sum + turns * plan.slowest;
    if (found < seconds) [best, seconds] = [plan, found];
  };
  // Runs that fit wherever they are make a first plan without counting stages.
  const anywhere = alpaSolver(fittingAnywhere(runs), meshes, devices);
  const first = yield* anywhere({ limit: Infinity, below: Infinity }, { done: 0, paused: 0, budget: Infinity });
  if (typeof first === 'object') keep(first);
  const floor = leastSlowest(runs, devices);
  const pending: Interval[] = [{ low: floor, high: Infinity, sum: runs.least[runs.count] }];
  let stopped = false;
  for (let interval = pending.pop(); interval !== undefined; interval = pending.pop()) {
    const { low, sum } = interval;
    const high = turns === 0 ? interval.high : Math.min(interval.high, (seconds - sum) / turns);
    if (!(low < high) || sum + turns * low >= seconds * (1 - rounding)) continue;
    const plan = yield* solve({ limit: high, below: seconds - turns * low }, work);
    if (plan === 'stopped') {
      pending.push(interval);
      stopped = true;
      break;
    }
    if (plan === 'none') continue;
    keep(plan);
    const top = plan.slowest * (1 - rounding);
    if (turns === 0 || top <= low) continue;
    const middle = (low + top) / 2;
    // The lower half is solved first: with many microbatches the best plans are there.
    pending.push({ low: middle, high: top, sum: plan.sum }, { low, high: middle, sum: plan.sum });
  }
  if (best === undefined) return { none: stopped ? 'budget' : 'memory' };
  const open = pending.reduce((least, { low, sum }) => Math.min(least, sum + turns * low), seconds);
  // Another order of the layers may have a better plan, unless even the least of each layer takes as long.
  const anyOrder = runs.least[runs.count] + turns * floor;
  const least = chain ? open : Math.min(open, anyOrder);
  return {
    stages: placed(best, problem),
    seconds,
    exact: !stopped && least >= seconds * (1 - 1e-9),
    least: Math.min(seconds, least),
  };
}

/** The same runs, of which none fits that does not fit in front of any number of stages. */
const fittingAnywhere = (runs: AlpaRuns): AlpaRuns => ({
  ...runs,
  fits: runs.fits.map((stages) => (stages < runs.most ? 0 : stages)),
});

/** Seconds that the slowest stage takes at least: its share of all work, or the largest layer. */
function leastSlowest({ count, least, work }: AlpaRuns, devices: number): number {
  let slowest = work[count] / devices;
  for (let layer = 0; layer < count; layer += 1) slowest = Math.max(slowest, least[layer + 1] - least[layer]);
  return slowest * (1 - 1e-9);
}

/**
 * Devices of each stage: the largest submeshes first, so that none spans a part of two nodes (appendix A of the paper). Sizes
 * inside a node are powers of two, larger ones whole nodes.
 */
function placed({ stages }: AlpaPlan, { meshes }: AlpaProblem): Planned['stages'] {
  const size = (mesh: number): AlpaMesh['devices'] => meshes[mesh].devices;
  const firsts = new Int32Array(stages.length);
  let next = 0;
  for (const { index, mesh } of stages
    .map((stage, at) => ({ ...stage, index: at }))
    .toSorted((a, b) => size(b.mesh) - size(a.mesh) || a.index - b.index)) {
    firsts[index] = next;
    next += size(mesh);
  }
  return stages.map(({ from, to, mesh }, stage) => ({
    from,
    to,
    replicas: 1,
    machines: Array.from({ length: size(mesh) }, (_, offset) => firsts[stage] + offset),
    ranks: { tensor: meshes[mesh].tensor, data: meshes[mesh].data },
  }));
}
