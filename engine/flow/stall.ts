/** A schedule that never ends: what runs before its devices wait for each other, and who waits for whom. */
import { programDependencies } from '../order/dependencies.ts';
import { visitInOrder } from '../order/topology.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import { type Deadlock, findDeadlocks } from '../schedule/deadlock.ts';
import { generate } from '../schedule/generate.ts';
import { eachWait, waitingOf } from '../schedule/waiting.ts';
import { runUntilStalled, type StalledRun } from '../simulate/stalled.ts';
import { timingOf } from '../simulate/timing.ts';

export interface Stall extends StalledRun {
  readonly program: Program;
  /** By device: position that its first stuck operation needs and that never runs; −1 if it waits for none. */
  readonly waits: Int32Array;
  /** Circles of operations that wait for each other, shortest first. No operation is in two of them. */
  readonly circles: readonly Deadlock[];
}

/** Circles that anyone looks at. */
const mostCircles = 20;

/** The stall of a pipeline whose evaluation gives `schedule/deadlock`; undefined if its schedule ends, or if there is no program. */
export function stallOf(plan: PipelinePlan): Stall | undefined {
  const generated = generate(plan);
  if ('faults' in generated) return undefined;
  const { program } = generated;
  const circles = findDeadlocks(program, plan, mostCircles);
  if (circles.length === 0) return undefined;
  const dependencies = programDependencies(program, plan.edges);
  const ordered = visitInOrder(program, dependencies, () => {});
  const run = runUntilStalled(program, ordered, timingOf(plan, program));
  const waiting = waitingOf(program, dependencies, run.stuck);
  const waits = run.stuck.map((position, device) => {
    let needed = -1;
    if (position < program.offsets[device + 1]) {
      eachWait(waiting, position, (_, target, because) => {
        if (needed < 0 && because === 'needs') needed = target;
      });
    }
    return needed;
  });
  return { program, circles, waits, ...run };
}
