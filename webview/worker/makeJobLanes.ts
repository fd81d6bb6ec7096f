import type { EngineOptions } from '../../engine/basics/host.ts';
import { runOfJob } from '../../engine/job/evaluateJob.ts';
import type { Worker } from '../../engine/job/worker.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { resultSlotOf, rowOf } from '../../engine/values/program.ts';
import type { Columns } from '../picture/columns.ts';
import type { JobLanes } from '../picture/jobLanes.ts';
import { partsOf } from './makeColumns.ts';
import type { WorkedJob } from './messages.ts';

/** The run of a job as the page draws it; undefined where its workers cannot run together. O(n log n) in its operations. */
export function jobLanesOf({ plan, workers: plans }: WorkedJob, options: EngineOptions): JobLanes | undefined {
  const ran = runOfJob(plan, plans, options);
  if (ran === undefined) return undefined;
  const { globalClock, workers } = ran.timeline;
  const until = globalClock.at(-1) ?? 0;
  return {
    name: plan.name,
    until,
    clock: Float64Array.from(globalClock),
    workers: plans.map((worker, index) => ({
      name: worker.name,
      devices: worker.devices.map(({ name }) => name),
      columns: columnsOfWorker(worker, ran.workers[index], workers[index].ends, until),
      waits: intervals(workers[index].waits, until),
      pushes: intervals(workers[index].pushes, until),
      pulls: intervals(workers[index].pulls, until),
    })),
  };
}

interface Interval {
  readonly from: number;
  readonly until: number;
}

/** As pairs, those in sight, cut off at the end of the axis. */
const intervals = (all: readonly Interval[], until: number): Float64Array =>
  Float64Array.from(
    all.filter(({ from }) => from < until).flatMap((interval) => [interval.from, Math.min(until, interval.until)]),
  );

/** The operations that began before `until`, in order of time: a minibatch that is held back does not hold up the others. */
function columnsOfWorker(plan: PipelinePlan, { program, timing }: Worker, ends: Float64Array, until: number): Columns {
  const { devices, offsets: positions, order, shift, stages, microbatches } = program;
  const endOf = (at: number): number => ends[resultSlotOf(program, order[at])];
  const startOf = (at: number): number => endOf(at) - timing.duration[rowOf(program, order[at])];
  const ran = (at: number): boolean => endOf(at) >= 0 && startOf(at) < until;
  const offsets = new Int32Array(devices + 1);
  const blocks = new Int32Array(order.length);
  let count = 0;
  for (let device = 0; device < devices; device += 1) {
    for (let at = positions[device]; at < positions[device + 1]; at += 1) if (ran(at)) blocks[count++] = at;
    blocks.subarray(offsets[device], count).sort((a, b) => endOf(a) - endOf(b) || startOf(a) - startOf(b) || a - b);
    offsets[device + 1] = count;
  }
  const shown = blocks.subarray(0, count);
  return {
    rows: devices,
    offsets,
    start: Float64Array.from(shown, startOf),
    end: Float64Array.from(shown, (at) => Math.min(until, endOf(at))),
    word: Int32Array.from(shown, (at) => order[at]),
    parts: partsOf(plan, timing.duration, program.apart),
    shift,
    stages,
    microbatches,
    makespan: until,
  };
}
