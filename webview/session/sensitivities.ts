import type { SensitivityTarget } from '../../engine/analyze/sensitivity.ts';
import type { SlowdownProgress } from '../../engine/analyze/slowdown.ts';
import { keyOf } from '../../engine/analyze/tornado.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { SensitivityRow, SlowdownReport } from '../../engine/values/report.ts';
import type { EngineWorker } from './engineWorker.ts';
import type { FromWorker } from '../worker/messages.ts';

/** Operations above which parts of a pipeline are simulated only on request. */
export const unaskedOperations = 65_536;
/** Operations that one message asks for: what is asked for meanwhile waits for its end. */
const operationsAtOnce = 200_000;

/** Of a part that cannot be simulated. */
export type Sensitivity = SensitivityRow | 'none';
/** How far its runs are, or its figures; `none` if the pipeline cannot be simulated. */
export type Slowdown = SlowdownProgress | SlowdownReport | 'none';

/**
 * What slower and faster stages, devices and links do to the iteration. Simulated in a second worker, so that drawing never waits
 * for it. Each part of a plan is simulated once. A simulation of another plan is stopped.
 */
export function sensitivities(
  start: (receive: (message: FromWorker) => void) => Pick<EngineWorker, 'send' | 'stop'>,
  found: () => void,
) {
  let worker: ReturnType<typeof start> | undefined;
  let of: { readonly plan: PipelinePlan; readonly atOnce: number } | undefined;
  /** The worker has the plan. */
  let begun = false;
  let known = new Map<string, Sensitivity>();
  let slowdown: Slowdown | undefined;
  /** What is looked at comes first, then all others, then the slowdown. */
  let first: readonly SensitivityTarget[] = [];
  let rest: readonly SensitivityTarget[] = [];
  let wantsSlowdown = false;
  let running: readonly SensitivityTarget[] | 'slowdown' | undefined;
  let next = 0;

  function receive(message: FromWorker): void {
    if (running === undefined) return;
    const failed = message.type === 'failed';
    const answers = message.type === (running === 'slowdown' ? 'slowdown' : 'sensitivity');
    if (!failed && !(answers && 'id' in message && message.id === next)) return;
    if (running === 'slowdown') slowdown = (message.type === 'slowdown' ? message.known : undefined) ?? 'none';
    else
      running.forEach((target, at) =>
        known.set(keyOf(target), (message.type === 'sensitivity' ? message.rows[at] : undefined) ?? 'none'),
      );
    running = undefined;
    found();
    run();
  }

  const isOpen = (target: SensitivityTarget): boolean => !known.has(keyOf(target));

  function run(): void {
    if (running !== undefined || of === undefined) return;
    first = first.filter(isOpen);
    rest = rest.filter(isOpen);
    const targets = first.length > 0 ? first : rest;
    if (targets.length === 0 && !(wantsSlowdown && !isSettled(slowdown))) return;
    next += 1;
    worker ??= start(receive);
    const given = begun ? {} : { plan: of.plan };
    begun = true;
    if (targets.length === 0) {
      running = 'slowdown';
      worker.send({ type: 'slowdown', id: next, ...given, runs: of.atOnce });
    } else {
      running = targets.slice(0, of.atOnce);
      worker.send({ type: 'sensitivity', id: next, ...given, targets: running });
    }
  }

  function stop(): void {
    if (running !== undefined) {
      worker?.stop();
      worker = undefined;
      // Its runs have ended with the worker.
      if (!isSettled(slowdown)) slowdown = undefined;
      begun = false;
    }
    running = undefined;
    first = [];
    rest = [];
    wantsSlowdown = false;
  }

  function turnTo(plan: PipelinePlan, operations: number): void {
    if (plan === of?.plan) return;
    stop();
    begun = false;
    of = { plan, atOnce: Math.max(1, Math.floor(operationsAtOnce / Math.max(1, operations))) };
    known = new Map();
    slowdown = undefined;
  }

  return {
    /** Undefined while it is not known. */
    of: (plan: PipelinePlan, target: SensitivityTarget): Sensitivity | undefined =>
      plan === of?.plan ? known.get(keyOf(target)) : undefined,
    /** Undefined before its first run. */
    slowdown: (plan: PipelinePlan): Slowdown | undefined => (plan === of?.plan ? slowdown : undefined),
    /** Simulates these before all others, instead of those that were to come first. */
    want(plan: PipelinePlan, operations: number, targets: readonly SensitivityTarget[]): void {
      turnTo(plan, operations);
      first = targets;
      run();
    },
    /** Simulates these too, once nothing comes first, and then the slowdown. */
    wantAll(plan: PipelinePlan, operations: number, targets: readonly SensitivityTarget[]): void {
      turnTo(plan, operations);
      rest = targets;
      wantsSlowdown = true;
      run();
    },
    /** Nobody waits for the rest: a large pipeline is not simulated on. */
    dropAll(): void {
      rest = [];
      wantsSlowdown = false;
      if (running !== undefined && first.length === 0) stop();
    },
  };
}

const isSettled = (slowdown: Slowdown | undefined): slowdown is SlowdownReport | 'none' =>
  slowdown === 'none' || (slowdown !== undefined && 'ideal' in slowdown);
