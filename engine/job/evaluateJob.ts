/** One job of a plan, simulated: its workers together, then the report. */
import { evaluationSize, planKey } from '../schedule/evaluation.ts';
import type { JobReport } from '../values/jobReport.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import { type JobPlan, type PipelinePlan, paths } from '../values/plan.ts';
import { count } from '../basics/quantities.ts';
import { runSearch, type Search } from '../basics/searches.ts';
import { lockFree } from './lockFree.ts';
import { jobReport } from './jobReport.ts';
import { period } from './period.ts';
import { waveOf, workerOf } from './workers.ts';
import type { Worker } from './worker.ts';
import { type JobTimeline, runJob } from './wsp.ts';

export interface JobProblem {
  readonly plan: JobPlan;
  /** Plans of the workers, in the job's order. */
  readonly workers: readonly PipelinePlan[];
  readonly options: EngineOptions;
}

export interface JobEvaluation extends JobProblem {
  /** Absent where the workers cannot run together; `findings` then say why. */
  readonly report?: JobReport;
  readonly findings: readonly PlanFinding[];
}

/** Never throws. `workers` are plans that run by themselves. */
export function evaluateJob(plan: JobPlan, workers: readonly PipelinePlan[], options: EngineOptions): JobEvaluation {
  return { plan, workers, options, ...runSearch(jobEvaluation, { plan, workers, options }) };
}

/** Waves of each worker that a job runs at least, some of them alone. */
const leastWaves = 8;

/** The answer is plain data without the problem, so that it can come from another thread. */
export const jobEvaluation: Search<JobProblem, Omit<JobEvaluation, keyof JobProblem>> = {
  name: 'job',
  large: true,
  size: ({ workers }) => workers.reduce((sum, worker) => sum + leastWaves * evaluationSize(worker), 0),
  key: ({ plan, workers, options }) => [JSON.stringify([plan, options]), ...workers.map(planKey)].join(' '),
  *steps(problem) {
    const ran = yield* simulation(problem);
    if ('findings' in ran) return ran;
    const { wave, alone } = ran;
    return {
      report: jobReport(problem.plan, problem.workers, ran.workers, ran.timeline, { wave, alone }),
      findings: [],
    };
  },
};

/** All workers of a job in time, for a drawing; undefined where they cannot run together. Never throws. */
export function runOfJob(
  plan: JobPlan,
  workers: readonly PipelinePlan[],
  options: EngineOptions,
): Pick<Ran, 'workers' | 'timeline'> | undefined {
  const steps = simulation({ plan, workers, options });
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return 'findings' in value ? undefined : value;
  }
}

type Faults = { readonly findings: readonly PlanFinding[] };

function* simulation({
  plan,
  workers,
  options,
}: JobProblem): Generator<void, Faults | (Ran & { readonly wave: number })> {
  const most = workers.map(({ stages, microbatches }) =>
    Math.floor(options.limits.operations / (4 * stages.length * microbatches)),
  );
  const waves = workers.map((worker, index) => waveOf(worker, most[index]));
  yield;
  const faults = waveFaults(plan, workers, waves, most);
  const [wave] = waves;
  if (faults.length > 0 || wave === undefined) return { findings: faults };
  const ran = run(plan, workers, wave, options);
  return 'fault' in ran ? { findings: [ran.fault] } : { ...ran, wave };
}

/** A wave has as many minibatches for every worker: the bound on staleness counts in waves. */
function waveFaults(
  plan: JobPlan,
  workers: readonly PipelinePlan[],
  waves: readonly (number | undefined)[],
  most: readonly number[],
): PlanFinding[] {
  return workers.flatMap((worker, index) => {
    const wave = waves[index];
    const other = waves[0];
    if (wave !== undefined && (other === undefined || wave === other)) return [];
    const problem =
      wave === undefined
        ? `"${worker.name}" needs more than ${most[index]} minibatches in flight, the most that can be simulated`
        : `"${worker.name}" has ${count(wave, 'minibatch', 'minibatches')} in flight and "${workers[0].name}" ${other}, but all workers of a job need the same number`;
    const values = wave === undefined || other === undefined ? [] : [other];
    const parameters = { policy: worker.schedule.name, problem, input: 'in_flight', values };
    return [planFinding('schedule/shape', paths.jobWorker(plan.name, index), parameters)];
  });
}

interface Ran {
  readonly workers: readonly Worker[];
  readonly timeline: JobTimeline;
  /** Seconds from wave to wave of each worker by itself. */
  readonly alone: readonly number[];
}

function run(
  plan: JobPlan,
  plans: readonly PipelinePlan[],
  wave: number,
  { limits }: EngineOptions,
): Ran | { readonly fault: PlanFinding } {
  const at = paths.jobKey(plan.name, 'waves');
  const tooLarge = (operations: number) => ({
    fault: planFinding('limit/too-large', at, {
      what: `Operations of job "${plan.name}"`,
      figure: operations.toLocaleString('en-US'),
      limit: limits.operations.toLocaleString('en-US'),
      setting: 'pipewright.limits.operations',
    }),
  });
  const problem = (what: string) => ({
    fault: planFinding('schedule/shape', paths.job(plan.name), {
      policy: plan.sync.kind,
      problem: what,
      input: '',
      values: [],
    }),
  });
  /** At most F, I, W and U of each stage and microbatch: counted before anything is made. */
  const operations = (waves: readonly number[]) =>
    plans.reduce(
      (sum, pipeline, index) => sum + 4 * pipeline.stages.length * pipeline.microbatches * wave * waves[index],
      0,
    );
  // Two waves more than are looked at: a worker that drains ends its last minibatches sooner.
  const more = plan.waves + 2;
  const least = plans.map(() => more);
  if (operations(least) > limits.operations) return tooLarge(operations(least));
  const alone: number[] = [];
  for (const pipeline of plans) {
    const worker = workerOf(pipeline, more * wave);
    if (worker === undefined) return problem(`"${pipeline.name}" cannot run ${more * wave} minibatches back to back`);
    if (worker.program.fused !== undefined) return problem(`"${pipeline.name}" runs two operations in one slot`);
    const timeline = runAlone(plan, worker, wave);
    if (timeline === undefined) return problem(neverEnds(pipeline, wave));
    alone.push(period(timeline, 0));
  }
  // A fast worker needs more waves while the slowest ends its own. Under `wsp` it never leads it by more than the distance.
  const slowest = Math.max(...alone);
  const instant = plan.sync.kind === 'free' ? alone.indexOf(0) : -1;
  if (instant >= 0)
    return problem(`"${plans[instant].name}" takes no time, so its waves would have no end; give its layers a time`);
  const most = plan.sync.kind === 'wsp' ? plan.waves + plan.sync.distance + 2 : Infinity;
  let waves = alone.map((value) => Math.min(most, value > 0 ? Math.ceil((plan.waves * slowest) / value) + 2 : most));
  for (;;) {
    if (operations(waves) > limits.operations) return tooLarge(operations(waves));
    const workers = plans.flatMap((pipeline, index) => workerOf(pipeline, waves[index] * wave) ?? []);
    const timeline = workers.length < plans.length ? undefined : runTogether(plan, workers, wave);
    if (timeline === undefined) return problem('its workers wait for each other forever');
    // One that is in its last wave drains already.
    const ended = timeline.workers.map(
      (_, index) => wavesEnded(timeline, index) + 1 >= waves[index] && waves[index] < most,
    );
    if (!ended.includes(true)) return { workers, timeline, alone };
    waves = waves.map((each, index) => (ended[index] ? Math.min(most, 2 * each) : each));
  }
}

function runTogether(plan: JobPlan, workers: readonly Worker[], wave: number): JobTimeline | undefined {
  const { sync } = plan;
  return sync.kind === 'free'
    ? lockFree(plan, workers, wave, plan.waves)
    : runJob({ ...plan, sync }, workers, wave, plan.waves);
}

/** A worker without others, whose exchanges take no time. */
const runAlone = ({ sync, waves }: JobPlan, worker: Worker, wave: number): JobTimeline | undefined =>
  sync.kind === 'free'
    ? lockFree({ servers: 1 }, [worker], wave, waves)
    : runJob({ servers: 1, sync: { kind: 'wsp', distance: 0 } }, [worker], wave, waves);

/** Waves that a worker had ended when the run was over. */
const wavesEnded = ({ globalClock, workers }: JobTimeline, index: number): number =>
  workers[index].waves.filter((at) => at <= globalClock[globalClock.length - 1]).length;

/**
 * Replicas of a stage wait for the gradients of their whole round. Before a wave has ended, all but the last minibatch of the
 * next wave may enter. So a round that is longer than a wave never ends.
 */
function neverEnds({ name, stages }: PipelinePlan, wave: number): string {
  const replicas = stages.reduce((most, { copy }) => Math.max(most, copy?.every ?? 1), 1);
  return replicas > wave
    ? `"${name}" never ends: an update of its ${replicas} replicas takes ${replicas} minibatches, and only ${wave} are in flight`
    : `"${name}" never ends`;
}
