/** The search for cuts by memory: numbers only, so that another thread may find them. */
import type { Search } from '../../basics/searches.ts';
import { type DeviceLoad, type Load, loadOf } from './deviceLoads.ts';
import { fitCut } from './fitCut.ts';
import { column, columns, runFigures, type RunLayers } from './runFigures.ts';
import { type CutFigures, isLess, searchCut } from './searchCut.ts';

export interface MemoryCutProblem {
  readonly layers: RunLayers;
  /** Site of each stage. */
  readonly kinds: Int32Array;
  readonly loads: readonly DeviceLoad[];
  /** Shares up to this are all as good. */
  readonly bound: number;
  /** Orders of the layers to cut, each with a cut to start from, by first positions. */
  readonly seeds: readonly Seed[];
}

interface Seed {
  readonly order: Int32Array;
  readonly starts: Int32Array;
}

/** The cut of one order: share of the fullest device, seconds of the slowest stage, sum of squared seconds. */
export interface FoundCut extends Seed {
  readonly figures: CutFigures;
}

type Time = (stage: number, from: number, to: number) => number;

interface Costs {
  readonly loads: readonly Load[];
  readonly parts: number;
  readonly count: number;
  readonly bound: number;
  readonly time: Time;
}

/** The best cut of each order that is found; the given one where that is within the bound. */
export const memoryCutSearch: Search<MemoryCutProblem, readonly FoundCut[]> = {
  name: 'cut by memory',
  size({ kinds, loads, seeds }) {
    const count = seeds[0].order.length;
    const runs = loads.reduce((sum, { rows, stages }) => sum + stages.length * (1 + rows.length), 0);
    const sites = new Set(kinds).size;
    return seeds.length * count * count * (stepsOf.run * sites + stepsOf.cut * kinds.length + stepsOf.share * runs);
  },
  *steps({ layers, kinds, loads: devices, bound, seeds }) {
    const found: FoundCut[] = [];
    for (const { order, starts } of seeds) {
      const costs = costsOf({ layers, kinds, loads: devices, bound }, order);
      const { loads } = costs;
      const best = loads.every(({ stages }) => stages.length === 1) ? exact : searched;
      const cut = figuresOf(costs, starts)[0] <= bound ? starts : yield* best(costs, starts);
      found.push({ order, starts: cut, figures: figuresOf(costs, cut) });
    }
    return found;
  },
};

/** Steps for layers²: of one site's runs, of one stage's times, and of one row of a device's stage. */
const stepsOf = { run: 10, cut: 5, share: 1 };

/** What a cut of one order costs. */
export const cutFigures = (problem: Omit<MemoryCutProblem, 'seeds'>, { order, starts }: Seed): CutFigures =>
  figuresOf(costsOf(problem, order), starts);

function costsOf({ layers, kinds, loads, bound }: Omit<MemoryCutProblem, 'seeds'>, order: Int32Array): Costs {
  const runs = runFigures(layers, order);
  const [parts, count] = [kinds.length, order.length];
  return {
    loads: loads.map((device) => loadOf(device, runs, parts, count)),
    parts,
    count,
    bound,
    time: (stage, from, to) => runs(kinds[stage], from)[(to - from - 1) * columns + column.time],
  };
}

function figuresOf({ loads, count, time, bound }: Costs, cut: Int32Array): readonly [number, number, number] {
  const times = Array.from(cut, (start, stage) => time(stage, start, stage + 1 < cut.length ? cut[stage + 1] : count));
  const fullest = loads.reduce((most, load) => Math.max(most, bound, load.share(cut)), 0);
  return [fullest, Math.max(...times), times.reduce((sum, each) => sum + each * each, 0)];
}

/** For devices of one stage each: a stage's devices depend on its own layers alone. */
function exact({ loads, parts, count, time, bound }: Costs): Generator<void, Int32Array, void> {
  const loadsOf = Array.from({ length: parts }, (_, stage) => loads.filter(({ stages }) => stages[0] === stage));
  const starts = new Int32Array(parts + 1);
  const load = (stage: number, from: number, to: number): number => {
    starts[stage] = from;
    starts[stage + 1] = to;
    return loadsOf[stage].reduce((most, each) => Math.max(most, each.share(starts)), 0);
  };
  return fitCut({ count, parts, load, time }, bound);
}

/**
 * For stages that share devices, the better of two results of searching. One search starts from the cut by time, the other from
 * the exact cut that gives each stage an equal part of its device.
 */
function* searched(costs: Costs, byTime: Int32Array): Generator<void, Int32Array, void> {
  const { loads, parts, count, time, bound } = costs;
  const starts = new Int32Array(parts + 1);
  const loadsOf = Array.from({ length: parts }, (_, stage) => loads.filter(({ stages }) => stages.includes(stage)));
  const load = (stage: number, from: number, to: number): number => {
    starts[stage] = from;
    starts[stage + 1] = to;
    return loadsOf[stage].reduce((most, each) => Math.max(most, each.stages.length * each.share(starts, stage)), 0);
  };
  const figures = (cut: Int32Array) => figuresOf(costs, cut);
  const found: Int32Array[] = [];
  for (const seed of [byTime, yield* fitCut({ count, parts, load, time }, bound)]) {
    // The sum of high powers goes down where one of several equally full devices is relieved.
    const least = yield* searchCut(seed, count, (cut) => {
      const shares = loads.map((each) => Math.max(bound, each.share(cut)));
      return [Math.max(...shares), shares.reduce((sum, share) => sum + share ** 8, 0)];
    });
    const [most] = figures(least);
    found.push(
      yield* searchCut(least, count, (cut) => {
        const [share, ...rest] = figures(cut);
        return [Math.max(most, share), ...rest];
      }),
    );
  }
  const [first, second] = found.map(figures);
  return found[isLess(second, first) ? 1 : 0];
}
