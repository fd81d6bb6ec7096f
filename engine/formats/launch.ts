/** What an export to a training engine starts from, and what all of them say. */
import type { ModelDefinition } from '../definitions/model.ts';
import type { OptimizerUse } from '../definitions/optimizer.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { Engine } from '../engines/engine.ts';
import { orderRefusals, refusalWords, writtenRefusals } from '../engines/registry.ts';
import { setupOf } from '../engines/setupOf.ts';
import type { PipelinePlan } from '../values/plan.ts';

export interface Launch {
  readonly plan: PipelinePlan;
  /** What the pipeline says, of which the plan has the figures. */
  readonly pipeline: SettledPipeline;
  /** Devices of a machine, which start together. */
  readonly perHost: number;
}

/** What a file says of its pipelines, by their names. */
interface Said {
  readonly settled: ReadonlyMap<string, SettledPipeline>;
  readonly sizes: ReadonlyMap<string, { readonly perHost: number }>;
}

/** Undefined of a schedule that is shown without a pipeline. */
export function launchOf({ settled, sizes }: Said, plan: PipelinePlan): Launch | undefined {
  const pipeline = settled.get(plan.name);
  return pipeline === undefined ? undefined : { plan, pipeline, perHost: sizes.get(plan.name)?.perHost ?? 1 };
}

/** Why an engine cannot run it: a sentence without its full stop. */
export interface Unwritable {
  readonly problem: string;
}

/** Undefined if the engine runs it: what a finding and a plan say of it, said once more. */
export function launchRefusal(engine: Engine, { plan, pipeline }: Launch): Unwritable | undefined {
  const modes = plan.stages.map(({ recomputeMode }) => recomputeMode);
  const [refusal] = [...orderRefusals(engine, plan), ...writtenRefusals(engine, setupOf(pipeline, plan, modes))];
  return refusal === undefined ? undefined : { problem: refusalWords(refusal) };
}

/** Devices that it runs on, and the machines that have them. */
export function worldOf({ plan, pipeline, perHost }: Launch): {
  readonly devices: number;
  readonly nodes: number;
  readonly each: number;
} {
  const { tensor, context, data } = pipeline.mesh;
  const devices = plan.devices.length * tensor * context * data;
  const each = Math.min(perHost, devices);
  return { devices, each, nodes: Math.ceil(devices / each) };
}

/** Adapters and frozen weights. */
export const trainsPart = ({ layers, frozen }: ModelDefinition): boolean =>
  frozen !== undefined || layers.some(({ trains }) => trains !== undefined);

/** Whether the file says which optimizer trains: \`custom\` has bytes and no name. */
export const namesOptimizer = (optimizer: OptimizerUse | undefined): boolean =>
  optimizer !== undefined && !['none', 'custom'].includes(optimizer.recipe.name);

/** Whether microbatches go through stages on two or more ranks. */
export const hasPipeline = ({ devices }: PipelinePlan): boolean => devices.length > 1;
