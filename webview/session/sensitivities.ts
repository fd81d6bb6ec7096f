import type { PipelinePlan } from '../../engine/plan.ts';
import { withStageTimes } from '../../engine/sensitivity.ts';
import type { EngineWorker } from './engineWorker.ts';
import type { FromWorker } from '../worker/messages.ts';

/** Share of the stage's times that is left. */
const factor = 0.9;
/** Operations above which a stage is simulated only on request. */
export const unaskedOperations = 65_536;

/**
 * Seconds that an iteration takes longer (less than 0: shorter) when a stage of the cut is 10 % faster. Simulated in a second worker, so that drawing never waits for it. Each stage of a plan is simulated once. A simulation of another plan is stopped.
 */
export function sensitivities(
  start: (receive: (message: FromWorker) => void) => Pick<EngineWorker, 'send' | 'stop'>,
  found: () => void,
) {
  let worker: ReturnType<typeof start> | undefined;
  let of: PipelinePlan | undefined;
  let known = new Map<number, number>();
  let waiting: readonly number[] = [];
  let running: number | undefined;
  let next = 0;

  function receive(message: FromWorker): void {
    const iterated = message.type === 'iterated' && message.id === next;
    if (running === undefined || !(iterated || message.type === 'failed')) return;
    known.set(running, (iterated ? message.iteration : undefined) ?? NaN);
    running = undefined;
    found();
    run();
  }

  function run(): void {
    const [stage] = waiting;
    if (running !== undefined || stage === undefined || of === undefined) return;
    waiting = waiting.slice(1);
    running = stage;
    next += 1;
    worker ??= start(receive);
    worker.send({ type: 'iterate', id: next, plan: withStageTimes(of, stage, factor) });
  }

  return {
    /** Undefined while it is not known, NaN where the plan with the faster stage cannot run. `iteration`: of the plan itself. */
    change(plan: PipelinePlan, stage: number, iteration: number): number | undefined {
      const faster = plan === of ? known.get(stage) : undefined;
      return faster === undefined ? undefined : faster - iteration;
    },
    /** Simulates stages one after the other, instead of those that still wait. */
    want(plan: PipelinePlan, stages: readonly number[]): void {
      if (plan !== of) {
        of = plan;
        known = new Map();
        if (running !== undefined) {
          worker?.stop();
          worker = undefined;
        }
        running = undefined;
      }
      waiting = stages.filter((stage) => !known.has(stage) && running !== stage);
      run();
    },
  };
}
