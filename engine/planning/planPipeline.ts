/** From what a pipeline says to its plan. */
import { count } from '../quantities.ts';
import { stagesOf } from './cut/dag/cutDag.ts';
import { type FileContext, detail, symbolId } from '../language/context.ts';
import type { DevicePlan, MeshPlan, PipelinePlan } from '../plan.ts';
import { partnersOn } from '../policies/partners.ts';
import { bareShape } from '../policies/shape.ts';
import type { Shape } from '../policies/policy.ts';
import { assign } from './place/assignment.ts';
import { type CutRequest, cutOf, elementOrder, ordersToCut } from './cut/balanceCut.ts';
import { computes } from './cost/computes.ts';
import { copyNames, copyPlan, firstCopy } from './place/copies.ts';
import { hintBalance, hintLayers } from './hints.ts';
import { fillPlan } from '../read/fill.ts';
import { bestCut, reportImbalance } from './cut/imbalance.ts';
import { layerCosts, totalTime } from './cost/layerCosts.ts';
import type { PipelineRead } from '../read/pipeline.ts';
import type { Mesh } from '../read/mesh.ts';
import { pipelineRoutes } from './routes/pipelineRoutes.ts';
import { stepTimes } from './cost/stepTimes.ts';
import { memoryCut, onTrial } from './cut/memoryCut.ts';
import { messagesOf } from './cost/messages.ts';
import { checkShard } from '../read/optimizer.ts';
import { planLoading } from './loading.ts';
import { planOrigins } from './origins.ts';
import { rank, type Ranks } from './place/ranks.ts';
import { speedAt } from '../read/rates.ts';
import { pipelineMode, reportNothingAhead, stageModes } from './cost/recomputation.ts';
import { communicatorsOf, reservedOf } from '../read/reserved.ts';
import { type Site, siteRanks, type SitedRanks } from './place/sites.ts';
import { schedulePlan } from './schedulePlan.ts';
import { stagePlans } from './cost/stagePlans.ts';

/** The plan; `undefined` where something does not fit together, which has been reported. */
export function planPipeline(context: FileContext, read: PipelineRead): PipelinePlan | undefined {
  const { name, model, cluster, cut, use, mesh, iterations } = read;
  if (!withinLimit(context, read, cut.count)) return undefined;
  if (cut.kind === 'groups') return planLoading(context, read);
  // A schedule may cut every microbatch into parts, each a microbatch to all that follows.
  const parts = use.kind === 'policy' ? (use.policy.parts?.(use.args) ?? 1) : 1;
  const microbatches = read.microbatches * parts;
  const at = {
    stages: cut.kind === 'blocks' && !cut.planned ? read.at('model') : read.at('stages'),
    devices: read.at('devices'),
    schedule: read.at('schedule'),
  };
  const blocks = cut.kind === 'blocks' ? cut.stages : undefined;
  const assigned = blocks === undefined ? undefined : assign(context, model, blocks, read.at('model'));
  if (blocks !== undefined && assigned === undefined) return undefined;
  const bare = rank(context, {
    pipeline: name,
    cluster,
    use,
    stages: cut.count,
    microbatches,
    iterations,
    mesh,
    order: read.rankOrder,
    blocks,
    at,
  });
  // Segments of the sequence and pieces of microbatches multiply what runs.
  const pieces = bare?.copies?.reduce((sum, { every }) => sum + 1 / every, 0) ?? cut.count;
  if (!withinLimit(context, read, pieces * parts)) return undefined;
  if (bare === undefined) return undefined;
  const meshes = [...new Set(bare.ranks.map((one) => one.mesh))];
  const bareKinds = bare.ranks.map((one) => one.kind);
  if (!computes(context, { ...read, meshes }, bareKinds)) return undefined;
  const ranks = siteRanks(context, read, bare);
  if (ranks === undefined) return undefined;
  if (read.optimizer !== undefined) checkShard(context, read.optimizer, ranks);
  const costs = layerCosts(model);
  const { copies } = ranks;
  // Of the stages as the file cuts them; the copies of a stage hold the same layers.
  const kinds = Array.from({ length: cut.count }, (_, stage) => {
    const first = copies === undefined ? stage : firstCopy(copies, stage);
    return ranks.ranks[ranks.placement[first]].kind;
  });
  const order = elementOrder(model);
  const mode = pipelineMode(read);
  const time = (element: number, kind: Site) => totalTime(costs.of(element, kind, mode));
  const interleaved = use.kind === 'policy' ? use.policy.chunks(use.args) > 1 : ranks.ranks.length < cut.count;
  const output = (element: number) => costs.output(element, kinds[0]);
  const cutting: CutRequest<Site> = { model, order, kinds, time, output };
  const byTime = assigned === undefined ? cutOf(cut, cutting) : { order, starts: new Int32Array(0) };
  const made =
    cut.kind === 'balance' && cut.by !== 'time'
      ? memoryCut(context, read, {
          model,
          order,
          costs,
          mode,
          optimizer: read.optimizer,
          ranks,
          kinds,
          parts,
          interleaved,
          byTime,
          orders: (most) => ordersToCut(cutting, most),
          plan: (trial) => {
            const sizes = Array.from(trial.starts, (from, stage) => (trial.starts[stage + 1] ?? order.length) - from);
            return planPipeline(onTrial(context), {
              ...read,
              cut: { kind: 'split', sizes, order: trial.order, count: cut.count, at: cut.at },
            });
          },
        })
      : byTime;
  const stageOf = assigned ?? stagesOf(made.order, made.starts);
  const elements: number[][] = kinds.map(() => []);
  for (const element of order) elements[stageOf[element]].push(element);
  const modes = stageModes(context, read);
  const names = elements.map((_, stage) => blocks?.[stage].name ?? `s${stage}`);
  const { edges, entering, relayed } = messagesOf({ read, stageOf, kinds, costs, copies, parts });
  const partners = partnersFor(shapeFor(read, ranks, microbatches), read, ranks);
  const routes = pipelineRoutes(context, {
    pipeline: name,
    cluster,
    ranks,
    edges,
    reshard: read.transfer.reshard,
    partners,
    at: { devices: at.devices, transfer: read.at('transfer') },
  });
  const each = copies ?? names.map((_, stage) => ({ stage }));
  const parted = stagePlans({
    model,
    names: copies === undefined ? names : copyNames(names, copies),
    elements: each.map(({ stage }) => elements[stage]),
    modes: each.map(({ stage }) => modes[stage]),
    entering: each.map(({ stage }) => entering[stage]),
    relayed: each.map(({ stage }) => relayed[stage]),
    ranks,
    costs,
    edges,
    optimizer: read.optimizer,
    interleaved,
  }).map(({ plan, ...sizes }, index) => ({
    ...sizes,
    plan: copyPlan(plan, copies?.[index], parts, ranks.ranks[ranks.placement[index]].split ?? 1),
  }));
  const stages = parted.map(({ plan }) => plan);
  const step = stepTimes(context, {
    cluster,
    at: read.at,
    optimizer: read.optimizer,
    sync: read.sync,
    ranks,
    stages: parted,
    precision: model.precision,
  });
  const schedule = schedulePlan(context, read, ranks);
  const fill =
    read.fill === undefined
      ? undefined
      : fillPlan(
          context,
          read.fill,
          ranks.ranks.map((one) => one.kind),
          read.at,
        );
  if (routes === undefined || step === undefined || schedule === undefined) return undefined;
  planOrigins(context, read, ranks);
  const stageAt = (stage: number) => blocks?.[stage].at ?? at.stages;
  const replicated = blocks?.some((one) => one.replicate !== undefined) ?? false;
  // A balanced cut by time is the best there is, one by memory has its reasons.
  const balanced = cut.kind === 'balance';
  if (!replicated && !balanced && kinds.every((one) => one === kinds[0]) && modes.every((one) => one === mode)) {
    reportImbalance(
      context,
      name,
      stages.filter((_, index) => copies === undefined || firstCopy(copies, copies[index].stage) === index),
      () => bestCut(cutting),
      stageAt,
    );
  }
  if (cut.kind === 'balance') hintBalance(context, cut.at, elements, cut.by === 'time' ? made.above : undefined);
  reportNothingAhead(context, read, stages);
  details(context, read, elements);
  context.occupied.set(name, { cluster, devices: ranks.ranks.flatMap((one) => one.devices) });
  hintLayers(context, { pipeline: name, model, costs, site: kinds[0], recompute: mode });
  return {
    name,
    doc: read.doc,
    model: model.name,
    microbatches,
    iterations,
    schedule,
    ...(read.transfer.rule === undefined ? {} : { transfer: read.transfer.rule }),
    devices: devicePlans(context, read, ranks),
    stages,
    placement: ranks.placement,
    edges,
    routes,
    ...ranksIn(mesh),
    ...(fill === undefined ? {} : { fill }),
    microBatchSize: model.microBatch / parts,
    step,
    expects: [],
  };
}

/** One for each pipeline rank. Peaks only where all layers are derived, so that their FLOPs are known. */
function devicePlans(
  context: FileContext,
  { model, cluster, mesh }: PipelineRead,
  ranks: SitedRanks,
): readonly DevicePlan[] {
  const derived = model.layers.every((one) => one.cost.kind === 'shape');
  return ranks.ranks.map(({ devices, kind, mesh: own }, index) => ({
    name: cluster.devices[devices[0]].name,
    kind: kind.name,
    ...(devices.length > 1 ? { members: devices.length } : {}),
    ...(JSON.stringify(ranksIn(own)) === JSON.stringify(ranksIn(mesh)) ? {} : { mesh: ranksIn(own) }),
    ...(derived ? { compute: speedAt(kind, model.precision).compute } : {}),
    memory: kind.memory,
    ...reservedOf(kind, communicatorsOf(ranks, index), context.options.memory),
  }));
}

const ranksIn = ({ tensor, context, data, expert }: Mesh): MeshPlan => ({ tensor, context, data, expert });

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

/** By rank: who keeps what each evicts. */
function partnersFor(shape: Shape, { use }: PipelineRead, ranks: Ranks): Int32Array | undefined {
  const partners = use.kind === 'policy' ? use.policy.partners?.(shape) : undefined;
  if (partners === undefined || use.kind !== 'policy') return undefined;
  return partnersOn(partners, use.policy.placement(shape), ranks.placement, ranks.ranks.length);
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
function withinLimit(
  context: FileContext,
  { name, use, microbatches, iterations, at }: PipelineRead,
  stages: number,
): boolean {
  const kinds =
    use.kind === 'policy' ? (use.policy.operations ?? (use.policy.split ? 3 : 2)) : use.definition.split ? 3 : 2;
  // An R for each microbatch too, where recomputation goes ahead.
  const ahead = use.kind === 'policy' && use.args['recompute'] === 'ahead' ? 1 : 0;
  const operations = Math.ceil(stages * microbatches * iterations * (kinds + ahead));
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
