/** What `plan(hetpipe)` plans for, and what it says of its plan. */
import { shardsGradients } from '../../costs/optimizer.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { PlanCut } from '../../definitions/cut.ts';
import type { DeviceDefinition } from '../../definitions/device.ts';
import { needsOf } from '../../definitions/model.ts';
import type { Uncut, Unplanned } from '../../definitions/pipeline.ts';
import { sizeOf } from '../../costs/mesh.ts';
import { routeBetween } from '../../network/index.ts';
import { integerArgument } from '../../policies/arguments.ts';
import { count, list, time, timeAtLeast } from '../../basics/quantities.ts';
import { computes } from '../cost/computes.ts';
import { layerCosts, totalTime } from '../cost/layerCosts.ts';
import { pipelineMode } from '../cost/recomputation.ts';
import { alone, reservedOf } from '../cost/reserved.ts';
import { staticBytes } from '../cost/stagePlans.ts';
import type { Notes } from '../notes.ts';
import { sitesOf } from '../place/sites.ts';
import { steadyIterations } from '../steadyIterations.ts';
import { elementOrder } from '../../definitions/elementOrder.ts';
import { dagOf, hasOneOrder } from './dag/graph.ts';
import { heldAtOnce } from './heldAtOnce.ts';
import type { Explained } from './plannedBlocks.ts';
import { hetpipeInTime } from './planners/hetpipe.ts';
import type { DeviceClass, HetpipeProblem } from './planners/hetpipeProblem.ts';
import { hetpipeSearch } from './planners/planSearch.ts';
import { runLayers } from './runFigures.ts';
import { embeddingCopies, stateOf } from './sharedEmbeddings.ts';
import { virtualWorkers } from './virtualWorkers.ts';

/** Why HetPipe cannot plan this pipeline, whatever its devices. */
export function hetpipeProblemOf({ use, mesh, lengths, offload, optimizer }: Uncut): string | undefined {
  const name = use.kind === 'policy' ? use.policy.name : use.definition.name;
  if (use.kind !== 'policy' || name !== 'pipedream')
    return `virtual workers run \`pipedream(in_flight = …)\`, not "${name}"`;
  if (use.args['weights'] === 'vertical_sync')
    return 'it knows the versions of the weights under `weights = stash` and `latest`, not under `vertical_sync`';
  if (sizeOf(mesh) > 1) {
    const { tensor, context, data } = mesh;
    const [key, ranks] = Object.entries({ tensor, context, data }).find(([, value]) => value > 1) ?? ['data', data];
    return `each of its stages is on one device; leave out \`${key} = ${ranks}\``;
  }
  if (lengths !== undefined) return `its stages are planned for equal microbatches; leave out \`${lengths.key}\``;
  if (offload !== undefined) return 'it ignores activations that are offloaded; leave out `offload`';
  return optimizer !== undefined && shardsGradients(optimizer.shard)
    ? `each of its stages is on one device; leave out \`shard = ${optimizer.shard}\``
    : undefined;
}

/** Devices of a virtual worker above which their orders are too many. */
const mostDevices = 32;

/** The plan; a text says why there is none. `undefined`: reported, or being found elsewhere. */
export function hetpipePlan(
  notes: Notes,
  pipeline: Unplanned,
  { allocation, worker }: PlanCut,
): Explained | string | undefined {
  const { cluster, model, mesh, microbatches, optimizer, use } = pipeline;
  const kinds = [...new Set(cluster.devices.map((device) => device.kind))];
  if (!computes(notes, { ...pipeline, meshes: [mesh] }, kinds)) return undefined;
  const firstOf = (kind: DeviceDefinition): number => cluster.devices.findIndex((device) => device.kind === kind);
  const sites = sitesOf(
    notes,
    pipeline,
    kinds.map((kind) => ({ kind, mesh, devices: [firstOf(kind)] })),
  );
  if (sites === undefined) return undefined;
  const order = elementOrder(model);
  const costs = layerCosts(model);
  const mode = pipelineMode(pipeline);
  const seconds = (kind: DeviceDefinition): number => {
    const site = sites[kinds.indexOf(kind)];
    return order.reduce((sum, element) => sum + totalTime(costs.of(element, site, mode)), 0);
  };
  const workers = virtualWorkers(cluster, allocation, seconds);
  if (typeof workers === 'string') return workers;
  if (worker >= workers.length)
    return `"${cluster.name}" has ${count(workers.length, 'virtual worker', 'virtual workers')} under \`allocation = ${allocation ?? 'node'}\`, 0 to ${workers.length - 1}, and no number ${worker}`;
  const devices = workers[worker];
  const size = `${count(model.elements, 'layer', 'layers')} on ${count(devices.length, 'device', 'devices')}`;
  if (devices.length > model.elements) return `each device of a virtual worker has a stage, and ${size} have too few`;
  if (devices.length > mostDevices || !hetpipeInTime(model.elements, kinds.length))
    return `${size} have too many plans to search; \`balance\` cuts any number`;
  const args = use.kind === 'policy' ? use.args : {};
  const inFlight = integerArgument(args, 'in_flight', devices.length);
  if (inFlight < devices.length)
    return `with \`in_flight = ${inFlight}\` what a stage holds depends on the cut; write at least ${devices.length}, one minibatch for each device`;
  const largest = order.reduce((most, element) => Math.max(most, costs.output(element, sites[0])), 0);
  const classes = classesOf(notes, cluster, devices, kinds);
  const links = linksOf(notes, pipeline, classes, largest);
  if (links === undefined) return undefined;
  const chain = hasOneOrder(dagOf(order.length, (element) => needsOf(model, element)));
  const iterations =
    pipeline.iterations === 'steady' ? steadyIterations(devices.length, microbatches) : pipeline.iterations;
  const counts = { stages: devices.length, microbatches, iterations };
  const copies = sites.flatMap(
    (site) =>
      embeddingCopies(
        Array.from(order, (element) => costs.of(element, site, mode)),
        (cost) => stateOf(cost, site, { model, optimizer }),
      ) ?? [],
  );
  const found = notes.searches.answer(hetpipeSearch, {
    planner: 'hetpipe',
    layers: runLayers({ model, order, costs, mode, optimizer }, sites),
    weights: sites.map((site) =>
      Float64Array.from(
        order,
        (element) => staticBytes(costs.of(element, site, mode), site, { model, optimizer }).weights,
      ),
    ),
    ...(copies.length === 0 ? {} : { copies }),
    order,
    chain,
    microbatches,
    classes,
    links,
    held: use.kind === 'policy' ? heldAtOnce(use.policy, args, counts, args['weights'] === 'latest') : [],
  });
  if (found === undefined) return undefined;
  if ('none' in found)
    return found.none === 'memory'
      ? `by its formula no partition of the layers fits the memory of ${list(devices.map((device) => cluster.devices[device].name).slice(0, 4))}${devices.length > 4 ? ' and the others' : ''} with ${count(inFlight, 'minibatch', 'minibatches')} in flight; use more devices for each virtual worker, or \`recompute = full\``
      : 'its search ended before it found a partition that fits in memory; `balance` cuts any number';
  const within = chain ? '' : ' in this order of the layers';
  const sure = found.exact
    ? 'and by it no partition and no order of the devices is faster'
    : `the least that was found${within}; by it no plan takes less than ${timeAtLeast(found.least)}`;
  return {
    ...found,
    levels: [],
    shown: {
      stages: found.stages.map(
        ({ from, to, machines: [device] = [0] }) => `${to - from} on ${cluster.devices[device].kind.name}`,
      ),
      of: 'layers and device',
      short: found.stages.map(({ from, to }) => count(to - from, 'layer', 'layers')),
    },
    tooltip: `the slowest stage takes ${time(found.seconds)} per update by the planner's formula, ${sure}.`,
  };
}

/** Devices that are all alike: of one kind, in one node. Named links may tell any two apart. */
function classesOf(
  notes: Notes,
  { devices, named }: ClusterDefinition,
  worker: readonly number[],
  kinds: readonly DeviceDefinition[],
): readonly DeviceClass[] {
  const found = new Map<string, { readonly kind: DeviceDefinition; readonly devices: number[] }>();
  for (const device of worker) {
    const { kind, group } = devices[device];
    const key = named.size > 0 ? String(device) : `${kinds.indexOf(kind)} ${group}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { kind, devices: [device] });
    else known.devices.push(device);
  }
  return [...found.values()].map(({ kind, devices: members }) => ({
    site: kinds.indexOf(kind),
    devices: members,
    capacity: kind.memory - reservedOf(kind, { ...alone, pipeline: worker.length > 1 }, notes.options.memory).reserved,
  }));
}

/** Links between classes, and inside each; `undefined` if two have no route (reported). */
function linksOf(
  notes: Notes,
  { cluster, at }: Uncut,
  classes: readonly DeviceClass[],
  bytes: number,
): HetpipeProblem['links'] | undefined {
  const links: HetpipeProblem['links'][number][] = [];
  for (const from of classes) {
    for (const to of classes) {
      const [first, second] = [from.devices[0], from === to ? from.devices[1] : to.devices[0]];
      // A class of one device has no link inside.
      const route =
        second === undefined ? { bandwidth: Infinity, latency: 0 } : routeBetween(cluster, first, second, bytes);
      if (route === undefined) {
        const [one, other] = [first, second].map((device) => cluster.devices[device].name);
        notes.report.report('device/unknown-route', at('devices'), { from: one, to: other });
        return undefined;
      }
      links.push({ bandwidth: route.bandwidth, latency: route.latency });
    }
  }
  return links;
}
