/** The plan of a cut: what its stages cost, what devices send, in which order they work. */
import { messageCounts, withMessages } from '../basics/messageOverhead.ts';
import type { PipelinePlan, SchedulePlan, StagePlan } from '../values/plan.ts';
import type { LayerCosts } from './cost/layerCosts.ts';
import { type KindPlan, lengthsPlan, withLargest } from './cost/lengthsPlan.ts';
import { messagesOf } from './cost/messages.ts';
import { orthogonalMatrices } from './cost/orthogonalTimes.ts';
import { stageModes } from './cost/recomputation.ts';
import { stagePlans } from './cost/stagePlans.ts';
import { stepTimes, type StepTimes } from './cost/stepTimes.ts';
import type { PipelineCut } from './cut/cutPipeline.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import { matrixOf } from './exchange/matrix.ts';
import { stageNeeds } from './exchange/stageGraph.ts';
import { fillPlan } from './fill.ts';
import { fitsLengths } from './lengthsFit.ts';
import type { Notes } from './notes.ts';
import { fullRateOf } from './place/efficiency.ts';
import { runKindOf } from './place/runKind.ts';
import { spansOf } from './place/spans.ts';
import { unnamedOptimizer } from './noOptimizer.ts';
import { offloadFits } from './offloadFits.ts';
import { planOrigins } from './origins.ts';
import { copyNames, copyPlan, pieceOf } from './place/copies.ts';
import { devicePlans, ranksIn } from './place/devicePlans.ts';
import type { PlacedPipeline } from './place/placePipeline.ts';
import { pipelineRoutes } from './routes/pipelineRoutes.ts';
import { schedulePlan } from './schedulePlan.ts';
import { variationPlan } from './variation.ts';
import { scheduleWithTimes } from './scheduleTimes.ts';

/** By rank: the device that keeps what its operations evict; −1 for none, or the host. */
function keepersIn(schedule: SchedulePlan | undefined): readonly number[] | undefined {
  if (schedule === undefined || schedule.kind === 'policy') return undefined;
  const keepers = schedule.kind === 'greedy' ? schedule.rule?.keeper : schedule.rows.map(({ keeper }) => keeper);
  return keepers?.map((keeper) => (keeper === undefined || keeper === 'host' ? -1 : keeper));
}

const tokensOf = (perSample: number, total: number | undefined): PipelinePlan['tokens'] =>
  total === undefined ? { perSample } : { perSample, total };

/** Whether something of a stage runs backwards or is updated. */
const trains = ({ gradients, backwardInput, backwardWeight }: StagePlan): boolean =>
  gradients > 0 || backwardInput > 0 || backwardWeight > 0;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Tokens of a sample: the mean where microbatches differ, without the padding behind the documents of packed samples. */
function meanTokens({ lengths }: Pick<SettledPipeline, 'lengths'>, sequence: number): number {
  if (lengths === undefined) return sequence;
  const { documents, tokens } = lengths;
  return sumOf(documents?.map(sumOf) ?? tokens) / Math.max(1, tokens.length);
}

/** A stage trains that only runs forwards. */
function reportTrained(
  { report }: Notes,
  { at }: Pick<SettledPipeline, 'at'>,
  schedule: SchedulePlan | undefined,
  stage: string,
): void {
  const runs = `schedule "${schedule?.name ?? ''}" runs no backward of stage "${stage}"`;
  report.report('type/mismatch', at('schedule'), {
    expected: `frozen layers (\`frozen = …\` of the model), because ${runs}`,
    found: 'layers that train; cut the frozen ones off, as with `stages = split(2, 6)`',
  });
}

/** In steps; `undefined` where devices that must talk have no route, or the schedule is wrong for these numbers (reported). */
export function* draft(
  notes: Notes,
  placed: PlacedPipeline,
  costs: LayerCosts,
  { stageOf, elements }: PipelineCut,
): Generator<void, PipelinePlan | undefined, void> {
  const { pipeline, parts, microbatches, ranks, sites, partners, room, at } = placed;
  const { name, doc, model, cluster, cut, mesh, iterations, optimizer, transfer } = pipeline;
  const { copies } = ranks;
  const modes = stageModes(notes, pipeline);
  const names = elements.map((_, stage) => (cut.kind === 'blocks' ? cut.stages[stage].name : `s${stage}`));
  const messagesUnder = (layers: LayerCosts) =>
    messagesOf({ pipeline, stageOf, kinds: sites, costs: layers, copies, parts });
  const { edges } = messagesUnder(costs);
  yield;
  const schedule = schedulePlan(notes, pipeline, ranks, edges);
  yield;
  if (!offloadFits(notes, pipeline, ranks, schedule, elements)) return undefined;
  const routes = yield* pipelineRoutes(notes, {
    pipeline: name,
    cluster,
    ranks,
    edges,
    reshard: transfer.reshard,
    partners: partners ?? keepersIn(schedule),
    operations: schedule === undefined || schedule.kind === 'policy' ? undefined : schedule.operations,
    at: { devices: at.devices, transfer: pipeline.at('transfer') },
  });
  yield;
  const each = copies ?? names.map((_, stage) => ({ stage }));
  const { messageOverhead } = pipeline;
  const inMessages = <Part extends { readonly plan: StagePlan }>(
    made: readonly Part[],
    sent: PipelinePlan['edges'],
  ): readonly Part[] => {
    if (messageOverhead === 0) return made;
    const plans = withMessages(
      made.map(({ plan }) => plan),
      messageCounts(sent, ranks.placement),
      messageOverhead,
    );
    return made.map((part, stage) => ({ ...part, plan: plans[stage] }));
  };
  const stagesUnder = function* (layers: LayerCosts) {
    const messages = messagesUnder(layers);
    const made = yield* stagePlans({
      model,
      names: copies === undefined ? names : copyNames(names, copies),
      elements: each.map(({ stage }) => elements[stage]),
      modes: each.map(({ stage }) => modes[stage]),
      entering: each.map(({ stage }) => messages.entering[stage]),
      relayed: each.map(({ stage }) => messages.relayed[stage]),
      ranks,
      costs: layers,
      edges: messages.edges,
      optimizer,
      ...{ offload: pipeline.offload, local: pipeline.local },
      pieces: each.map((_, stage) => pieceOf(copies?.[stage], parts)),
      room,
      microbatches,
    });
    const trained = made.findIndex(({ plan }, index) => copies?.[index].forwardOnly === true && trains(plan));
    const parted = made.map(({ plan, ...sizes }, index) => ({
      ...sizes,
      plan: copyPlan(plan, copies?.[index], parts, ranks.ranks[ranks.placement[index]].split ?? 1),
    }));
    return { parted: inMessages(parted, messages.edges), edges: messages.edges, trained };
  };
  const { parted: means, trained } = yield* stagesUnder(costs);
  if (trained >= 0) {
    reportTrained(notes, pipeline, schedule, names[each[trained].stage]);
    return undefined;
  }
  const kindPlans: KindPlan[] = [];
  for (const kind of costs.kinds?.costs ?? []) {
    yield;
    const { parted, edges: sent } = yield* stagesUnder(kind);
    kindPlans.push({ stages: parted.map(({ plan }) => plan), edges: sent });
  }
  const parted =
    costs.kinds === undefined
      ? means
      : means.map((made, stage) => ({ ...made, plan: withLargest(made.plan, stage, kindPlans) }));
  yield;
  const { precision, microBatch } = model;
  const { sync, exchange, local } = pipeline;
  const matrices =
    exchange === undefined
      ? []
      : each.map(({ stage }) => elements[stage].map((element) => matrixOf(model, element, microbatches)));
  const orthogonal = orthogonalMatrices(pipeline, elements, each);
  const needs = exchange === undefined ? [] : each.map(({ stage }) => stageNeeds(model, elements[stage]));
  const times = yield* stepTimes(notes, {
    ...{ name, cluster, at: pipeline.at, optimizer, sync, exchange, iterations, local },
    ...{ ranks, stages: parted, microbatches, precision, matrices, orthogonal, needs },
    edges: transfer.reshard === undefined ? edges : [],
  });
  yield;
  const kinds = ranks.ranks.map((rank) => rank.kind);
  const fill = pipeline.fill === undefined ? undefined : fillPlan(notes, pipeline.fill, kinds, pipeline.at);
  if (routes === undefined || times === undefined || schedule === undefined) return undefined;
  const stages = parted.map(({ plan }) => plan);
  const timed = scheduleWithTimes(notes, pipeline, schedule, stages, ranks.ranks.length);
  if (timed === undefined) return undefined;
  const evicts = partners !== undefined;
  if (!fitsLengths(notes, pipeline, timed, { ...(copies === undefined ? {} : { copies }), evicts })) return undefined;
  const variation = variationPlan(
    notes,
    pipeline,
    { names, stages: each.map(({ stage }) => stage) },
    ranks.ranks.length,
  );
  if (variation === undefined) return undefined;
  planOrigins(notes, pipeline, ranks);
  const unnamed = unnamedOptimizer(pipeline, parted);
  return {
    name,
    doc,
    model: model.name,
    microbatches,
    iterations,
    schedule: timed,
    ...(transfer.rule === undefined ? {} : { transfer: transfer.rule }),
    ...devicePlans(pipeline, ranks, notes.options.memory),
    stages,
    placement: ranks.placement,
    edges,
    routes,
    ...ranksIn(mesh),
    ...(fill === undefined ? {} : { fill }),
    ...variation,
    ...(messageOverhead === 0 ? {} : { messageOverhead }),
    microBatchSize: microBatch / parts,
    ...(model.sequence === undefined
      ? {}
      : { tokens: tokensOf(meanTokens(pipeline, model.sequence), pipeline.tokens) }),
    ...fullRateOf(placed),
    ...{ ...runKindOf(placed), ...spansOf(placed) },
    ...(unnamed === undefined ? {} : { unnamedOptimizer: unnamed }),
    ...(costs.kinds === undefined || model.sequence === undefined
      ? {}
      : { lengths: lengthsPlan(costs.kinds, model.sequence, parts, kindPlans) }),
    step: times.step,
    ...(times.exchange === undefined ? {} : { exchange: times.exchange }),
    ...linksIn(times),
    ...(pipeline.measured === undefined ? {} : { measured: pipeline.measured }),
    expects: [],
    ...(cut.kind === 'blocks' && cut.planned !== undefined ? { cut: cut.planned } : {}),
  };
}

/** Links that stages share. */
const linksIn = ({
  linkSharing,
  sharedLinks,
  crowdedLinks,
  servers,
}: StepTimes): Pick<PipelinePlan, 'linkSharing' | 'sharedLinks' | 'crowdedLinks' | 'servers'> => ({
  ...(linkSharing === undefined ? {} : { linkSharing }),
  ...(sharedLinks === undefined ? {} : { sharedLinks }),
  ...(crowdedLinks === undefined ? {} : { crowdedLinks }),
  ...(servers === undefined ? {} : { servers }),
});
