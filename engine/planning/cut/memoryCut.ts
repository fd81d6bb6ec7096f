/** Cuts by memory: `balance(n, by = memory)` and `balance(n, by = both)`. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import { staticBytes, walkMemory } from '../../order/memoryWalk.ts';
import type { Program } from '../../program.ts';
import { count } from '../../quantities.ts';
import { fitCut } from './fitCut.ts';
import { type CutFigures, isLess, searchCut } from './searchCut.ts';
import type { PipelinePlan } from '../../plan.ts';
import { balancedStarts } from './balancedStarts.ts';
import type { OrderedCut } from './balanceCut.ts';
import { copyEdges } from '../place/copies.ts';
import { heldFigures, heldRows } from './heldRows.ts';
import { totalTime } from '../cost/layerCosts.ts';
import type { Site, SitedRanks } from '../place/sites.ts';
import { runFigures, type RunRequest, type RunsOf } from './runFigures.ts';
import { bufferBytes } from '../cost/stagePlans.ts';

/** Stages × layers² and layers up to here: the figures of that many runs are looked at, in about a second. */
const tableLimit = 4_000_000;
const layerLimit = 500;

/** Orders of a graph's layers that are looked at besides that of the cut by time, where there are few figures. */
const mostOrders = 4;

export interface MemoryCutRequest extends RunRequest {
  readonly ranks: SitedRanks;
  /** Of each stage of the cut, by its first copy. */
  readonly kinds: readonly Site[];
  /** Pieces that the schedule cuts every microbatch into. */
  readonly parts: number;
  readonly interleaved: boolean;
  /** The cut by time. */
  readonly byTime: OrderedCut;
  /** Orders of the layers that may have a good cut, at most so many. */
  orders(most: number): readonly Int32Array[];
  /** The plan of a cut and its order; `undefined` where it cannot be planned or ordered. */
  trial(cut: OrderedCut): Trial | undefined;
}

/** A cut on trial: what it would be planned as, and in which order its operations would run. */
export interface Trial {
  readonly plan: PipelinePlan;
  readonly program: Program;
}

/** A device and the stages of the cut on it: what a cut costs it. */
interface Load {
  readonly stages: readonly number[];
  /** Share of its capacity that it takes at most, under a cut given by first layers; `only` as if it had that stage alone. */
  share(starts: ArrayLike<number>, only?: number): number;
}

/**
 * First layer of each stage, such that the fullest device takes the least share of its capacity (`memory`), or such that the
 * slowest stage is as fast as can be while all devices fit (`both`; where none do, as for `memory`). Exact where each device has
 * one stage of the cut and for few cuts; else the best that `searchCut` finds. Layers that can stand in several orders are cut in a
 * few of them, and the best is taken. Where the order follows from times or sizes too, it
 * is that of the cut by time which counts. The cut by time where it is as good, and, with a finding, where
 * what devices hold follows from more than the order.
 */
export function memoryCut(notes: Notes, pipeline: SettledPipeline, request: MemoryCutRequest): OrderedCut {
  const { byTime, order, kinds } = request;
  if (pipeline.cut.kind !== 'balance' || pipeline.cut.by === 'time') return byTime;
  const both = pipeline.cut.by === 'both';
  const first = request.trial(byTime);
  // Why there is no program is reported where the plan is run.
  if (first === undefined) return byTime;
  const { plan, program } = first;
  const reason = reasonAgainst(pipeline, program, order.length);
  if (reason !== undefined) {
    notes.report.report('key/not-applicable', pipeline.cut.at, { key: `by = ${pipeline.cut.by}`, reason });
    return byTime;
  }
  const bound = both ? 1 : 0;
  const cutIn = (order: Int32Array, starts?: Int32Array): Found => {
    const runs = runFigures({ ...request, order });
    const loads = loadsOf({ ...request, order }, plan, program, runs);
    const time = (stage: number, from: number, to: number) => runs(kinds[stage], from, to).time;
    const figures = (cut: Int32Array) => figuresOf(loads, cut, order.length, time, bound);
    const best = loads.every(({ stages }) => stages.length === 1) ? exact : searched;
    const seed =
      starts ??
      balancedStarts(order, kinds, (element, kind) => totalTime(request.costs.of(element, kind, request.mode)));
    const cut = figures(seed)[0] <= bound ? seed : best(loads, kinds.length, order.length, time, bound, seed);
    return { order, starts: cut, figures: figures(cut), seed: figures(seed) };
  };
  const inTime = cutIn(byTime.order, byTime.starts);
  const [least] = inTime.seed;
  if (least <= bound) return byTime;
  const others = request
    .orders(Math.min(mostOrders, Math.floor(tableLimit / (kinds.length * order.length ** 2))))
    .filter((candidate) => candidate.some((element, position) => element !== byTime.order[position]))
    .map((each) => cutIn(each));
  // The first of equally good ones that holds what it promises.
  const found = [inTime, ...others]
    .filter(({ figures }) => figures[0] < least)
    .sort((a, b) => Number(isMuchLess(b.figures, a.figures)) - Number(isMuchLess(a.figures, b.figures)))
    .find((cut) => !worsens(request, first, cut));
  return found ?? byTime;
}

/** The cut by memory of one order. */
interface Found extends OrderedCut {
  /** Share of the fullest device, seconds of the slowest stage, sum of squared seconds; of the cut, and of that by time. */
  readonly figures: CutFigures;
  readonly seed: CutFigures;
}

/** Whether figures are better than others by more than rounding. */
const isMuchLess = (one: CutFigures, other: CutFigures): boolean =>
  isLess(
    one.map((figure, index) => (Math.abs(figure - other[index]) <= 1e-12 * other[index] ? other[index] : figure)),
    other,
  );

function figuresOf(
  loads: readonly Load[],
  cut: Int32Array,
  count: number,
  time: Time,
  bound: number,
): readonly [number, number, number] {
  const times = Array.from(cut, (start, stage) => time(stage, start, stage + 1 < cut.length ? cut[stage + 1] : count));
  const fullest = loads.reduce((most, load) => Math.max(most, bound, load.share(cut)), 0);
  return [fullest, Math.max(...times), times.reduce((sum, each) => sum + each * each, 0)];
}

type Time = (stage: number, from: number, to: number) => number;

/**
 * Whether the cut that was found fills a device more than the cut by time once both are planned: the order may follow from times too,
 * and a tensor that several later stages need is counted once by the search.
 */
function worsens(request: MemoryCutRequest, before: Trial, cut: OrderedCut): boolean {
  const after = request.trial(cut);
  return after === undefined || plannedShare(after) > plannedShare(before) * (1 + 1e-12);
}

/** Largest share of its capacity that a device takes. */
function plannedShare({ plan, program }: Trial): number {
  let share = 0;
  for (const [device, { memory, reserved }] of plan.devices.entries()) {
    let most = 0;
    walkMemory(plan, program, device, (_position, _width, activations, workspace) => {
      most = Math.max(most, activations + workspace);
    });
    share = Math.max(share, (staticBytes(plan, device) + most) / Math.max(1, memory - reserved));
  }
  return share;
}

/** For devices of one stage each: a stage's devices depend on its own layers alone. */
function exact(loads: readonly Load[], parts: number, count: number, time: Time, bound: number): Int32Array {
  const of = Array.from({ length: parts }, (_, stage) => loads.filter(({ stages }) => stages[0] === stage));
  const starts = new Int32Array(parts + 1);
  const load = (stage: number, from: number, to: number): number => {
    starts[stage] = from;
    starts[stage + 1] = to;
    return of[stage].reduce((most, each) => Math.max(most, each.share(starts)), 0);
  };
  return fitCut({ count, parts, load, time }, bound);
}

/**
 * For stages that share devices: from the cut by time, and from the exact cut that gives each stage an equal part of its device,
 * the better of the two that searching finds.
 */
function searched(
  loads: readonly Load[],
  parts: number,
  count: number,
  time: Time,
  bound: number,
  byTime: Int32Array,
): Int32Array {
  const starts = new Int32Array(parts + 1);
  const of = Array.from({ length: parts }, (_, stage) => loads.filter(({ stages }) => stages.includes(stage)));
  const load = (stage: number, from: number, to: number): number => {
    starts[stage] = from;
    starts[stage + 1] = to;
    return of[stage].reduce((most, each) => Math.max(most, each.stages.length * each.share(starts, stage)), 0);
  };
  const figures = (cut: Int32Array) => figuresOf(loads, cut, count, time, bound);
  const found = [byTime, fitCut({ count, parts, load, time }, bound)].map((seed) => {
    // The sum of high powers goes down where one of several equally full devices is relieved.
    const least = searchCut(seed, count, (cut) => {
      const shares = loads.map((each) => Math.max(bound, each.share(cut)));
      return [Math.max(...shares), shares.reduce((sum, share) => sum + share ** 8, 0)];
    });
    const [most] = figures(least);
    return searchCut(least, count, (cut) => {
      const [share, ...rest] = figures(cut);
      return [Math.max(most, share), ...rest];
    });
  });
  const [first, second] = found.map(figures);
  return found[isLess(second, first) ? 1 : 0];
}

/** Why the order alone does not say what devices hold, or why there are too many cuts. */
function reasonAgainst({ use, cut }: SettledPipeline, program: Program, layers: number): string | undefined {
  const name = use.kind === 'policy' ? use.policy.name : use.definition.name;
  if (program.weights !== undefined)
    return `"${name}" keeps older versions of the weights, which a cut by memory ignores; the cut is by time`;
  if (use.kind === 'policy' && use.policy.partners !== undefined)
    return `"${name}" moves activations to other devices, which a cut by memory ignores; the cut is by time`;
  if (cut.count * layers ** 2 <= tableLimit && layers <= layerLimit) return undefined;
  return `${count(layers, 'layer', 'layers')} have too many cuts into ${count(cut.count, 'stage', 'stages')} to try them by memory; the cut is by time`;
}

function loadsOf(request: MemoryCutRequest, plan: PipelinePlan, program: Program, runs: RunsOf): readonly Load[] {
  const { ranks, parts, order } = request;
  const number = (index: number) => ranks.copies?.[index].stage ?? index;
  const buffers = bufferShares(request);
  return ranks.ranks.map(({ kind }, device) => {
    const here = ranks.placement.flatMap((rank, index) => (rank === device ? [index] : []));
    const stages = [...new Set(here.map(number))].sort((a, b) => a - b);
    // What no layer has needs no column. Of a stage that is one checkpoint, what is kept depends on where it starts.
    const whole = runs(kind, 0, order.length).held;
    const counted = request.mode === 'stage' ? heldFigures : heldFigures.filter((figure) => whole[figure] > 0);
    const width = counted.length;
    const rows = heldRows(plan, program, device, stages, parts, counted);
    const sum = (stage: number, of: (index: number) => number) =>
      here.reduce((total, index) => total + (number(index) === stage ? of(index) : 0), 0);
    const owned = stages.map((stage) => sum(stage, (index) => ((ranks.copies?.[index].segment ?? 0) === 0 ? 1 : 0)));
    const entering = stages.map((stage) => sum(stage, (index) => buffers.entering[index]));
    const leaving = stages.map((stage) => sum(stage, (index) => buffers.leaving[index]));
    const capacity = Math.max(1, plan.devices[device].memory - plan.devices[device].reserved);
    const figures = new Float64Array(stages.length * width);
    return {
      stages,
      share(starts, only) {
        let always = 0;
        for (const [at, stage] of stages.entries()) {
          if (only !== undefined && only !== stage) {
            figures.fill(0, at * width, (at + 1) * width);
            continue;
          }
          const to = stage + 1 < request.kinds.length ? starts[stage + 1] : order.length;
          const run = runs(kind, starts[stage], to);
          always += owned[at] * run.static + entering[at] * run.entering + leaving[at] * run.leaving;
          for (let column = 0; column < width; column += 1) figures[at * width + column] = run.held[counted[column]];
        }
        let most = 0;
        for (const row of rows) {
          let held = 0;
          for (let column = 0; column < row.length; column += 1) held += row[column] * figures[column];
          if (held > most) most = held;
        }
        return (always + most) / capacity;
      },
    };
  });
}

/** For each stage of the plan, how many bytes of buffers it has for a byte from the stage before and for one to the stage behind. */
function bufferShares({ ranks, parts, interleaved, kinds }: MemoryCutRequest): {
  readonly entering: Float64Array;
  readonly leaving: Float64Array;
} {
  const entering = new Float64Array(ranks.placement.length);
  const leaving = new Float64Array(ranks.placement.length);
  for (let stage = 1; stage < kinds.length; stage += 1) {
    const edge = [{ from: stage - 1, to: stage, bytes: 1 / parts }];
    const edges = ranks.copies === undefined ? edge : copyEdges(edge, ranks.copies);
    for (const [index, bytes] of bufferBytes({ edges, ranks, interleaved }).entries()) {
      if ((ranks.copies?.[index].stage ?? index) === stage) entering[index] += bytes;
      else leaving[index] += bytes;
    }
  }
  return { entering, leaving };
}
