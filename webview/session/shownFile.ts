import type { ParamPlan, PipelinePlan, Plan } from '../../engine/values/plan.ts';
import type { WorkedJob } from '../worker/messages.ts';
import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { FromPage, PreviewState } from '../protocol/messages.ts';
import type { FoundOrder } from '../protocol/requests.ts';
import { fileNames, type PlanMessage, type ShownSchedule } from './fileNames.ts';
import { givenOf } from './incomingOrder.ts';

export type ScheduleProblem = NonNullable<ShownSchedule['problem']>;

export interface ShownFileHost {
  post(message: FromPage): void;
  /** Another timeline is to be made. */
  run(plan: PipelinePlan, message: PlanMessage, jobs: readonly WorkedJob[], order?: GivenOrder): void;
  /** The text has no pipeline. */
  empty(): void;
  /** The schedule on show has no plan. `name`: of the schedule. */
  unplanned(problem: ScheduleProblem, name: string): void;
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
  /** An order that the file does not have, on show in place of the file's. */
  let tried: FoundOrder | undefined;

  const named = fileNames(
    () => message,
    () => chosen,
  );

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
    const plan = named.pipeline();
    if (message === undefined) return;
    if (plan === undefined) {
      ran = '';
      const found = named.schedule();
      if (found?.problem === undefined) return host.empty();
      host.unplanned(found.problem, found.name);
      host.changed();
      return;
    }
    if (tried !== undefined) {
      ran = '';
      return host.run({ ...plan, schedule: tried.schedule }, message, [], givenOf(tried));
    }
    const jobs = jobsOf(message.plan, plan.name);
    const key = JSON.stringify([plan, message.options, jobs]);
    const order = message.orders?.[plan.name];
    if (key === ran) host.whole();
    else host.run(plan, message, jobs, order === undefined ? undefined : givenOf(order));
    ran = key;
    host.changed();
  }

  return {
    receive(next: PlanMessage): void {
      if (message !== undefined && message.uri === next.uri && next.version < message.version) return;
      if (message !== undefined && message.uri !== next.uri) overrides = {};
      message = next;
      tried = undefined;
      if (next.pipeline !== undefined) chosen = next.pipeline;
      if (sameValues(next.overrides, overrides)) asked = false;
      if (!asked) overrides = next.overrides;
      // A value that has reached the file is no longer tried.
      const left = Object.fromEntries(
        Object.entries(overrides).filter(
          ([name, value]) => isTried(next.plan.params, name, value) || isOpen(next, name),
        ),
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
    /** Several at once. */
    turnAll(values: Readonly<Record<string, number>>): void {
      overrides = { ...overrides, ...values };
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
      tried = undefined;
      run();
    },
    /** Shows the pipeline with another order; undefined shows the file's again. */
    tryOrder(order: FoundOrder | undefined): void {
      if (order?.words === tried?.words) return;
      tried = order;
      run();
    },
    triedOrder: () => tried,
    /** The next plan is simulated even when it is equal: the last run came to nothing. */
    forget(): void {
      ran = '';
    },
    message: () => message,
    ...named,
    overrides: () => overrides,
    /** Values that are tried instead of the file's values, and the params that have them. */
    sliders() {
      const params = message?.plan.params.filter(({ argument }) => argument?.shape !== true) ?? [];
      const found = Object.entries(overrides).filter(([name, value]) => isTried(params, name, value));
      return { params, tried: Object.fromEntries(found) };
    },
    /** What is shown is of values, or of an order, that the file does not have. */
    isTrying: (): boolean => {
      if (tried !== undefined) return true;
      const { plan, overrides: values } = message ?? { plan: { params: [] }, overrides: {} };
      const inText = plan.params.filter(({ argument }) => argument?.shape !== true);
      return Object.entries(values).some(([name, value]) => isTried(inText, name, value));
    },
  };
}

/** The number belongs to a schedule whose text has an error now: what it can take is not known. */
const isOpen = ({ schedules = [] }: PlanMessage, name: string): boolean =>
  schedules.some((schedule) => schedule.problem?.ofShape === false && name.startsWith(`${schedule.name}.`));

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
