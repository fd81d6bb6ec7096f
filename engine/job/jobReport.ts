import { resultSlotOf, rowOf } from '../values/program.ts';
import type { Worker } from './worker.ts';
import type { JobReport, JobWorkerReport } from '../values/jobReport.ts';
import type { JobPlan, PipelinePlan } from '../values/plan.ts';
import { clockAt, period, windowOf } from './period.ts';
import type { JobTimeline, WorkerTimeline } from './wsp.ts';

/** Figures of a job over the last half of its waves. `alone` are the workers' periods by themselves, seconds. */
export function jobReport(
  plan: JobPlan,
  plans: readonly PipelinePlan[],
  workers: readonly Worker[],
  timeline: JobTimeline,
  { wave, alone }: { readonly wave: number; readonly alone: readonly number[] },
): JobReport {
  const window = windowOf(timeline);
  const length = window.until - window.from;
  const over = (run: { readonly until: number }) => run.until > window.from && run.until <= window.until;
  let traffic = 0;
  const reports = workers.map((worker, index): JobWorkerReport => {
    const workerTimeline = timeline.workers[index];
    const every = period(timeline, index);
    const waiting = workerTimeline.waits.reduce((sum, wait) => sum + within(window, wait.from, wait.until), 0);
    traffic += worker.bytes * (workerTimeline.pushes.filter(over).length + workerTimeline.pulls.filter(over).length);
    return {
      name: plan.workers[index],
      period: every,
      period_alone: alone[index],
      minibatches_per_second: every > 0 ? wave / every : 0,
      waiting,
      waiting_share: length > 0 ? waiting / length : 0,
      idle: length > 0 ? Math.max(0, 1 - busy(worker, workerTimeline, window) / (worker.program.devices * length)) : 0,
      pushed: worker.bytes,
      pulled: worker.bytes,
      lead: clockAt(timeline, index, window.until) - timeline.globalClock.length,
    };
  });
  const figures = {
    servers: plan.servers,
    wave,
    waves: timeline.globalClock.length,
    makespan: window.until,
    // Without a bound a lead may grow for ever, and no worker waits for it.
    steady: plan.sync.kind === 'free' || workers.every((_, index) => !gains(timeline, index)),
    throughput: reports.reduce(
      (sum, report, index) => sum + report.minibatches_per_second * samplesOf(plans[index]),
      0,
    ),
  };
  const last = { server_traffic: length > 0 ? traffic / length : 0, workers: reports };
  const local = wave - 1;
  if (plan.sync.kind === 'free') {
    const staleness = { local, ...stalenessAsItHappens(timeline) };
    return { name: plan.name, sync: 'free', ...figures, staleness, ...last };
  }
  const { distance } = plan.sync;
  const staleness = { local, bound: (distance + 1) * wave + wave - 2, observed: mostMissed(timeline) };
  return { name: plan.name, sync: 'wsp', distance, ...figures, staleness, ...last };
}

const mostMissed = ({ workers }: JobTimeline): number =>
  workers.reduce((all, { missed }) => missed.reduce((most, value) => Math.max(most, value), all), 0);

/** The mean is of the updates that reach the servers in the last half of the run; `null` where none does. */
function stalenessAsItHappens(timeline: JobTimeline): FreeStaleness {
  const { from, until } = windowOf(timeline);
  let sum = 0;
  let updates = 0;
  for (const { missed, reached = [] } of timeline.workers)
    for (const [minibatch, at] of reached.entries()) {
      if (at <= from || at > until) continue;
      sum += missed[minibatch];
      updates += 1;
    }
  return updates === 0 ? { mean: null, largest: null } : { mean: sum / updates, largest: mostMissed(timeline) };
}

type FreeStaleness = Omit<Extract<JobReport, { readonly sync: 'free' }>['staleness'], 'local'>;

/** Samples of one minibatch. */
const samplesOf = ({ microbatches, microBatchSize, data }: PipelinePlan): number =>
  microbatches * microBatchSize * data;

interface Span {
  readonly from: number;
  readonly until: number;
}

const within = (window: Span, from: number, until: number): number =>
  Math.max(0, Math.min(window.until, until) - Math.max(window.from, from));

/** Seconds that a worker's devices compute within the window, all together. */
function busy({ program, timing }: Worker, { ends }: WorkerTimeline, window: Span): number {
  const { order } = program;
  let sum = 0;
  for (const word of order) {
    const row = rowOf(program, word);
    const until = ends[resultSlotOf(program, word)];
    if (until >= 0) sum += within(window, until - timing.duration[row], until);
  }
  return sum;
}

/** Whether a worker leads the slowest one by more at the end than at half, or in the last quarter of the waves than in the one before. */
function gains(timeline: JobTimeline, worker: number): boolean {
  const { globalClock } = timeline;
  const leads = globalClock.map((at, clock) => clockAt(timeline, worker, at) - clock - 1);
  const most = (from: number, to: number) => leads.slice(from, to).reduce((all, lead) => Math.max(all, lead), 0);
  const [half, quarter] = [Math.floor(leads.length / 2), Math.floor((3 * leads.length) / 4)];
  const last = leads.length - 1;
  return leads[last] > leads[Math.max(0, half - 1)] || most(quarter, leads.length) > most(half, quarter);
}
