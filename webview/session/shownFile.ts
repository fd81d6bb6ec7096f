import type { ParamPlan, PipelinePlan, Plan } from '../../engine/plan.ts';
import type { WorkedJob } from '../worker/messages.ts';
import type { FromPage, PreviewState, ToPage } from '../protocol/messages.ts';

type PlanMessage = Extract<ToPage, { type: 'plan' }>;

export interface ShownFileHost {
  post(message: FromPage): void;
  /** Another timeline is to be made. */
  run(plan: PipelinePlan, message: PlanMessage, jobs: readonly WorkedJob[]): void;
  /** The text has no pipeline. */
  empty(): void;
  /** The text can be simulated (again). */
  whole(): void;
  changed(): void;
}

/** What the page knows of the file: its newest plan, the pipeline that is looked at, the params that are turned. */
export function shownFile(host: ShownFileHost, saved: PreviewState | undefined) {
  let message: PlanMessage | undefined;
  let chosen = saved?.pipeline;
  let overrides: Readonly<Record<string, number>> = saved?.overrides ?? {};
  /** Values were posted and the plan for them is not there yet. */
  let asked = false;
  let ran = '';
  let queued = false;

  const pipeline = (): PipelinePlan | undefined =>
    message?.plan.pipelines.find((candidate) => candidate.name === chosen) ?? message?.plan.pipelines[0];

  function ask(): void {
    asked = true;
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      host.post({ type: 'try', overrides });
    });
  }

  function run(): void {
    const plan = pipeline();
    if (message === undefined) return;
    if (plan === undefined) {
      host.empty();
      ran = '';
      return;
    }
    const jobs = jobsOf(message.plan, plan.name);
    const key = JSON.stringify([plan, message.options, jobs]);
    if (key === ran) host.whole();
    else host.run(plan, message, jobs);
    ran = key;
    host.changed();
  }

  return {
    receive(next: PlanMessage): void {
      if (message !== undefined && message.uri === next.uri && next.version < message.version) return;
      if (message !== undefined && message.uri !== next.uri) overrides = {};
      message = next;
      if (next.pipeline !== undefined) chosen = next.pipeline;
      if (sameValues(next.overrides, overrides)) asked = false;
      if (!asked) overrides = next.overrides;
      // A value that has reached the file is no longer tried.
      const left = Object.fromEntries(
        Object.entries(overrides).filter(([name, value]) => isTried(next.plan.params, name, value)),
      );
      if (!asked && !sameValues(left, overrides)) {
        overrides = left;
        ask();
      }
      run();
    },
    /** The file has another name; all else is as it was. */
    moved({ uri, title }: { readonly uri: string; readonly title: string }): void {
      if (message !== undefined) message = { ...message, uri, title };
      host.changed();
    },
    turn(name: string, value: number): void {
      overrides = { ...overrides, [name]: value };
      ask();
      host.changed();
    },
    reset(name: string): void {
      overrides = Object.fromEntries(Object.entries(overrides).filter(([tried]) => tried !== name));
      ask();
      host.changed();
    },
    choose(name: string): void {
      chosen = name;
      run();
    },
    /** The next plan is simulated even when it is equal: the last run came to nothing. */
    forget(): void {
      ran = '';
    },
    message: () => message,
    pipeline,
    /** Params of the file, and arguments of the schedule of the pipeline on show. */
    params: (): readonly ParamPlan[] => {
      const shown = pipeline()?.name;
      return (message?.plan.params ?? []).filter(({ argument }) => (argument?.pipeline ?? shown) === shown);
    },
    overrides: () => overrides,
    /** The newest plan is of values that the file does not have. */
    isTrying: (): boolean => {
      const { plan, overrides: values } = message ?? { plan: { params: [] }, overrides: {} };
      return Object.entries(values).some(([name, value]) => isTried(plan.params, name, value));
    },
  };
}

/** Jobs that a pipeline works in and whose workers are all there. */
function jobsOf({ jobs, pipelines }: Plan, name: string): WorkedJob[] {
  return jobs.flatMap((plan) => {
    const workers = plan.workers.flatMap((worker) => pipelines.find((candidate) => candidate.name === worker) ?? []);
    return plan.workers.includes(name) && workers.length === plan.workers.length ? [{ plan, workers }] : [];
  });
}

const isTried = (params: readonly ParamPlan[], name: string, value: number): boolean =>
  params.some((param) => param.name === name && param.default !== value);

function sameValues(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
