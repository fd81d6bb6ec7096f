/** Times of a plan's stages from a run of it, or why the run does not tell them. */
import { timingOf } from '../simulate/timing.ts';
import { messageCounts, withoutOverhead } from '../basics/messageOverhead.ts';
import { type Flights, flightsIn } from '../runs/flights.ts';
import { type HostTimes, hostTimes } from '../runs/hostTimes.ts';
import { lengthOf, measure, type Measured, type RowTime } from '../runs/measure.ts';
import { deviation, mean } from '../runs/statistics.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { B, F, I, letters, type Program, W } from '../values/program.ts';
import type { RecordedStep, Recording } from '../values/recording.ts';
import { count, share } from '../basics/quantities.ts';
import { lengthIn } from '../simulate/lengthIn.ts';
import { pinnedProgram } from './pinned.ts';
import { plannedFlights } from './plannedFlights.ts';
import { plannedLength } from '../simulate/plannedLength.ts';
import { rowHost, withFlights, withHost, withTimes } from './runTiming.ts';
import { type SlowRank, slowRanks } from './slowRank.ts';

export interface Calibration {
  /**
   * By row: seconds that the plan says, and as measured, with the host's time until the next operation. Of a slow rank: as if its device
   * were as fast as planned.
   */
  readonly rows: ReadonlyMap<number, CalibratedRow>;
  /** Ranks whose device is slower than planned. */
  readonly slow: readonly SlowRank[];
  /** What hosts take between operations. Their part for an operation is in `rows`. */
  readonly host: HostTimes;
  readonly flights: Flights;
  /** Mean seconds in which planned messages hold their link. */
  readonly occupancy: number;
  /** Standard deviation of an operation's time, as a share of it. */
  readonly jitter: number;
  readonly optimizer: number;
  /** The order that ran, as a program of the plan. */
  readonly ran: Program;
  readonly planned: number;
  readonly measured: number;
  readonly steps: number;
  /** Each step over what the times of the other steps make of it, less 1: its drift from them. Empty for a single step. */
  readonly leftOut: readonly number[];
}

export interface CalibratedRow extends Pick<RowTime, 'count' | 'half'> {
  readonly planned: number;
  readonly seconds: number;
}

/** Fewer samples are no mean. */
const leastSamples = 5;

/** `slowLayers`: a rank that is slow in all that it does has layers that are. */
export function calibrate(
  plan: PipelinePlan,
  planned: Program,
  recording: Recording,
  { skip, slowLayers }: { readonly skip: number; readonly slowLayers: boolean },
): Calibration | { readonly problem: string } {
  const figures = measure(recording, skip);
  const pinned = pinnedProgram(planned, recording, figures.steps[figures.steps.length - 1]);
  if ('problem' in pinned) return { problem: `the run does not match the pipeline: ${pinned.problem}` };
  const { program } = pinned;
  // Layers have their times without what messages add.
  const timing = timingOf(withoutOverhead(plan), program, { freeStep: true });
  const problem = untimed(program, figures) ?? recomputes(plan, figures);
  if (problem !== undefined) return { problem };
  const counts = messageCounts(plan.edges, plan.placement);
  const hostOf = (steps: readonly RecordedStep[]): HostTimes => hostTimes(steps, counts);
  const host = hostOf(figures.steps);
  const slow = slowLayers ? [] : slowRanks(plan, program, timing.duration, figures);
  const speeds = new Map(slow.map(({ rank, speed }) => [rank, speed]));
  const rows = new Map(
    [...figures.times].map(([row, time]) => {
      const speed = speeds.get(program.placement[row % program.stages]) ?? 1;
      const half = time.half === undefined ? undefined : time.half * speed;
      const seconds = (time.mean + host.operation) * speed;
      return [row, { count: time.count, half, planned: timing.duration[row], seconds }];
    }),
  );
  const crossing = [...timing.needRoute.keys()].filter((need) => timing.needRoute[need] >= 0);
  const plannedFlight = plannedFlights(plan, timing);
  const predicted = (of: Measured): number =>
    lengthIn(
      program,
      withFlights(
        withHost(withTimes(timing, of), rowHost(hostOf(of.steps), counts)),
        plan,
        flightsIn(of, plannedFlight),
      ),
    );
  return {
    rows,
    slow,
    host,
    flights: flightsIn(figures, plannedFlight),
    occupancy: crossing.length === 0 ? 0 : mean(crossing.map((need) => timing.needOccupancy[need])),
    jitter: variation(figures.steps, planned.stages, figures),
    optimizer: figures.optimizer,
    ran: program,
    planned: plannedLength(plan, planned),
    measured: figures.iteration,
    steps: figures.steps.length,
    leftOut:
      figures.steps.length < 2
        ? []
        : figures.steps.map((step) => {
            const others = { ...recording, steps: figures.steps.filter((other) => other !== step) };
            return lengthOf(step) / predicted(measure(others, 0)) - 1;
          }),
  };
}

const nameOf = (stages: number, row: number): string => `${letters[Math.trunc(row / stages)]} of stage ${row % stages}`;

function untimed({ stages }: Program, { times, counts }: Measured): string | undefined {
  for (const [row, ran] of counts) {
    const samples = times.get(row)?.count ?? 0;
    if (samples === 0)
      return `${nameOf(stages, row)} always ran at once with another operation, so nothing tells their times apart`;
    if (samples < leastSamples)
      return `${nameOf(stages, row)} ran ${count(ran, 'time', 'times')}; ${leastSamples} are needed for a mean: record more steps`;
  }
  return undefined;
}

/** What was measured of a backward holds the recomputation, and nothing in a trace separates them. */
function recomputes({ stages }: PipelinePlan, { times }: Measured): string | undefined {
  const stage = stages.findIndex(
    ({ recompute }, at) => recompute > 0 && (times.has(B * stages.length + at) || times.has(I * stages.length + at)),
  );
  return stage < 0
    ? undefined
    : `stage ${stage} recomputes its forward, so its measured backward holds the recomputation, and the trace does not separate them: record a run without recomputation`;
}

/** Means over rows of standard deviation over mean, weighted by the time that the rows take. */
function variation(steps: readonly RecordedStep[], stages: number, { times }: Measured): number {
  const samples = new Map<number, number[]>();
  for (const { rows } of steps)
    for (const { kind, stage, work } of rows)
      for (const [at, own] of work.entries()) {
        const row = kind[at] * stages + stage[at];
        if (!Number.isNaN(own)) samples.set(row, [...(samples.get(row) ?? []), own]);
      }
  let [sum, weight] = [0, 0];
  for (const [row, own] of samples) {
    const time = times.get(row);
    if (time === undefined || !(time.mean > 0)) continue;
    sum += own.length * deviation(own);
    weight += own.length * time.mean;
  }
  return weight === 0 ? 0 : sum / weight;
}

/** What a person reads of it. */
export function accuracyOf({ leftOut }: Pick<Calibration, 'leftOut'>): string {
  if (leftOut.length === 0) return 'One step was used, so no other step says how accurate it is.';
  const worst = leftOut.reduce((most, error) => (Math.abs(error) > Math.abs(most) ? error : most), 0);
  return `Drift of each step from the times of the others: ${share(mean(leftOut), true)} on average, ${share(worst, true)} at worst.`;
}

/** Of a stage, the kinds that ran. */
export const kindsOfStage = ({ rows }: Calibration, stages: number, stage: number) => ({
  forward: rows.get(F * stages + stage),
  whole: rows.get(B * stages + stage),
  input: rows.get(I * stages + stage),
  weight: rows.get(W * stages + stage),
});
