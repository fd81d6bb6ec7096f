/** The plan of a pipeline whose schedule loads the model onto a device, a group of layers at a time, and runs it once. */
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { Notes } from './notes.ts';
import { elementName } from '../definitions/model.ts';
import { lone } from '../costs/mesh.ts';
import { count } from '../basics/quantities.ts';
import { loadedArguments } from '../policies/loading/arguments.ts';
import { type LoadCosts, groupSizes } from '../policies/loading/grouping.ts';
import type { LayerCost } from '../costs/types.ts';
import { sumStage } from '../costs/stage.ts';
import type { EdgePlan, PipelinePlan, StagePlan } from '../values/plan.ts';
import { elementOrder } from '../definitions/elementOrder.ts';
import { computes } from './cost/computes.ts';
import { hintLayers } from './hints.ts';
import { layerCosts } from './cost/layerCosts.ts';
import { planOrigins } from './origins.ts';
import { alone, reservedOf } from './cost/reserved.ts';
import { loneSite } from './place/sites.ts';

/**
 * Two lanes, the copy engine and the first device of the cluster, and two stages for each group. `load[g]` takes call + bytes /
 * bandwidth. `run[g]` takes sync + the forwards of its layers, and needs `load[g]` and `run[g − 1]`. All weights are counted on
 * the device, whose memory for them is set aside before the first group arrives.
 */
export function planLoading(notes: Notes, pipeline: SettledPipeline): PipelinePlan | undefined {
  const { name, model, cluster, use, microbatches } = pipeline;
  const loading = use.kind === 'policy' ? use.policy.loading?.(use.args) : undefined;
  const [device] = cluster.devices;
  if (use.kind !== 'policy' || loading === undefined || !computes(notes, { ...pipeline, meshes: [] }, [device.kind]))
    return undefined;
  const site = loneSite(device.kind);
  const costs = layerCosts(model);
  const order = [...elementOrder(model)];
  const layers = order.map((element) => costs.of(element, site, 'none'));
  const sizes = { bytes: layers.map((layer) => layer.weights), seconds: layers.map((layer) => layer.forward) };
  const groups = groupSizes(loading.grouping, sizes, loading);
  const stages: StagePlan[] = [];
  const edges: EdgePlan[] = [];
  let first = 0;
  for (const [group, size] of groups.entries()) {
    const names = order.slice(first, first + size).map((element) => elementName(model, element));
    stages.push(...groupStages(group, names, layers.slice(first, first + size), loading));
    if (group > 0) edges.push({ from: 2 * group - 1, to: 2 * group + 1, bytes: 0 });
    edges.push({ from: 2 * group, to: 2 * group + 1, bytes: 0 });
    first += size;
  }
  const rank = { devices: [0], kind: device.kind, mesh: lone };
  planOrigins(notes, pipeline, { ranks: [rank, rank] }, stages.length);
  hintLayers(notes, { pipeline: name, model, costs, site, recompute: 'none' });
  notes.describe(name, `${use.policy.name}, ${count(groups.length, 'group', 'groups')}`, []);
  const { name: kind, memory } = device.kind;
  const held = reservedOf(device.kind, alone, notes.options.memory);
  return {
    name,
    doc: pipeline.doc,
    model: model.name,
    microbatches,
    iterations: 1,
    schedule: { kind: 'policy', name: use.policy.name, args: loadedArguments(use.args, sizes, groups) },
    devices: [
      { name: `${device.name} transfer`, kind, memory, ...held },
      { name: device.name, kind, memory, ...held },
    ],
    stages,
    placement: stages.map((_, stage) => stage % 2),
    edges,
    routes: [],
    tensor: 1,
    context: 1,
    data: 1,
    expert: 1,
    microBatchSize: model.microBatch,
    step: [
      { sync: 0, optimizer: 0 },
      { sync: 0, optimizer: 0 },
    ],
    expects: [],
  };
}

/** Loading and running one group. Of what the layers hold while they run, only the largest is there at a time. */
function groupStages(
  group: number,
  names: readonly string[],
  layers: readonly LayerCost[],
  { bandwidth, call, sync }: LoadCosts,
): readonly [StagePlan, StagePlan] {
  const sum = sumStage(layers, 'none');
  const nothing = {
    layers: names,
    backwardInput: 0,
    backwardWeight: 0,
    recompute: 0,
    splitKnown: true,
    gradients: 0,
    optimizer: 0,
    activationForWeight: 0,
    recomputed: 0,
    buffers: 0,
    recomputeMode: 'none',
  } as const;
  return [
    {
      ...nothing,
      name: `load[${group}]`,
      parameters: 0,
      forwardFlops: 0,
      forward: call + sum.weights / bandwidth,
      weights: 0,
      activation: 0,
      workspace: 0,
    },
    {
      ...nothing,
      name: `run[${group}]`,
      parameters: sum.parameters,
      forwardFlops: sum.forwardFlops,
      forward: sync + sum.forward,
      weights: sum.weights,
      activation: layers.reduce((most, layer) => Math.max(most, layer.activation), 0),
      workspace: sum.workspace,
    },
  ];
}
