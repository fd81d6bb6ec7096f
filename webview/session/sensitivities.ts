import type { SensitivityTarget } from '../../engine/analyze/sensitivity.ts';
import { keyOf } from '../../engine/analyze/tornado.ts';
import type { PipelinePlan } from '../../engine/plan.ts';
import type { SensitivityRow } from '../../engine/report.ts';
import type { EngineWorker } from './engineWorker.ts';
import type { FromWorker } from '../worker/messages.ts';

/** Operations above which parts of a pipeline are simulated only on request. */
export const unaskedOperations = 65_536;
/** Operations that one message asks for: what is asked for meanwhile waits for its end. */
const operationsAtOnce = 200_000;

/** Of a part that cannot be simulated. */
export type Sensitivity = SensitivityRow | 'none';

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
  /** What is looked at comes first, then all others. */
  let first: readonly SensitivityTarget[] = [];
  let rest: readonly SensitivityTarget[] = [];
  let running: readonly SensitivityTarget[] = [];
  let next = 0;

  function receive(message: FromWorker): void {
    const answered = message.type === 'sensitivity' && message.id === next;
    if (running.length === 0 || !(answered || message.type === 'failed')) return;
    running.forEach((target, at) => known.set(keyOf(target), (answered ? message.rows[at] : undefined) ?? 'none'));
    running = [];
    found();
    run();
  }

  const isOpen = (target: SensitivityTarget): boolean => !known.has(keyOf(target));

  function run(): void {
    if (running.length > 0 || of === undefined) return;
    first = first.filter(isOpen);
    rest = rest.filter(isOpen);
    const targets = first.length > 0 ? first : rest;
    if (targets.length === 0) return;
    running = targets.slice(0, of.atOnce);
    next += 1;
    worker ??= start(receive);
    worker.send({ type: 'sensitivity', id: next, ...(begun ? {} : { plan: of.plan }), targets: running });
    begun = true;
  }

  function stop(): void {
    if (running.length > 0) {
      worker?.stop();
      worker = undefined;
    }
    running = [];
    begun = false;
    first = [];
    rest = [];
  }

  function turnTo(plan: PipelinePlan, operations: number): void {
    if (plan === of?.plan) return;
    stop();
    of = { plan, atOnce: Math.max(1, Math.floor(operationsAtOnce / Math.max(1, operations))) };
    known = new Map();
  }

  return {
    /** Undefined while it is not known. */
    of: (plan: PipelinePlan, target: SensitivityTarget): Sensitivity | undefined =>
      plan === of?.plan ? known.get(keyOf(target)) : undefined,
    /** Simulates these before all others, instead of those that were to come first. */
    want(plan: PipelinePlan, operations: number, targets: readonly SensitivityTarget[]): void {
      turnTo(plan, operations);
      first = targets;
      run();
    },
    /** Simulates these too, once nothing comes first. */
    wantAll(plan: PipelinePlan, operations: number, targets: readonly SensitivityTarget[]): void {
      turnTo(plan, operations);
      rest = targets;
      run();
    },
    /** Nobody waits for the rest: a large pipeline is not simulated on. */
    dropAll(): void {
      rest = [];
      if (running.length > 0 && first.length === 0) stop();
    },
  };
}
