/** From what a pipeline says to its plan. */
import type { PipelineDefinition } from '../definitions/pipeline.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import { type Advice, advised, advisedSteps, type SlowAdvice } from '../basics/advice.ts';
import { count } from '../basics/quantities.ts';
import { costsAhead, lengthCosts } from './cost/lengthCosts.ts';
import { pipelineMode, reportNothingAhead, stageModes } from './cost/recomputation.ts';
import { reportRecomputation } from './cost/recomputationFindings.ts';
import { cutPipeline, type PipelineCut } from './cut/cutPipeline.ts';
import { bestCut, reportImbalance } from './cut/imbalance.ts';
import { draft } from './draft.ts';
import { planEngines } from './engines.ts';
import { hintBalance, hintLayers } from './hints.ts';
import { reportNoOptimizer } from './noOptimizer.ts';
import { fitsLengths, lengthsWithinLimit } from './lengthsFit.ts';
import { planLoading } from './loading.ts';
import { type Notes, quietNotes } from './notes.ts';
import { bestPlace } from './place/bestPlace.ts';
import { reportEfficiency } from './place/efficiency.ts';
import { firstCopy } from './place/copies.ts';
import { withinLimit } from './place/operationsLimit.ts';
import { type PlacedPipeline, placePipeline } from './place/placePipeline.ts';
import type { Drafter, Pacer } from './place/placeTrials.ts';
import { reportNumberFormat } from './place/numberFormat.ts';
import { reportSlowHop } from './place/slowHop.ts';
import { settle } from './settle.ts';

/** The order of a plan, where there is one; `undefined` if it is being found elsewhere. A cut by memory asks for it. */
export type Orderer = (plan: PipelinePlan) => { readonly program?: Program } | undefined;

/** The plan, in steps; `undefined` where something does not fit together, which has been reported, or where an answer is being found elsewhere. */
export function* planPipeline(
  notes: Notes,
  definition: PipelineDefinition,
  order: Orderer,
  pace: Pacer,
): Generator<void, PipelinePlan | undefined, void> {
  const before = notes.report.errors();
  const pipeline = settle(notes, definition);
  if (pipeline === undefined || !withinLimit(notes, pipeline, pipeline.cut.count)) return undefined;
  notes.settled.set(definition.name, pipeline);
  if (pipeline.cut.kind === 'groups')
    return fitsLengths(notes, pipeline, undefined, { evicts: false }) ? planLoading(notes, pipeline) : undefined;
  yield;
  const byNumber = yield* placePipeline(notes, pipeline);
  if (byNumber === undefined) return undefined;
  yield;
  const costs = lengthCosts(pipeline.model, pipeline.lengths);
  if (!lengthsWithinLimit(notes, pipeline, costs)) return undefined;
  yield* costsAhead(costs, pipeline.model, byNumber.sites, pipelineMode(pipeline));
  const cut = yield* cutPipeline(notes, byNumber, costs, function* (tried) {
    const plan = yield* draft(quietNotes(notes), byNumber, costs, tried);
    if (plan === undefined) return {};
    yield;
    const ordered = order(plan);
    if (ordered === undefined) return undefined;
    const { program } = ordered;
    return program === undefined ? {} : { ordered: { plan, program } };
  });
  if (cut === undefined) return undefined;
  yield;
  const quietly: Drafter = (tried) => draft(quietNotes(notes), tried, costs, cut);
  const best =
    pipeline.place === undefined ? { placed: byNumber } : yield* bestPlace(notes, byNumber, costs, cut, quietly, pace);
  if (best === undefined) return undefined;
  const { placed, place } = best;
  const drafted = yield* draft(notes, placed, costs, cut);
  if (drafted === undefined) return undefined;
  const engines = planEngines(notes, placed.pipeline, drafted);
  const plan = { ...drafted, ...(place === undefined ? {} : { place }), engines };
  yield;
  noteCut(notes, placed, cut, plan);
  reportRecomputation(notes, placed.pipeline, cut.elements, placed.sites, costs);
  noteStages(notes, placed, cut);
  if (place === undefined && notes.searches.figuresOnly !== true)
    yield* advisedSteps(slowHop, notes, placed, costs, cut, plan, quietly, pace);
  const { model, name, cluster } = pipeline;
  hintLayers(notes, { pipeline: name, model, costs, site: placed.sites[0], recompute: pipelineMode(pipeline) });
  reportNumberFormat(notes, placed);
  reportEfficiency(notes, placed);
  reportNoOptimizer(notes, pipeline, plan);
  notes.settled.set(name, placed.pipeline);
  notes.occupied.set(name, { cluster, devices: placed.ranks.ranks.flatMap((rank) => rank.devices) });
  return notes.report.errors() === before ? plan : undefined;
}

export const slowHop: SlowAdvice<Parameters<typeof reportSlowHop>, void, void> = {
  name: 'remark on places',
  steps: reportSlowHop,
  otherwise: undefined,
};

export const imbalance: Advice<Parameters<typeof reportImbalance>, void> = {
  name: 'remark on the cut',
  find: reportImbalance,
  otherwise: undefined,
};

/** What is to be said of the cut: a better one, its sizes, recomputation without effect. */
function noteCut(
  notes: Notes,
  { pipeline, ranks, sites, at }: PlacedPipeline,
  made: PipelineCut,
  plan: PipelinePlan,
): void {
  const { name, cut } = pipeline;
  const { copies } = ranks;
  const blocks = cut.kind === 'blocks' ? cut.stages : undefined;
  const mode = pipelineMode(pipeline);
  const replicated = blocks?.some((block) => block.replicate !== undefined) ?? false;
  const equal =
    sites.every((site) => site === sites[0]) &&
    stageModes(quietNotes(notes), pipeline).every((stage) => stage === mode);
  // A balanced cut by time is the best there is, one by memory has its reasons.
  if (!replicated && cut.kind !== 'balance' && equal) {
    advised(
      imbalance,
      notes,
      name,
      plan.stages.filter((_, index) => copies === undefined || firstCopy(copies, copies[index].stage) === index),
      () => bestCut(notes.searches, made.request),
      (stage) => blocks?.[stage].at ?? at.stages,
    );
  }
  if (cut.kind === 'balance') hintBalance(notes, cut.at, made.elements, cut.by === 'time' ? made.above : undefined);
  reportNothingAhead(notes, pipeline, plan.stages);
}

function noteStages(notes: Notes, { pipeline }: PlacedPipeline, { elements }: PipelineCut): void {
  const { name, use, microbatches } = pipeline;
  const schedule = use.kind === 'policy' ? use.policy.name : use.definition.name;
  notes.describe(
    name,
    `${schedule}, ${count(elements.length, 'stage', 'stages')}, ${count(microbatches, 'microbatch', 'microbatches')}`,
    elements.map((layers) => count(layers.length, 'layer', 'layers')),
  );
}
