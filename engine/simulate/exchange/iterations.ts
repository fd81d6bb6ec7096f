/** Iterations of a pipeline whose gradients a rule orders: one with a barrier, several without, until their periods repeat. */
import type { Exposed, ExchangeTiming, LaneTimeline, Sent } from '../../values/exchangeTimeline.ts';
import { stepAt, type Timeline, type Timing } from '../../values/timeline.ts';
import { F } from '../../values/program.ts';
import { syncedAfter } from '../gradients.ts';
import { addExposed, noExposed, type TensorWait } from './exposed.ts';
import { firstForwards, type ForwardWaits, releasesAfter, timesIn, waitsOfForwards } from './firstForwards.ts';
import { delaysOf, type LaneProblem, type LaneRun } from './lane.ts';
import { leastPeriod, leastPeriodInOrder } from './leastPeriod.ts';
import { laneProblems, type LaneSettings, settleLanes } from './laneProblems.ts';
import type { Arrivals, FirstForward } from './runForward.ts';
import { gathersFromStart } from './gathersFromStart.ts';
import { runLanes } from '../sharing/lanes.ts';

/** Runs the operations, without what follows them. */
type Run = (timing: Timing) => Timeline | undefined;

/** Iterations until periods repeat. */
const most = 16;
/** Periods and offsets that differ by less than this share are equal. */
const alike = 1e-9;

export function runExchange(timing: Timing, exchange: ExchangeTiming, run: Run): Timeline | undefined {
  return exchange.rule.barrier ? withBarrier(timing, exchange, run) : withoutBarrier(timing, exchange, run);
}

/** The lanes decide when devices have exchanged their gradients. Updated weights in parts come back while the first forwards run. */
function withBarrier(timing: Timing, exchange: ExchangeTiming, run: Run): Timeline | undefined {
  const plain: Timing = { ...timing, exchange: undefined };
  let base = run(plain);
  if (base === undefined) return undefined;
  const forwards = firstForwards(
    base.program,
    exchange.lanes,
    timing.duration,
    timing.optimizer.map(() => 0),
  );
  const settings = settleLanes(base, exchange, forwards);
  let gathered: readonly LaneRun[] = [];
  if (exchange.weights) {
    gathered = gathersFromStart(exchange, base, settings);
    const release = releasesAfter(
      base.program,
      timing.duration.length,
      forwards,
      gathered.map(({ arrival }) => arrival),
      new Float64Array(base.last.length),
    );
    base = run({ ...plain, release });
    if (base === undefined) return undefined;
  }
  const timeline = base;
  const problems = laneProblems(timeline, exchange, settings).map((problem) =>
    exchange.weights ? scattersOnly(problem) : problem,
  );
  const runs = runLanes(problems, exchange.links);
  const ready = timeline.last.map((_, device) => stepAt(timeline, device));
  exchange.lanes.forEach(({ plan }, lane) => {
    const done = endOf(runs[lane]);
    for (const device of plan.devices) ready[device] = Math.max(ready[device], done);
  });
  const exchanged = syncedAfter(ready, timing);
  const { offsets } = timeline.program;
  const makespan = exchanged.reduce(
    (latest, at, device) =>
      offsets[device] < offsets[device + 1] ? Math.max(latest, at + timing.optimizer[device]) : latest,
    0,
  );
  const waits = exchange.lanes.flatMap(({ plan }, lane): readonly ForwardWaits[] =>
    plan.devices.flatMap((device) => {
      const [from, to] = [stepAt(timeline, device), endOf(runs[lane])];
      const tensor = plan.tensors.findIndex(({ bytes }) => bytes > 0);
      return to > from && tensor >= 0 ? [{ device, lane, wait: { from, to, tensor } }] : [];
    }),
  );
  const exposed = exposedOf(timeline, exchange, problems, runs, waits);
  const none = new Float64Array(timeline.last.length);
  const arrival = gathered.map((each) => each.arrival);
  const gatherWaits = gathered.length === 0 ? [] : waitsOfForwards(timeline, forwards, arrival, none, () => undefined);
  addWaits(exposed, exchange, problems, gathered, gatherWaits);
  const least = leastPeriod(timeline, timing, exchange, problems);
  return {
    ...timeline,
    timing: { ...timing, ...(timeline.timing.release === undefined ? {} : { release: timeline.timing.release }) },
    exchanged,
    makespan,
    exchange: {
      period: makespan,
      steady: true,
      bound: least,
      boundOfOrders: least,
      lanes: laneTimelines(
        exchange,
        problems,
        runs,
        () => makespan,
        gathered.map(({ sent }) => later(sent, makespan)),
      ),
      exposed,
      ...chosenBy(exchange, settings),
    },
  };
}

function withoutBarrier(timing: Timing, exchange: ExchangeTiming, run: Run): Timeline | undefined {
  // Layers step before their first forwards, and what no lane carries is exchanged before that.
  const none = new Float64Array(timing.optimizer.length);
  const plain: Timing = { ...timing, exchange: undefined, optimizer: none };
  let timeline = run(plain);
  if (timeline === undefined) return undefined;
  const forwards = firstForwards(timeline.program, exchange.lanes, timing.duration, timing.optimizer);
  const settings = settleLanes(timeline, exchange, forwards);
  const stepped = new Set(forwards.map(({ device }) => device));
  let problems = laneProblems(timeline, exchange, settings);
  let runs = runLanes(problems, exchange.links);
  let period = timeline.makespan;
  let steady = false;
  let offsets = timeline.exchanged;
  let free = none;
  let arrival: Arrivals = [];
  for (let iteration = 1; iteration <= most && !steady; iteration += 1) {
    const before: Timeline = timeline;
    const ends = before.exchanged.map((at, device) => at + (stepped.has(device) ? 0 : timing.optimizer[device]));
    const arrivals = runs.map((each) => each.arrival);
    const release = releasesAfter(before.program, timing.duration.length, forwards, arrivals, ends);
    const start = earliest(before, release);
    const first = run({ ...plain, release: release.map((at) => at - start) });
    const next = first && stepLater(first, run, forwards, arrivals, ends, start);
    if (next === undefined) return undefined;
    const took = next.makespan - (before.makespan - start);
    const now = next.exchanged.map((at) => at - next.makespan);
    const isSame = (at: number, then: number): boolean => Math.abs(at - then) <= alike * took;
    const same = now.every((at, device) => isSame(at, offsets[device] ?? 0)) && isSame(took, period);
    [timeline, period, offsets] = [next, took, now];
    free = ends.map((at) => at - start);
    arrival = arrivals.map((each) => each.map((at) => at - start));
    problems = laneProblems(timeline, exchange, settings);
    runs = runLanes(problems, exchange.links);
    // Equal periods repeat only if gradients arrive as they did: lanes may still catch up, or take turns.
    steady =
      iteration > 1 &&
      same &&
      runs.every((each, lane) => each.arrival.every((at, tensor) => isSame(at - period, arrival[lane][tensor])));
  }
  const needed = exchange.lanes.map(({ plan }) => new Float64Array(plan.tensors.length).fill(Infinity));
  const waits = waitsOfForwards(timeline, forwards, arrival, free, (lane, tensor, at) => {
    needed[lane][tensor] = Math.min(needed[lane][tensor], at);
  });
  const shifted = waits.map(({ wait, ...rest }) => ({
    ...rest,
    wait: { ...wait, from: wait.from + period, to: wait.to + period },
  }));
  const least = leastPeriod(timeline, timing, exchange, problems);
  return {
    ...timeline,
    timing: { ...timing, release: timeline.timing.release },
    exchange: {
      period,
      steady,
      bound: Math.max(least, leastPeriodInOrder(timeline, exchange, problems, forwards)),
      boundOfOrders: least,
      lanes: laneTimelines(exchange, problems, runs, (lane, tensor) => needed[lane][tensor] + period),
      exposed: exposedOf(timeline, exchange, problems, runs, shifted),
      ...chosenBy(exchange, settings),
    },
  };
}

/**
 * A stage steps before its first forward: after the operation before it, and until results of other stages arrive. Both depend on
 * the steps of other stages. Each run makes the next first forwards right, until none moves. `start` is when the iteration
 * starts.
 */
function stepLater(
  first: Timeline,
  run: Run,
  forwards: readonly FirstForward[],
  arrivals: Arrivals,
  ends: Float64Array,
  start: number,
): Timeline | undefined {
  const { program, timing } = first;
  const isLater = ({ stage, position, device, tensors }: FirstForward): boolean => {
    const row = F * program.stages + stage;
    const waits = position > program.offsets[device] || timing.needOffsets[row] < timing.needOffsets[row + 1];
    return waits && tensors.some(({ step }) => step > 0);
  };
  if (!forwards.some(isLater)) return first;
  let timeline = first;
  for (let runs = 0; runs <= forwards.length; runs += 1) {
    const known = timeline.timing.release ?? new Float64Array(timing.duration.length);
    const release = releasesAfter(program, timing.duration.length, forwards, arrivals, ends, (forward) => {
      if (!isLater(forward)) return undefined;
      const { from, input } = timesIn(timeline, forward, ends[forward.device] - start);
      return { from: start + from, input: start + input };
    }).map((at) => at - start);
    if (release.every((at, row) => Math.abs(at - known[row]) <= alike * timeline.makespan)) return timeline;
    const next = run({ ...timing, release });
    if (next === undefined) return undefined;
    timeline = next;
  }
  return timeline;
}

/** When the first operation of an iteration may start: of a stage that waits for no other. */
function earliest({ program, timing }: Timeline, release: Float64Array): number {
  let least = Infinity;
  for (let stage = 0; stage < program.stages; stage += 1) {
    const row = F * program.stages + stage;
    if (timing.needOffsets[row] === timing.needOffsets[row + 1]) least = Math.min(least, release[row]);
  }
  return least === Infinity ? 0 : least;
}

const endOf = ({ arrival }: LaneRun): number => arrival.reduce((latest, at) => Math.max(latest, at), 0);

/** Weights in parts: only the gradients are due before the step. */
function scattersOnly(problem: LaneProblem): LaneProblem {
  return {
    ...problem,
    rule: { ...problem.rule, halves: 'together' },
    calls: problem.calls.map(({ name, push, halves, links, delay }) => ({
      ...{ name, push: halves?.scatter ?? push },
      ...(delay === undefined ? {} : { delay }),
      ...(links === undefined ? {} : { links: { push: links.scatter ?? links.push } }),
    })),
  };
}

/** The same rows, some seconds later. */
const later = (sent: Sent, seconds: number): Sent => ({
  ...sent,
  start: sent.start.map((at) => at + seconds),
  end: sent.end.map((at) => at + seconds),
});

function laneTimelines(
  { lanes }: ExchangeTiming,
  problems: readonly LaneProblem[],
  runs: readonly LaneRun[],
  neededAt: (lane: number, tensor: number) => number,
  backs: readonly Sent[] = [],
): readonly LaneTimeline[] {
  return runs.map(({ buckets, sent, back, arrival }, lane) => ({
    plan: lanes[lane].plan,
    origin: problems[lane].origin,
    ...{ buckets, sent, back: backs[lane] ?? back, arrival },
    ready: problems[lane].ready,
    needed: arrival.map((_, tensor) => neededAt(lane, tensor)),
  }));
}

function exposedOf(
  { program }: Timeline,
  { rule }: ExchangeTiming,
  problems: readonly LaneProblem[],
  runs: readonly LaneRun[],
  waits: readonly ForwardWaits[],
): readonly Exposed[] {
  const exposed = Array.from({ length: program.devices }, noExposed);
  addWaits(exposed, { rule }, problems, runs, waits);
  return exposed;
}

function addWaits(
  exposed: readonly Exposed[],
  { rule }: Pick<ExchangeTiming, 'rule'>,
  problems: readonly LaneProblem[],
  runs: readonly LaneRun[],
  waits: readonly ForwardWaits[],
): void {
  for (const [device, into] of exposed.entries())
    for (const [lane, run] of runs.entries()) {
      const own: readonly TensorWait[] = waits
        .filter((each) => each.device === device && each.lane === lane)
        .map(({ wait }) => wait);
      const { tensors, calls } = problems[lane];
      const sharesLane = rule.halves === 'apart' || calls.some(({ oneLane }) => oneLane === true);
      if (own.length > 0)
        addExposed(into, tensors, run, own, { early: rule.earlyStart, sharesLane, delays: delaysOf(calls) });
    }
}

/** Sizes that `best` stands for, if lanes agree on them. */
function chosenBy(
  { rule }: ExchangeTiming,
  { lanes }: LaneSettings,
): { readonly chosen?: { readonly partition?: number; readonly credit?: number } } {
  if (rule.partition !== 'best' && rule.credit !== 'best') return {};
  const [first] = lanes;
  if (first === undefined || lanes.some(({ rule: each }) => each.partition !== first.rule.partition)) return {};
  const { partition, credit } = first.rule;
  return {
    chosen: {
      ...(rule.partition === 'best' && typeof partition === 'number' ? { partition } : {}),
      ...(rule.credit === 'best' && typeof credit === 'number' ? { credit } : {}),
    },
  };
}
