/** The device that explains the difference of two plans: one of them simulated again with times of the other. */
import { steadyOf } from '../analyze/steady.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { generate } from '../schedule/generate.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import { iterationSeconds } from '../values/timeline.ts';

/** Devices that are tried as the reason of a difference. */
const mostTried = 3;

/**
 * The device whose stages, with the times that they have in `base`, undo over half of the difference of the two iterations.
 * Undefined if there is none, or if the stages of the two plans are not on the same devices.
 */
export function deviceBehind(plan: PipelinePlan, base: PipelinePlan, difference: number): number | undefined {
  if (plan.devices.length !== base.devices.length || plan.stages.length !== base.stages.length) return undefined;
  if (plan.placement.some((device, stage) => base.placement[stage] !== device)) return undefined;
  const changed = plan.devices.map((_, device) => ({
    device,
    seconds: plan.stages.reduce(
      (sum, stage, index) => sum + (plan.placement[index] === device ? timeBetween(stage, base.stages[index]) : 0),
      0,
    ),
  }));
  const now = iterationOf(plan);
  for (const { device, seconds } of changed.sort((a, b) => b.seconds - a.seconds).slice(0, mostTried)) {
    if (now === undefined || !(seconds > 0)) return undefined;
    const stages = plan.stages.map((stage, index) =>
      plan.placement[index] === device ? withTimesOf(stage, base.stages[index]) : stage,
    );
    const undone = iterationOf({ ...plan, stages });
    if (undone !== undefined && (now - undone) / difference > 0.5) return device;
  }
  return undefined;
}

type Stage = PipelinePlan['stages'][number];
const timeBetween = (a: Stage, b: Stage): number =>
  Math.abs(a.forward - b.forward) +
  Math.abs(a.backwardInput - b.backwardInput) +
  Math.abs(a.backwardWeight - b.backwardWeight) +
  Math.abs(a.recompute - b.recompute);

const withTimesOf = (stage: Stage, { forward, backwardInput, backwardWeight, recompute }: Stage): Stage => ({
  ...stage,
  forward,
  backwardInput,
  backwardWeight,
  recompute,
});

/** Seconds of an iteration (of the steady period if it is asynchronous); undefined where the plan cannot run. */
export function iterationOf(plan: PipelinePlan): number | undefined {
  const generated = generate(plan);
  if (!('program' in generated)) return undefined;
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  return timeline === undefined ? undefined : (steadyOf(timeline)?.period ?? iterationSeconds(timeline));
}
