import type { PipelinePlan, PolicyArgument, StageCopy } from '../../../../engine/values/plan.ts';
import { generate } from '../../../../engine/schedule/generate.ts';
import { validate } from '../../../../engine/schedule/validate.ts';
import { simulate } from '../../../../engine/simulate/simulate.ts';
import type { Timeline } from '../../../../engine/values/timeline.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { type Versions, stalenessAt, versionsOf } from '../../../../engine/simulate/versions.ts';
import { type Recipe, recipePlan, policy } from '../../support/plans.ts';

export interface AsynchronousRecipe extends Partial<Omit<Recipe, 'schedule' | 'microbatches' | 'devices'>> {
  readonly name: string;
  readonly args?: Readonly<Record<string, PolicyArgument>>;
  readonly stages: number;
  /** Of one update. */
  readonly microbatches?: number;
  readonly iterations?: number;
  /** Replicas of each stage that take turns. */
  readonly replicas?: readonly number[];
}

/** A plan of a built-in asynchronous policy, one stage or replica a device. */
export function asynchronousPlan(recipe: AsynchronousRecipe): PipelinePlan {
  const { name, args = {}, stages, microbatches = 1, replicas } = recipe;
  const iterations = recipe.iterations ?? Math.max(16, 8 * Math.ceil(stages / microbatches));
  const copies: readonly StageCopy[] | undefined = replicas?.flatMap((every, stage) =>
    Array.from({ length: every }, (_, first) => ({ stage, every, first })),
  );
  const devices = copies?.length ?? stages;
  const edges = copies?.flatMap((from, a) =>
    copies.flatMap((to, b) => (to.stage === from.stage + 1 && meet(from, to) ? [{ from: a, to: b, bytes: 0 }] : [])),
  );
  const cost = (values: readonly number[] | undefined) => values && copies?.map((copy) => values[copy.stage]);
  const plan = recipePlan({
    ...recipe,
    devices,
    stages: devices,
    microbatches,
    schedule: policy(name, args),
    ...(copies === undefined
      ? {}
      : {
          edges,
          forward: cost(recipe.forward),
          backwardInput: cost(recipe.backwardInput),
          backwardWeight: cost(recipe.backwardWeight),
        }),
  });
  return {
    ...plan,
    iterations,
    stages: plan.stages.map((stage, index) => (copies === undefined ? stage : { ...stage, copy: copies[index] })),
  };
}

const meet = (a: StageCopy, b: StageCopy): boolean =>
  Array.from({ length: a.every * b.every }, (_, j) => j).some(
    (j) => j % a.every === a.first && j % b.every === b.first,
  );

export interface Ran {
  readonly timeline: Timeline;
  readonly versions: Versions;
}

/** Generated, found valid, simulated. */
export function timelineOf(plan: PipelinePlan): Timeline {
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(generated.faults.map((fault) => JSON.stringify(fault)).join('\n'));
  const { program } = generated;
  const faults = validate(program, plan);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('does not run');
  return timeline;
}

/** An asynchronous plan with the versions that its operations use. */
export function run(plan: PipelinePlan): Ran {
  const timeline = timelineOf(plan);
  const versions = versionsOf(timeline.program);
  if (versions === undefined) throw new Error('is synchronous');
  return { timeline, versions };
}

/** A figure of every microbatch of a stage from the middle of the run on, each value once. */
export function settled(ran: Ran, stage: number, figure: (slot: number) => number): readonly number[] {
  const { microbatches } = ran.timeline.program;
  const values = new Set<number>();
  for (let j = Math.ceil(microbatches / 2); j < microbatches; j += 1) {
    const slot = stage * microbatches + j;
    if (ran.versions.read[slot] >= 0) values.add(figure(slot));
  }
  return [...values].sort((a, b) => a - b);
}

export const stalenessOf = (ran: Ran, stage: number): readonly number[] =>
  settled(ran, stage, (slot) => stalenessAt(ran.versions, slot));
