/** What a pipeline says with nothing left open: a planner has made its stages, and its iterations are counted. */
import type { Cut } from '../definitions/cut.ts';
import { hasBarrier } from '../exchange/rule.ts';
import { askingWith } from './ownSchedule.ts';
import { devicesFor } from './place/ranks.ts';
import { replicasOf } from './place/replicas.ts';
import type { PipelineDefinition, SettledPipeline } from '../definitions/pipeline.ts';
import { planCut } from './cut/planCut.ts';
import type { Notes } from './notes.ts';
import { steadyIterations } from './steadyIterations.ts';

/** `undefined` where a planner cannot plan, which has been reported. */
export function settle(notes: Notes, pipeline: PipelineDefinition): SettledPipeline | undefined {
  const { cut: written, iterations, microbatches } = pipeline;
  const cut = written.kind === 'plan' ? planCut(notes, { ...pipeline, ...optimizerOf(pipeline) }, written) : written;
  if (cut === undefined) return undefined;
  return {
    ...pipeline,
    ...optimizerOf(pipeline),
    cut,
    iterations: iterations === 'steady' ? steadyIterations(ranksOf(notes, pipeline, cut), microbatches) : iterations,
  };
}

/**
 * If weights may be updated while activations are held, copies of gradients for the update are part of the state. This is so in
 * asynchronous schedules, and without a barrier between iterations.
 */
function optimizerOf({ optimizer, use, exchange }: PipelineDefinition): Pick<PipelineDefinition, 'optimizer'> {
  if (optimizer?.recipe.withCopies === undefined) return {};
  const rule = use.kind === 'policy' ? use.policy.weights?.(use.args) : use.definition.weights;
  const sync = exchange?.sync;
  const apart = (rule ?? 'flush') === 'flush' && (sync === undefined || hasBarrier(sync.preset, sync.written));
  return apart ? {} : { optimizer: { ...optimizer, recipe: optimizer.recipe.withCopies } };
}

/** Ranks of all stages, each replica or copy that takes turns counted. */
function ranksOf(notes: Notes, { cluster, mesh, use }: PipelineDefinition, cut: Cut): number {
  const blocks = cut.kind === 'blocks' ? cut.stages : undefined;
  const stages = cut.count;
  const replicas = replicasOf(notes, { cluster, blocks, stages, mesh }).reduce((sum, each) => sum + each, 0);
  const definition = use.kind === 'own' && use.definition.on !== undefined ? use.definition : undefined;
  // An expression that is wrong for these numbers is reported where stages are placed.
  const devices =
    definition === undefined ? 0 : devicesFor(askingWith(notes.schedules), definition, { stages, cluster, mesh });
  return typeof devices === 'number' ? Math.max(replicas, devices) : replicas;
}
