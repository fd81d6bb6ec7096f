/** What `plan(alpa)` plans for, and what it says of its plan. */
import { dataGroups } from '../place/rankGroups.ts';
import { optimizers, shardsGradients } from '../../costs/optimizer.ts';
import { noFrozen } from '../../costs/training.ts';
import { equalGroups } from '../../definitions/cluster.ts';
import type { DeviceDefinition } from '../../definitions/device.ts';
import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import type { Uncut } from '../../definitions/pipeline.ts';
import type { Mesh } from '../../costs/mesh.ts';
import { count, time, timeAtLeast } from '../../basics/quantities.ts';
import { computes } from '../cost/computes.ts';
import { gradientExchange } from '../cost/gradientExchange.ts';
import { layerCosts, meshProblem } from '../cost/layerCosts.ts';
import { pipelineMode } from '../cost/recomputation.ts';
import { alone, reservedOf } from '../cost/reserved.ts';
import type { Notes } from '../notes.ts';
import { sitesOf } from '../place/sites.ts';
import { elementOrder } from '../../definitions/elementOrder.ts';
import { dagOf, hasOneOrder } from './dag/graph.ts';
import { heldMicrobatches } from './heldMicrobatches.ts';
import { type Explained, meshOf } from './plannedBlocks.ts';
import { alpaInTime } from './planners/alpa.ts';
import type { AlpaMesh } from './planners/alpaProblem.ts';
import { alpaSearch } from './planners/planSearch.ts';
import { runLayers } from './runFigures.ts';
import { embeddingCopies, stateOf } from './sharedEmbeddings.ts';

/** Schedules of which is known what a stage holds by the number of stages that are left from it on. */
const schedules = ['1f1b', 'eager_1f1b', 'gpipe', 'dapple'];

/** Why Alpa cannot plan this pipeline. */
export function alpaProblemOf(pipeline: Uncut): string | undefined {
  const { cluster, use, mesh, model, lengths, offload, optimizer } = pipeline;
  const name = use.kind === 'policy' ? use.policy.name : use.definition.name;
  if (use.kind !== 'policy' || !schedules.includes(name) || use.args['warmup'] !== undefined)
    return `it needs to know how many microbatches each stage holds, and knows this for \`1f1b\` without \`warmup\`, \`eager_1f1b\`, \`gpipe\` and \`dapple\`, not for "${name}"${use.kind === 'policy' && name === '1f1b' ? ' with `warmup`' : ''}`;
  if (mesh.tensor > 1 || mesh.data > 1)
    return `it chooses the tensor and data ranks of every stage; leave out \`${mesh.tensor > 1 ? `tensor = ${mesh.tensor}` : `data = ${mesh.data}`}\``;
  if (mesh.context > 1 || mesh.expert > 1)
    return `its stages have tensor and data ranks alone; leave out \`${mesh.context > 1 ? `context = ${mesh.context}` : `expert = ${mesh.expert}`}\``;
  if (lengths !== undefined) return `its stages are planned for equal microbatches; leave out \`${lengths.key}\``;
  if (offload !== undefined) return 'it ignores activations that are offloaded; leave out `offload`';
  if (optimizer !== undefined && shardsGradients(optimizer.shard))
    return `it does not know what ranks gather under \`shard = ${optimizer.shard}\`; use \`shard = zero1\``;
  const measured = model.layers.filter(({ cost }) => cost.kind === 'measured').length;
  if (mesh.sequenceParallel && measured > 0 && measured < model.layers.length)
    return 'it does not know what measured layers send to ranks with `sequence_parallel`; leave it out';
  const sizes = equalGroups(cluster);
  if (sizes === undefined || sizes.length > 2)
    return `it needs equal nodes with equal links, one level of them, and no links between named devices, which "${cluster.name}" does not have`;
  const nodeSize = sizes[sizes.length - 1];
  if (Math.log2(nodeSize) % 1 !== 0)
    return `it needs nodes of 1, 2, 4, … devices, so that submeshes fill them, and a node of "${cluster.name}" has ${nodeSize}`;
  return undefined;
}

/** Seconds of the exchange of gradients of this many parameters: the rest is in proportion. */
const probe = 1e9;

/** The plan; a text says why there is none. `undefined`: reported, or being found elsewhere. */
export function alpaPlan(notes: Notes, pipeline: Uncut, kind: DeviceDefinition): Explained | string | undefined {
  const { cluster, model, mesh: base, microbatches, optimizer, use } = pipeline;
  if (!computes(notes, { ...pipeline, meshes: [base] }, [kind])) return undefined;
  const devices = cluster.devices.length;
  const nodeSize = equalGroups(cluster)?.at(-1) ?? devices;
  const meshes = meshesOf(model, base, devices, nodeSize);
  if (!alpaInTime(model.elements, meshes.length, devices))
    return `${count(model.elements, 'layer', 'layers')} on ${count(devices, 'device', 'devices')} have too many plans to search; \`balance\` cuts any number`;
  const groups = meshes.map((mesh) => ({
    kind,
    mesh,
    devices: Array.from({ length: mesh.tensor * mesh.data }, (_, device) => device),
    ...(mesh.data === base.data ? {} : { split: mesh.data / base.data }),
  }));
  const sites = sitesOf(notes, pipeline, groups);
  if (sites === undefined) return undefined;
  const order = elementOrder(model);
  const costs = layerCosts(model);
  const mode = pipelineMode(pipeline);
  const per = (optimizer?.recipe ?? optimizers[0]).moved(model.precision);
  const planned: AlpaMesh[] = [];
  for (const [index, { tensor, data }] of meshes.entries()) {
    const exchange = gradientExchange(notes, pipeline, [groups[index]], per, dataGroups);
    if (exchange === undefined) return undefined;
    const seconds = (parameters: number): number =>
      exchange.gradients(parameters).seconds + exchange.weights(parameters).seconds;
    const perParameter = (seconds(2 * probe) - seconds(probe)) / probe;
    const all = Array.from(order, (element) => costs.of(element, sites[index], mode));
    const copies = embeddingCopies(all, (cost) => stateOf(cost, sites[index], { model, optimizer }));
    const room = (isAlone: boolean): number =>
      kind.memory - reservedOf(kind, { ...alone, pipeline: !isAlone, tensor, data }, notes.options.memory).reserved;
    planned.push({
      devices: tensor * data,
      tensor,
      data,
      capacity: room(false),
      alone: room(true),
      latency: Math.max(0, seconds(probe) - perParameter * probe),
      perParameter,
      exchanged: Float64Array.from(all, ({ localParameters, frozen = noFrozen }) =>
        Math.max(0, localParameters - frozen.dense - frozen.experts),
      ),
      ...(copies === undefined ? {} : { copies }),
    });
  }
  const most = Math.min(model.elements, devices);
  const held =
    use.kind === 'policy'
      ? heldMicrobatches(use.policy, use.args, { stages: most, microbatches })
      : new Int32Array(most);
  const chain = hasOneOrder(dagOf(order.length, (element) => needsOf(model, element)));
  const found = notes.searches.answer(alpaSearch, {
    planner: 'alpa',
    layers: runLayers({ model, order, costs, mode, optimizer }, sites),
    order,
    chain,
    microbatches,
    devices,
    meshes: planned,
    held: held.toReversed(),
  });
  if (found === undefined) return undefined;
  if ('none' in found) return reasons[found.none](pipeline);
  const within = chain ? '' : ' in this order of the layers';
  const sure = found.exact
    ? 'and by it no plan takes less'
    : `the least that was found${within}; by it no plan takes less than ${timeAtLeast(found.least)}`;
  const stages = found.stages
    .map(
      ({ from, to, ranks = { tensor: 1, data: 1 } }) => `${to - from} on tensor ${ranks.tensor} × data ${ranks.data}`,
    )
    .join(', ');
  return {
    ...found,
    shown: {
      stages: found.stages.map(({ from, to, machines = [] }) => `${to - from} × ${machines.length}`),
      of: 'layers × devices',
    },
    levels: [],
    tooltip: `an iteration takes ${time(found.seconds)} by the planner's formula, ${sure}.\nLayers and ranks: ${stages}.`,
  };
}

const reasons = {
  ranks: ({ cluster }: Uncut): string =>
    `no stages fill all ${count(cluster.devices.length, 'device', 'devices')} of "${cluster.name}" with ranks that divide the layers and the samples of a microbatch`,
  memory: ({ cluster }: Uncut): string =>
    `by its formula every plan needs more memory than a device of "${cluster.name}" has; \`recompute = full\` or a smaller \`micro_batch\` needs less`,
  budget: (): string =>
    'its search ended before it found a plan that fits in memory; `balance(by = both)` cuts any number',
};

/**
 * Ranks of each submesh: 1, 2, 4, … devices of a node, then whole nodes. Tensor ranks divide the shapes of the layers, data ranks
 * the samples of a microbatch. Measured layers
 * have no times for tensor ranks, and any data ranks divide them.
 */
function meshesOf(model: ModelDefinition, base: Mesh, devices: number, nodeSize: number): readonly Mesh[] {
  const isMeasured = model.layers.every(({ cost }) => cost.kind === 'measured');
  const sizes: number[] = [];
  for (let size = 1; size < nodeSize; size *= 2) sizes.push(size);
  for (let size = nodeSize; size <= devices; size += nodeSize) sizes.push(size);
  return sizes.flatMap((size) =>
    Array.from({ length: size }, (_, index) => index + 1).flatMap((tensor) => {
      const data = size / tensor;
      if (!Number.isInteger(data)) return [];
      const mesh = meshOf(base, { tensor, data });
      if (isMeasured) return tensor === 1 ? [mesh] : [];
      return model.microBatch % data === 0 && meshProblem(model, mesh) === undefined ? [mesh] : [];
    }),
  );
}
