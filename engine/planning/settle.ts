/** What a pipeline says with nothing left open: a planner has made its stages, and its iterations are counted. */
import type { Cut } from '../definitions/cut.ts';
import { hasBarrier } from '../exchange/rule.ts';
import { engineOf } from './engineOf.ts';
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
    use: useUnder(notes, pipeline),
    cut,
    iterations: iterations === 'steady' ? steadyIterations(ranksOf(notes, pipeline, cut), microbatches) : iterations,
  };
}

/**
 * The schedule as the engine runs it where the file leaves that open. Megatron warms up by one more forward of a chunk: an exchange of
 * experts then runs in parallel with the compute of another microbatch.
 */
function useUnder(notes: Notes, pipeline: PipelineDefinition): PipelineDefinition['use'] {
  const { use, overlap, mesh } = pipeline;
  const parameter = 'extra_warmup';
  if (use.kind !== 'policy' || parameter in use.args || overlap.expert === 0 || mesh.expert === 1) return use;
  if (!use.policy.parameters.some(({ name }) => name === parameter) || use.policy.chunks(use.args) === 1) return use;
  const extra = engineOf(notes, pipeline)?.overlapWarmup ?? 0;
  return extra === 0 ? use : { ...use, args: { ...use.args, [parameter]: extra } };
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
