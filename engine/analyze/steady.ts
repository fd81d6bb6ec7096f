/** What an asynchronous program does once it is full: the time from one update to the next. */
import {
  F,
  kindOfRow,
  kindsIn,
  microbatchesPerRun,
  microbatchOf,
  type Program,
  resultRow,
  rowOf,
  U,
} from '../values/program.ts';
import { secondsOf, type Timeline, type Timing } from '../values/timeline.ts';

export interface Steady {
  /**
   * Seconds for each minibatch, by the slowest stage, from the middle of the iterations to where the first stage runs dry. Never
   * under the work of the busiest device for one minibatch.
   */
  readonly period: number;
  /**
   * Whether the times between updates repeat over that time, and each stage had made an update before it. Either all stages have
   * one pace, or the slowest has the pace of a device that never waits. Until the first update nothing has come back to the first
   * stage. If not steady, the period is a mean.
   */
  readonly steady: boolean;
  /** Whole repetitions of that stage from the middle on. */
  readonly window: { readonly from: number; readonly to: number; readonly minibatches: number };
  /** Seconds of one minibatch's operations without the updates, and of its updates; by device. */
  readonly busy: Float64Array;
  readonly step: Float64Array;
}

/** Times between updates that differ by less than this share of their mean count as equal; the period is then their mean. */
const alike = 1e-4;
/** Longest repetition that is looked for, in updates of one stage. */
const longestCycle = 256;

/** The steady state of a simulated program with updates; undefined for one without. O(operations + updates × repetition). */
export function steadyOf(timeline: Timeline): Steady | undefined {
  const { program } = timeline;
  if (program.weights === undefined || program.minibatch === undefined) return undefined;
  const runsDry = firstLastForward(timeline);
  const paces = Array.from({ length: program.stages }, (_, stage) => paceOf(timeline, stage, runsDry)).filter(
    (pace) => pace !== undefined,
  );
  const slack = 1e-9;
  let slowest: Pace | undefined;
  let quickest = Infinity;
  for (const pace of paces) {
    if (slowest === undefined || pace.period > slowest.period * (1 + slack)) slowest = pace;
    // Of equally slow stages one whose times repeat.
    else if (!slowest.repeats && pace.repeats && pace.period >= slowest.period * (1 - slack)) slowest = pace;
    if (pace.period < quickest) quickest = pace.period;
  }
  if (slowest === undefined) return undefined;
  const work = workOf(timeline);
  const least = work.busy.reduce(
    // No iteration is shorter than its bytes take through a link.
    (most, busy, device) => Math.max(most, busy + work.step[device], timeline.timing.linkSeconds?.[device] ?? 0),
    0,
  );
  const filled = paces.reduce((latest, pace) => Math.max(latest, pace.first), 0);
  const { period, window } = slowest;
  // A stage that goes faster than another works off or fills what lies between them, which ends: it may slow the others down
  // then, unless the busiest device sets the pace by never waiting.
  const alikePaces = paces.every((pace) => pace.repeats) && quickest >= period * (1 - alike);
  const busiest = slowest.repeats && Math.abs(period - least) <= least * slack;
  const steady = (alikePaces || busiest) && filled <= window.from && period >= least * (1 - alike);
  return { period: Math.max(period, least), steady, window, ...work };
}

interface Pace {
  readonly period: number;
  readonly repeats: boolean;
  /** End of its first update. */
  readonly first: number;
  readonly window: Steady['window'];
}

/** Time between updates of a stage from the middle of the iterations to `runsDry`: the drain has a different pace. */
function paceOf({ program, end, makespan }: Timeline, stage: number, runsDry: number): Pace | undefined {
  const { stages, microbatches, minibatch = 1 } = program;
  const half = Math.trunc(Math.floor(microbatches / minibatch) / 2) * minibatch;
  const row = resultRow(stages, U, stage) * microbatches;
  // The last update before the middle, then all after it.
  let ends: number[] = [0];
  let at: number[] = [-1];
  let first = -1;
  let full = 0;
  for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
    const time = end[row + microbatch];
    if (!(time >= 0)) continue;
    if (first < 0) first = time;
    if (microbatch < half) {
      ends = [time];
      at = [microbatch];
    } else {
      ends.push(time);
      at.push(microbatch);
    }
    if (time <= runsDry) full = ends.length - 1;
  }
  if (ends.length < 2) return undefined;
  // A run that is over before it is full has no better figure than all of it.
  const last = full >= 2 ? full : ends.length - 1;
  const minibatches = (from: number, to: number) => (at[to] - at[from]) / minibatch;
  const times = ends.slice(0, last + 1);
  const mean = (times[last] - times[0]) / last;
  const cycle =
    full >= 2 ? (repetition(times, makespan * 1e-9) ?? (repetition(times, mean * alike) && last)) : undefined;
  const whole = cycle === undefined ? last : last - (last % cycle);
  return {
    period: (ends[last] - ends[last - whole]) / minibatches(last - whole, last),
    repeats: cycle !== undefined,
    first,
    window: { from: ends[0], to: ends[whole], minibatches: minibatches(0, whole) },
  };
}

/** When the first stage has no forward left: until then the order is the same as in a run without end. */
function firstLastForward({ program, end }: Timeline): number {
  const { stages, microbatches } = program;
  let first = Infinity;
  for (let stage = 0; stage < stages; stage += 1) {
    const row = resultRow(stages, F, stage) * microbatches;
    let latest = -1;
    for (let slot = row; slot < row + microbatches; slot += 1) if (end[slot] > latest) latest = end[slot];
    if (latest >= 0 && latest < first) first = latest;
  }
  return first;
}

/** Least number of steps after which the differences of `times` repeat, at least twice; undefined where they do not. */
function repetition(times: readonly number[], slack: number): number | undefined {
  const steps = times.length - 1;
  for (let cycle = 1; cycle <= Math.min(longestCycle, Math.trunc(steps / 2)); cycle += 1) {
    const first = times[cycle] - times[0];
    let same = true;
    for (let at = 1; same && at + cycle < times.length; at += 1)
      same = Math.abs(times[at + cycle] - times[at] - first) <= slack;
    if (same) return cycle;
  }
  return undefined;
}

/** Of the later half of the iterations, where operations of a row take different times. */
function singleWorkOf(program: Program, timing: Timing): Pick<Steady, 'busy' | 'step'> {
  const { order, offsets, devices, stages, microbatches, minibatch = 1 } = program;
  const minibatches = Math.floor(microbatches / minibatch);
  const from = Math.trunc(minibatches / 2) * minibatch;
  const share = 1 / (minibatches - Math.trunc(minibatches / 2));
  const [busy, step] = [new Float64Array(devices), new Float64Array(devices)];
  for (let device = 0; device < devices; device += 1) {
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      if (microbatchOf(program, order[at]) < from) continue;
      const isUpdate = kindOfRow(stages, rowOf(program, order[at])) === U;
      (isUpdate ? step : busy)[device] += share * secondsOf(timing, program, order[at]);
    }
  }
  return { busy, step };
}

/** Counted by kind of operation and multiplied. */
function workOf({ program, timing }: Timeline): Pick<Steady, 'busy' | 'step'> {
  if (timing.single !== undefined) return singleWorkOf(program, timing);
  const { stages, placement, devices } = program;
  const busy = new Float64Array(devices);
  const step = new Float64Array(devices);
  runsOfRows(program).forEach((runs, row) => {
    const of = kindOfRow(stages, row) === U ? step : busy;
    if (runs > 0) of[placement[row % stages]] += runs * timing.duration[row];
  });
  return { busy, step };
}

/** Times that a device updates its weights in one minibatch. Its stages share a step: an update of each of them is one. */
export function updatesPerMinibatch(program: Program, device: number): number {
  const { offsets, stages } = program;
  const runs = runsOfRows(program, offsets[device], offsets[device + 1]).subarray(U * stages, (U + 1) * stages);
  const updated = runs.filter((times) => times > 0);
  return updated.length === 0 ? 0 : updated.reduce((sum, times) => sum + times, 0) / updated.length;
}

/** By row, how many operations of a part of the order belong to one minibatch: each copy of a stage runs its share of it. */
function runsOfRows(program: Program, first = 0, last = program.order.length): Float64Array {
  const { order, stages, minibatch = 1 } = program;
  const count = new Float64Array(kindsIn(program) * stages);
  for (const word of order.subarray(first, last)) count[rowOf(program, word)] += 1;
  return count.map((operations, row) => {
    const forwards = count[F * stages + (row % stages)];
    if (operations === 0 || forwards === 0) return 0;
    return (minibatch / microbatchesPerRun(program, row % stages)) * (operations / forwards);
  });
}
