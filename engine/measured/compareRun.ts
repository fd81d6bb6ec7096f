/**
 * A plan next to a run of it. Every figure is of the operations, from the first start to the last end: the exchange of gradients and the
 * optimizer's step are left out of both.
 */
import { criticalPath } from '../analyze/criticalPath.ts';
import { generate } from '../schedule/generate.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import { messageCounts, withoutOverhead } from '../basics/messageOverhead.ts';
import { type Flight, type Flights, flightsIn, type LinkFlight } from '../runs/flights.ts';
import { hostTimes } from '../runs/hostTimes.ts';
import { measure, type Measured, type RowTime } from '../runs/measure.ts';
import { mean } from '../runs/statistics.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { B, I, type Program, rowOf, W } from '../values/program.ts';
import type { Recording } from '../values/recording.ts';
import type { Timing } from '../values/timeline.ts';
import { type RankTime, rankTimes } from './idle.ts';
import type { Shares } from './shares.ts';
import { plannedFlights } from './plannedFlights.ts';
import { plannedLength } from '../simulate/plannedLength.ts';
import { type OrderDifference, orderDifference, pinnedProgram } from './pinned.ts';
import { lengthIn } from '../simulate/lengthIn.ts';
import { rowHost, withFlights, withHost, withOwnTimes, withTimes } from './runTiming.ts';

export interface Drift {
  readonly kind: number;
  readonly stage: number;
  readonly planned: number;
  readonly measured: RowTime;
  /** Operations of it that the iteration waits for, in a simulation of the order that ran with measured times. */
  readonly critical: number;
}

export interface RunComparison {
  readonly planned: number;
  readonly measured: number;
  readonly steps: number;
  readonly shares: Shares;
  /** Operations whose interval leaves out the planned time; first those that change the critical path most. */
  readonly drifts: readonly Drift[];
  readonly ranks: readonly RankTime[];
  /** Seconds that each device idles in a simulation of the order that ran, with measured times and messages. */
  readonly simulatedIdle: readonly number[];
  /** Pairs of ranks whose messages take much longer than others, beyond what is planned; and the other pairs. */
  readonly slowLinks: readonly LinkFlight[];
  readonly otherLinks: Flight;
  readonly order: OrderDifference;
  /** Seconds that an order made for the measured times would save; undefined for an order that does not depend on times. */
  readonly otherOrder: number | undefined;
  readonly figures: Measured;
}

export function compareRun(
  plan: PipelinePlan,
  planned: Program,
  recording: Recording,
  skip: number,
): RunComparison | { readonly problem: string } {
  const figures = measure(recording, skip);
  const last = figures.steps[figures.steps.length - 1];
  const pinned = pinnedProgram(planned, recording, last);
  if ('problem' in pinned) return pinned;
  const { program } = pinned;
  const timing = timingOf(plan, program, { freeStep: true });
  const bare = timingOf(withoutOverhead(plan), program, { freeStep: true });
  // Until the hosts' times are as measured, messages keep the devices busy as planned.
  const times = withHost(withTimes(bare, figures), (row) => timing.duration[row] - bare.duration[row]);
  const counts = messageCounts(plan.edges, plan.placement);
  const between = rowHost(hostTimes(figures.steps, counts), counts);
  const host = withHost(withTimes(bare, figures), between);
  const plannedFlight = plannedFlights(plan, bare);
  const links = flightsIn(figures, plannedFlight);
  const flights = withFlights(host, plan, links);
  const own = figures.steps.map((step) => {
    const ran = pinnedProgram(planned, recording, step);
    return 'problem' in ran ? Number.NaN : lengthIn(ran.program, withOwnTimes(flights, ran.program, step));
  });
  const ends = [
    plannedLength(plan, planned),
    ...[timing, times, host, flights].map((each) => lengthIn(program, each)),
    mean(own),
    figures.iteration,
  ];
  if (ends.some(Number.isNaN)) return { problem: 'the order that ran waits for itself in the plan' };
  const [order, ofTimes, ofHost, ofFlights, variation, rest] = ends.slice(1).map((end, at) => end - ends[at]);
  const difference = orderDifference(plan, planned, program);
  return {
    planned: ends[0],
    measured: figures.iteration,
    steps: figures.steps.length,
    shares: { order, times: ofTimes, host: ofHost, flights: ofFlights, variation, rest },
    drifts: driftsOf(bare, figures, program.stages, criticalCounts(program, flights)),
    ranks: rankTimes(recording, figures.steps),
    simulatedIdle: idleIn(program, flights),
    order: difference,
    slowLinks: links.slow,
    otherLinks: links.others,
    otherOrder: difference.dependsOnTimes
      ? savedByOrder(plan, figures, program, { timing: flights, host: between, links, plannedFlight })
      : undefined,
    figures,
  };
}

function idleIn(program: Program, timing: Timing): readonly number[] {
  const timeline = simulate(program, timing);
  if (timeline === undefined) return [];
  const length = Math.max(...timeline.last) - Math.min(...timeline.first);
  return [...timeline.busy].map((busy) => length - busy);
}

/** Under four steps there is no interval: then what differs by more than 2 %. */
const withoutInterval = 0.02;

/** By row, operations on the critical path. */
function criticalCounts(program: Program, timing: Timing): ReadonlyMap<number, number> {
  const timeline = simulate(program, timing);
  const counts = new Map<number, number>();
  for (const at of timeline === undefined ? [] : criticalPath(timeline)) {
    const row = rowOf(program, program.order[at]);
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  return counts;
}

function driftsOf(
  { duration }: Timing,
  { times, steps }: Measured,
  stages: number,
  critical: ReadonlyMap<number, number>,
): readonly Drift[] {
  return [...times]
    .map(([row, measured]): Drift => ({
      kind: Math.trunc(row / stages),
      stage: row % stages,
      planned: duration[row],
      measured,
      critical: critical.get(row) ?? 0,
    }))
    .filter(({ planned, measured }) => {
      const apart = Math.abs(measured.mean - planned);
      return apart > (measured.half ?? withoutInterval * Math.max(planned, measured.mean));
    })
    .toSorted(
      (a, b) => drift(b) * b.critical - drift(a) * a.critical || total(b, steps.length) - total(a, steps.length),
    );
}

const drift = ({ planned, measured }: Drift): number => Math.abs(measured.mean - planned);

/** Of equal effect on the critical path, or none, what changes the ranks' work most comes first. */
const total = (of: Drift, steps: number): number => (drift(of) * of.measured.count) / steps;

/**
 * The plan's own schedule for the times that were measured, against the order that ran: of operations, hosts and messages, as a
 * calibrated file has them.
 */
function savedByOrder(
  plan: PipelinePlan,
  { times }: Measured,
  ran: Program,
  measured: MeasuredTiming,
): number | undefined {
  const { timing, host, links, plannedFlight } = measured;
  const stages = plan.stages.map((stage, at) => {
    const of = (kind: number): number | undefined => {
      const row = kind * ran.stages + at;
      const time = times.get(row);
      return time === undefined ? undefined : time.mean + host(row);
    };
    const whole = of(B);
    const half = (kind: number, planned: number): number =>
      of(kind) ??
      (whole === undefined ? planned : (whole * planned) / (stage.backwardInput + stage.backwardWeight || 1));
    return {
      ...stage,
      forward: of(0) ?? stage.forward,
      backwardInput: half(I, stage.backwardInput),
      backwardWeight: half(W, stage.backwardWeight),
      // What was measured holds the recomputation.
      recompute: whole === undefined && of(I) === undefined ? stage.recompute : 0,
    };
  });
  const routes = plan.routes.map((route) => {
    const { median } = links.of(route.from, route.to);
    const occupancy = plannedFlight(route.from, route.to) - route.latency;
    return Number.isNaN(median) ? route : { ...route, latency: Math.max(0, median - occupancy) };
  });
  const made = generate({ ...plan, stages, routes });
  return 'faults' in made ? undefined : lengthIn(ran, timing) - lengthIn(made.program, timing);
}

interface MeasuredTiming {
  readonly timing: Timing;
  /** Seconds of the host for an operation and its messages, by row. */
  readonly host: (row: number) => number;
  readonly links: Flights;
  readonly plannedFlight: (from: number, to: number) => number;
}
