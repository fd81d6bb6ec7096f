import { sameMesh } from '../costs/mesh.ts';
import { scattersEach, shardsWeights } from '../costs/optimizer.ts';
import { lossParameter } from '../costs/loss.ts';
import { takesArgument } from '../costs/shapes.ts';
import type { RecomputeMode } from '../costs/types.ts';
import { onlyBuckets } from '../definitions/exchange.ts';
import { hasExperts } from '../definitions/model.ts';
import type { OptimizerUse } from '../definitions/optimizer.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import { integerArgument } from '../policies/arguments.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { PartTraining, Setup } from './engine.ts';
import { chunksOf } from './orders.ts';

/** How each head computes its loss, once. */
export function lossesOf({ layers }: SettledPipeline['model']): readonly (string | undefined)[] {
  const heads = layers.flatMap(({ cost }) =>
    cost.kind === 'shape' && takesArgument(cost.shape, lossParameter.name) ? [cost.args[lossParameter.name]] : [],
  );
  return [...new Set(heads)].map((loss) => (loss === undefined ? undefined : String(loss)));
}

/** What trains, of a model with adapters or frozen layers. */
export function partTraining({ layers, frozen }: SettledPipeline['model']): PartTraining | undefined {
  const loras = layers.flatMap(({ trains }) => (typeof trains === 'object' ? [trains] : []));
  const isFrozen = frozen !== undefined || layers.some(({ trains }) => trains === 'nothing');
  if (loras.length === 0) return isFrozen ? { freezes: true } : undefined;
  const ofExperts = (targets: (typeof loras)[number]['targets'] = []) =>
    hasExperts({ layers }) && targets.some((target) => ['gate', 'up', 'down'].includes(target));
  return {
    adapters: {
      packed: loras.some(({ packed }) => packed),
      dropout: loras.some(({ dropout }) => dropout),
      experts: loras.some(({ targets }) => ofExperts(targets)),
    },
    freezes: layers.some(({ trains }) => trains === undefined),
  };
}

const sharedArguments = ['shard', 'over', 'reshard', 'prefetch', 'gradient_sync', 'clip'];

/** Arguments that every optimizer has, as the file writes them. */
const sharedText = ({ written }: OptimizerUse): string =>
  sharedArguments.flatMap((name) => (written.has(name) ? [`${name} = ${String(written.get(name))}`] : [])).join(', ');

function extraWarmup({ use }: SettledPipeline): Pick<Setup, 'extraWarmup'> {
  const name = 'extra_warmup';
  if (use.kind !== 'policy' || !use.policy.parameters.some((parameter) => parameter.name === name)) return {};
  return { extraWarmup: { forwards: integerArgument(use.args, name, 0), written: name in use.written.values } };
}

/** What a pipeline says but for its order. `recompute`: of its stages. */
export function setupOf(pipeline: SettledPipeline, plan: PipelinePlan, recompute: readonly RecomputeMode[]): Setup {
  const { cut, mesh, model, optimizer, exchange, sync, local, transfer, rankOrder, overlap, offload } = pipeline;
  const blocks = cut.kind === 'blocks' ? cut.stages : [];
  // A key that is not written has the place of the pipeline's name, as one that no pipeline has.
  const unwritten = pipeline.at('');
  const training = partTraining(model);
  return {
    microbatches: plan.microbatches,
    ranks: plan.devices.length,
    chunks: chunksOf(plan),
    mesh,
    unlike:
      plan.devices.some((device) => device.mesh !== undefined) ||
      blocks.some(
        (block) => block.replicate !== undefined || (block.mesh !== undefined && !sameMesh(block.mesh, mesh)),
      ),
    hasExperts: hasExperts(model),
    layers: model.layers,
    ...extraWarmup(pipeline),
    blocks: transfer.rule !== undefined,
    ...(model.sequence === undefined ? {} : { sequence: model.sequence }),
    precision: model.precision,
    ...(training === undefined ? {} : { training }),
    losses: lossesOf(model),
    recompute: [...new Set(recompute)],
    ...(optimizer === undefined
      ? {}
      : {
          optimizer: {
            recipe: optimizer.recipe.name,
            shard: optimizer.shard,
            ...(optimizer.over === undefined ? {} : { over: optimizer.over }),
            ...(optimizer.offload === undefined ? {} : { offload: optimizer.offload.share }),
            written: optimizer.written,
            shared: sharedText(optimizer),
            reshard: optimizer.reshard,
            ...(optimizer.reshardTo === undefined ? {} : { reshardTo: optimizer.reshardTo }),
            syncsLast: shardsWeights(optimizer.shard) && optimizer.reshard && !scattersEach(optimizer),
            writes: (argument: string) => optimizer.at.has(argument),
          },
        }),
    offload: offload !== undefined,
    overlap,
    sync: {
      name: local === undefined ? (exchange?.sync?.preset.name ?? (sync === undefined ? 'end' : 'overlap')) : 'local',
      arguments: exchange?.sync?.preset.name === 'overlap' && !onlyBuckets(exchange.sync),
      ...(local === undefined ? {} : { local }),
    },
    ...(exchange?.collective === undefined ? {} : { collective: exchange.collective.name }),
    rankOrder,
    receivesAll: transfer.receive === 'all',
    writes: (key) => pipeline.at(key) !== unwritten,
  };
}
