/** Files whose gradients a rule orders, from text to timelines. */
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { generate } from '../../../../engine/schedule/generate.ts';
import { simulate } from '../../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { iterationSeconds, type Timeline } from '../../../../engine/values/timeline.ts';
import { resolveText, type Setting } from '../../../support/resolve.ts';

export interface FileRun {
  readonly plan: PipelinePlan;
  readonly timeline: Timeline;
  /** Seconds of an iteration. */
  readonly iteration: number;
}

/** The run of each pipeline of a text; throws with the messages of the errors. */
export function runsOf(text: string, setting: Setting = {}): ReadonlyMap<string, FileRun> {
  const { plan, findings } = resolveText(text, setting);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return new Map(plan.pipelines.map((pipeline) => [pipeline.name, runOfPlan(pipeline)]));
}

export function runOfPlan(plan: PipelinePlan): FileRun {
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(`${plan.name} has no schedule`);
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined) throw new Error(`${plan.name} waits for ever`);
  return { plan, timeline, iteration: iterationSeconds(timeline) };
}

/** Pipelines that are alike but for what each says: `[name, keys]`. */
export const pipelinesOf = (common: string, each: readonly (readonly [name: string, keys: string])[]): string =>
  each.map(([name, keys]) => `pipeline ${name} { ${common} ${keys} }\n`).join('');
