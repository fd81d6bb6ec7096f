/** Cuts by memory: `balance(n, by = memory)` and `balance(n, by = both)`. */
import { someLayersIn } from '../../costs/recompute.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import type { MessageRoom } from '../cost/messageRoom.ts';
import { mostHeld } from '../../order/memory/most.ts';
import { staticBytes, updateBytes } from '../../order/memory/walk.ts';
import type { Program } from '../../values/program.ts';
import { count } from '../../basics/quantities.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { type OrderedCut, startsInOrder } from './balanceCut.ts';
import { deviceLoads } from './deviceLoads.ts';
import { cutFigures, type MemoryCutProblem, memoryCutSearch } from './memoryCutSearch.ts';
import { runFigures, runLayers, type RunRequest } from './runFigures.ts';
import { type CutFigures, isLess } from './searchCut.ts';
import { stageSeconds } from './stageSeconds.ts';
import type { Site, SitedRanks } from '../place/sites.ts';

/** Stages × layers² and layers up to here: the figures of that many runs are looked at, in some tenths of a second. */
const tableLimit = 4_000_000;
const layerLimit = 500;

/** Orders of a graph's layers that are looked at in addition to the order of the cut by time, if there are few figures. */
const mostOrders = 4;

export interface MemoryCutRequest extends RunRequest {
  readonly ranks: SitedRanks;
  /** Of each stage of the cut, by its first copy. */
  readonly kinds: readonly Site[];
  /** Pieces that the schedule cuts every microbatch into. */
  readonly parts: number;
  readonly room: MessageRoom;
  /** The cut by time. */
  readonly byTime: OrderedCut;
  /** Orders of the layers that may have a good cut, at most `most`. */
  orders(most: number): readonly Int32Array[];
  /** The plan of a cut and its order, in steps; `undefined` if the order is being found elsewhere. */
  trial(cut: OrderedCut): Generator<void, Trial | undefined, void>;
}

/** A cut on trial; empty where it cannot be planned or ordered. */
export interface Trial {
  readonly ordered?: OrderedPlan;
}

/** What a cut would be planned as, and in which order its operations would run. */
interface OrderedPlan {
  readonly plan: PipelinePlan;
  readonly program: Program;
}

/**
 * First layer of each stage. For `memory`, the fullest device takes the least share of its capacity. For `both`, the slowest
 * stage is as fast as can be while all devices fit; if no cut fits, as for `memory`. Exact if each device has one stage of the
 * cut, and for few cuts. Otherwise the best that `searchCut` finds. Layers with several possible orders are cut in a few of them,
 * and the best is taken. If the order of operations follows from times or sizes too, the order for the cut by time is used. The
 * result is the cut by time if that is as good. It is also the cut by time, with a finding, if what devices hold follows from
 * more than the order. In steps; `undefined` if an answer is being found elsewhere.
 */
export function* memoryCut(
  notes: Notes,
  pipeline: SettledPipeline,
  request: MemoryCutRequest,
): Generator<void, OrderedCut | undefined, void> {
  const { byTime, order } = request;
  if (pipeline.cut.kind !== 'balance' || pipeline.cut.by === 'time') return byTime;
  const first = yield* request.trial(byTime);
  if (first === undefined) return undefined;
  // Why there is no program is reported where the plan is run.
  if (first.ordered === undefined) return byTime;
  const reason = reasonAgainst(pipeline, first.ordered.program, order.length);
  if (reason !== undefined) {
    notes.report.report('key/not-applicable', pipeline.cut.at, { key: `by = ${pipeline.cut.by}`, reason });
    return byTime;
  }
  const problem = yield* problemOf(request, first.ordered, pipeline.cut.by === 'both' ? 1 : 0);
  const [least] = cutFigures(problem, byTime);
  if (least <= problem.bound) return byTime;
  const cuts = notes.searches.answer(memoryCutSearch, { ...problem, seeds: seedsOf(request) });
  if (cuts === undefined) return undefined;
  const better = cuts
    .filter(({ figures }) => figures[0] < least)
    .sort((a, b) => Number(isMuchLess(b.figures, a.figures)) - Number(isMuchLess(a.figures, b.figures)));
  // The first of equally good ones that holds what it promises.
  const before = better.length === 0 ? 0 : yield* plannedShare(first.ordered);
  for (const { order, starts } of better) {
    const after = yield* request.trial({ order, starts });
    if (after === undefined) return undefined;
    // The order may follow from times too, and a tensor that several later stages need is counted once by the search.
    if (after.ordered !== undefined && (yield* plannedShare(after.ordered)) <= before * (1 + 1e-12))
      return { order, starts };
  }
  return byTime;
}

/** What cuts cost, whichever order of the layers is cut. */
function* problemOf(
  request: MemoryCutRequest,
  { plan, program }: OrderedPlan,
  bound: number,
): Generator<void, Omit<MemoryCutProblem, 'seeds'>, void> {
  const { ranks, kinds, order, mode } = request;
  const sites = [...new Set([...kinds, ...ranks.ranks.map(({ kind }) => kind)])];
  const layers = runLayers(request, sites);
  const loads = yield* deviceLoads(
    {
      ...request,
      siteOf: ranks.ranks.map(({ kind }) => sites.indexOf(kind)),
      count: kinds.length,
      wholeStages: mode === 'stage' || someLayersIn(mode) !== undefined,
    },
    plan,
    program,
    runFigures(layers, order),
  );
  return { layers, kinds: Int32Array.from(kinds, (kind) => sites.indexOf(kind)), loads, bound };
}

/** The cut by time, and the fastest cuts of other orders where there are few figures. */
function seedsOf({ byTime, order, kinds, orders, costs, mode, model }: MemoryCutRequest): MemoryCutProblem['seeds'] {
  const seconds = stageSeconds(model, costs, mode);
  const others = orders(Math.min(mostOrders, Math.floor(tableLimit / (kinds.length * order.length ** 2))))
    .filter((candidate) => candidate.some((element, position) => element !== byTime.order[position]))
    .map((each) => ({
      order: each,
      starts: startsInOrder({ kinds, ...seconds }, each),
    }));
  return [{ order: byTime.order, starts: byTime.starts }, ...others];
}

/** Whether figures are better than others by more than rounding. */
const isMuchLess = (one: CutFigures, other: CutFigures): boolean =>
  isLess(
    one.map((figure, index) => (Math.abs(figure - other[index]) <= 1e-12 * other[index] ? other[index] : figure)),
    other,
  );

/** Largest share of its capacity that a device takes, a device at a time. */
function* plannedShare({ plan, program }: OrderedPlan): Generator<void, number, void> {
  let share = 0;
  for (const [device, { memory, reserved }] of plan.devices.entries()) {
    const { activations, workspace } = mostHeld(plan, program, device);
    const most = Math.max(updateBytes(plan, device), activations + workspace);
    share = Math.max(share, (staticBytes(plan, device) + most) / Math.max(1, memory - reserved));
    yield;
  }
  return share;
}

/** Why the order alone does not say what devices hold, or why there are too many cuts. */
function reasonAgainst({ use, cut, offload }: SettledPipeline, program: Program, layers: number): string | undefined {
  const name = use.kind === 'policy' ? use.policy.name : use.definition.name;
  if (program.weights !== undefined)
    return `"${name}" keeps older versions of the weights, which a cut by memory ignores; the cut is by time`;
  if (offload !== undefined) return 'activations are offloaded, which a cut by memory ignores; the cut is by time';
  if (program.partner !== undefined)
    return `"${name}" moves activations elsewhere, which a cut by memory ignores; the cut is by time`;
  if (cut.count * layers ** 2 <= tableLimit && layers <= layerLimit) return undefined;
  return `${count(layers, 'layer', 'layers')} have too many cuts into ${count(cut.count, 'stage', 'stages')} to try them by memory; the cut is by time`;
}
