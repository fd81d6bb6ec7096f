/** From what a pipeline says to its plan. */
import { count } from '../../quantities.ts';
import { type FileContext, detail, symbolId } from '../context.ts';
import type { RecomputeMode } from '../costs/types.ts';
import type { DeviceDefinition } from '../definitions.ts';
import { paths, type PipelinePlan } from '../plan.ts';
import { ringOf } from '../routes.ts';
import { bareShape } from '../../schedule/shape.ts';
import type { Shape } from '../../schedule/policy.ts';
import { assign } from './assignment.ts';
import { balancedStarts, elementOrder, stagesFromStarts } from './balanceCut.ts';
import { copyEdges, copyNames, copyPlan } from './copies.ts';
import { hintBalance, hintLayers } from './derived.ts';
import { edgesOf } from './edges.ts';
import { reportImbalance } from './imbalance.ts';
import { layerCosts, tensorProblem, totalTime, type Ring } from './layerCosts.ts';
import type { PipelineRead } from './pipeline.ts';
import { pipelineRoutes, stepTimes } from './pipelineRoutes.ts';
import { rank, type Ranks } from './ranks.ts';
import { schedulePlan } from './schedulePlan.ts';
import { stagePlans } from './stagePlans.ts';

/** The plan; `undefined` where something does not fit together, which has been reported. */
export function planPipeline(context: FileContext, read: PipelineRead): PipelinePlan | undefined {
  const { name, model, cluster, cut, use, tensor, data, iterations } = read;
  if (!withinLimit(context, read)) return undefined;
  // A schedule may cut every microbatch into parts, each a microbatch to all that follows.
  const parts = use.kind === 'policy' ? (use.policy.parts?.(use.args) ?? 1) : 1;
  const microbatches = read.microbatches * parts;
  const at = {
    stages: cut.kind === 'blocks' ? read.at('model') : read.at('stages'),
    devices: read.at('devices'),
    schedule: read.at('schedule'),
  };
  const blocks = cut.kind === 'blocks' ? cut.stages : undefined;
  const assigned = blocks === undefined ? undefined : assign(context, model, blocks, read.at('model'));
  if (blocks !== undefined && assigned === undefined) return undefined;
  const ranks = rank(context, {
    pipeline: name,
    cluster,
    use,
    stages: cut.count,
    microbatches,
    iterations,
    tensor,
    data,
    blocks,
    at,
  });
  if (ranks === undefined || !computes(context, read, ranks)) return undefined;
  const ring = tensorRing(context, read, ranks);
  if (ring === undefined) return undefined;
  const costs = layerCosts(model, read, () => ring);
  const { copies } = ranks;
  // Of the stages as the file cuts them; the copies of a stage hold the same layers.
  const kinds = Array.from({ length: cut.count }, (_, stage) => {
    const first = copies === undefined ? stage : copies.findIndex((one) => one.stage === stage);
    return ranks.ranks[ranks.placement[first]].kind;
  });
  const order = elementOrder(model);
  const time = (element: number, kind: DeviceDefinition) => totalTime(costs.of(element, kind, read.recompute));
  const stageOf = assigned ?? stagesFromStarts(order, starts(read, order, kinds, time));
  const elements: number[][] = kinds.map(() => []);
  for (const element of order) elements[stageOf[element]].push(element);
  const modes: readonly RecomputeMode[] = elements.map((_, stage) => blocks?.[stage].recompute ?? read.recompute);
  const names = elements.map((_, stage) => blocks?.[stage].name ?? `s${stage}`);
  const cutEdges = edgesOf(model, stageOf, cut.count, costs.output).map((one) => ({
    ...one,
    bytes: one.bytes / parts,
  }));
  const edges = copies === undefined ? cutEdges : copyEdges(cutEdges, copies);
  const partners = use.kind === 'policy' ? use.policy.partners?.(shapeFor(read, ranks, microbatches)) : undefined;
  const routes = pipelineRoutes(context, { pipeline: name, cluster, ranks, edges, partners, at: at.devices });
  const interleaved = use.kind === 'policy' ? use.policy.chunks(use.args) > 1 : ranks.ranks.length < cut.count;
  const each = copies ?? names.map((_, stage) => ({ stage }));
  const stages = stagePlans({
    model,
    names: copies === undefined ? names : copyNames(names, copies),
    elements: each.map(({ stage }) => elements[stage]),
    modes: each.map(({ stage }) => modes[stage]),
    ranks,
    costs,
    edges,
    optimizer: read.optimizer,
    data,
    interleaved,
  }).map((stage, index) => copyPlan(stage, copies?.[index], parts));
  const step = stepTimes(context, {
    cluster,
    ranks,
    stages,
    tensor,
    data,
    optimizerStep: read.optimizer?.step ?? 0,
    at: at.devices,
  });
  const schedule = schedulePlan(context, read, ranks);
  if (routes === undefined || step === undefined || schedule === undefined) return undefined;
  origins(context, read, ranks);
  const stageAt = (stage: number) => blocks?.[stage].at ?? at.stages;
  if (kinds.every((one) => one === kinds[0]) && modes.every((one) => one === read.recompute)) {
    reportImbalance(
      context,
      name,
      stages.filter(
        (_, index) => copies === undefined || copies.findIndex((one) => one.stage === copies[index].stage) === index,
      ),
      Float64Array.from(order, (one) => time(one, kinds[0])),
      stageAt,
    );
  }
  if (cut.kind === 'balance') hintBalance(context, cut.at, elements);
  details(context, read, elements);
  hintLayers(context, model, costs, kinds[0], read.recompute);
  return {
    name,
    doc: read.doc,
    model: model.name,
    microbatches,
    iterations,
    schedule,
    devices: ranks.ranks.map(({ devices, kind }) => ({
      name: cluster.devices[devices[0]].name,
      kind: kind.name,
      memory: kind.memory,
      reserved: kind.reserved,
    })),
    stages,
    placement: ranks.placement,
    edges,
    routes,
    tensor,
    data,
    microBatchSize: model.microBatch / parts,
    step,
    expects: [],
  };
}

function shapeFor({ cut, use, iterations }: PipelineRead, ranks: Ranks, microbatches: number): Shape {
  const args = use.kind === 'policy' ? use.args : {};
  const chunks = use.kind === 'policy' ? use.policy.chunks(use.args) : 1;
  const replicas = new Int32Array(cut.count).fill(1);
  return bareShape({
    devices: ranks.ranks.length,
    stages: cut.count,
    chunks,
    microbatches,
    iterations,
    args,
    replicas,
  });
}

function details(
  context: FileContext,
  { name, microbatches, use }: PipelineRead,
  elements: readonly (readonly number[])[],
): void {
  const schedule = use.kind === 'policy' ? use.policy.name : use.definition.name;
  detail(
    context,
    symbolId('pipeline', name),
    `${schedule}, ${count(elements.length, 'stage', 'stages')}, ${count(microbatches, 'microbatch', 'microbatches')}`,
  );
  // Stages written as blocks stand in order.
  const stages = [...(context.members.get(symbolId('pipeline', name))?.values() ?? [])];
  for (const [index, stage] of stages.entries()) {
    detail(context, stage.id, count(elements[index]?.length ?? 0, 'layer', 'layers'));
  }
}

/** Counted before anything is made: stages × microbatches × kinds of operations. */
function withinLimit(context: FileContext, { name, cut, use, microbatches, iterations, at }: PipelineRead): boolean {
  const kinds =
    use.kind === 'policy' ? (use.policy.operations ?? (use.policy.split ? 3 : 2)) : use.definition.split ? 3 : 2;
  const operations = cut.count * microbatches * iterations * kinds;
  const limit = context.options.limits.operations;
  if (operations <= limit) return true;
  context.report.report('limit/too-large', at('microbatches'), {
    what: `Operations of pipeline "${name}"`,
    figure: operations.toLocaleString('en-US'),
    limit: limit.toLocaleString('en-US'),
    setting: 'pipewright.limits.operations',
  });
  return false;
}

/** Shapes need the device's peak rate, and tensor ranks that they divide by. */
function computes(context: FileContext, read: PipelineRead, ranks: Ranks): boolean {
  if (read.model.layers.every((one) => one.cost.kind === 'measured')) return true;
  for (const { kind } of ranks.ranks) {
    if (kind.compute !== undefined) continue;
    const own = kind.place.uri === context.uri;
    context.report.report('key/missing', own ? kind.place : read.at('devices'), {
      key: 'compute',
      block: own ? 'device' : `device "${kind.name}"`,
      example: 'compute = 312TFLOPS',
    });
    return false;
  }
  const problem = tensorProblem(read.model, read);
  if (problem === undefined) return true;
  context.report.report('value/range', read.at('tensor'), {
    what: '"tensor"',
    value: String(read.tensor),
    allowed: `a number that fits layer "${problem.layer.name}": ${problem.problem.replace(/\.$/, '')}`,
  });
  return false;
}

/** The slowest ring of any tensor group: all ranks of a kind are costed alike. */
function tensorRing(context: FileContext, { cluster, tensor, at }: PipelineRead, ranks: Ranks): Ring | undefined {
  let bandwidth = Infinity;
  let latency = 0;
  for (const { devices, at: own } of tensor > 1 ? ranks.ranks : []) {
    for (let first = 0; first < devices.length; first += tensor) {
      const ring = ringOf(cluster, devices.slice(first, first + tensor), 1e6);
      if ('from' in ring) {
        context.report.report('device/unknown-route', own ?? at('devices'), {
          from: cluster.devices[ring.from].name,
          to: cluster.devices[ring.to].name,
        });
        return undefined;
      }
      bandwidth = Math.min(bandwidth, ring.bandwidth);
      latency = Math.max(latency, ring.latency);
    }
  }
  return { bandwidth: bandwidth === Infinity ? 0 : bandwidth, latency };
}

function starts(
  { cut }: PipelineRead,
  order: Int32Array,
  kinds: readonly DeviceDefinition[],
  time: (element: number, kind: DeviceDefinition) => number,
): ArrayLike<number> {
  if (cut.kind !== 'split') return balancedStarts(order, kinds, time);
  const sums = [0];
  for (const size of cut.sizes) sums.push(sums[sums.length - 1] + size);
  return sums.slice(0, -1);
}

function origins(context: FileContext, { name, cut, cluster, model, at }: PipelineRead, ranks: Ranks): void {
  const set = (path: string, place: ReturnType<typeof context.report.place>) => {
    if (!context.origins.has(path)) context.origins.set(path, place);
  };
  for (let stage = 0; stage < cut.count; stage += 1) {
    set(paths.stage(name, stage), context.report.place(cut.kind === 'blocks' ? cut.stages[stage].at : at('stages')));
  }
  for (const [index, one] of ranks.ranks.entries()) {
    set(
      paths.device(name, index),
      one.at === undefined ? cluster.devices[one.devices[0]].place : context.report.place(one.at),
    );
    set(paths.deviceKind(one.kind.name), one.kind.place);
    set(paths.deviceMemory(one.kind.name), one.kind.memoryPlace);
  }
  for (const layer of model.layers) {
    set(paths.layer(model.name, layer.name), layer.place);
    for (let i = 0; layer.array && i < layer.count; i += 1)
      set(paths.layer(model.name, `${layer.name}[${i}]`), layer.place);
  }
}
