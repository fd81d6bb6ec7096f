/** Which stage each layer is in. */
import { elementOrder } from '../../definitions/elementOrder.ts';
import type { LayerCosts } from '../cost/layerCosts.ts';
import { pipelineMode } from '../cost/recomputation.ts';
import type { Notes } from '../notes.ts';
import type { PlacedPipeline } from '../place/placePipeline.ts';
import type { Site } from '../place/sites.ts';
import { stageSeconds } from './stageSeconds.ts';
import { type CutRequest, cutOf, type OrderedCut, ordersToCut } from './balanceCut.ts';
import { stagesOf } from './dag/cutDag.ts';
import { memoryCut, type Trial } from './memoryCut.ts';

export interface PipelineCut {
  /** Stage of each element. */
  readonly stageOf: Int32Array;
  /** Elements of each stage, in the order in which they run. */
  readonly elements: readonly (readonly number[])[];
  /** How far the slowest stage of a balanced cut is above the least possible at most, as a share; absent for other cuts. */
  readonly above?: number;
  /** What was cut, for whoever asks whether another cut is better. */
  readonly request: CutRequest<Site>;
}

/** In steps; `undefined` if the cut is being found elsewhere. `trial` plans and orders a cut that is looked at; it leaves no notes. */
export function* cutPipeline(
  notes: Notes,
  placed: PlacedPipeline,
  costs: LayerCosts,
  trial: (cut: PipelineCut) => Generator<void, Trial | undefined, void>,
): Generator<void, PipelineCut | undefined, void> {
  const { pipeline, assigned, sites, ranks, parts, room } = placed;
  const { cut, model, optimizer } = pipeline;
  const order = elementOrder(model);
  const mode = pipelineMode(pipeline);
  const request: CutRequest<Site> = {
    model,
    order,
    kinds: sites,
    ...stageSeconds(model, costs, mode),
    output: (element) => costs.output(element, sites[0]),
  };
  if (assigned !== undefined) return withElements(request, assigned);
  const inOrder = ({ order: elements, starts, above }: OrderedCut): PipelineCut => ({
    ...withElements(request, stagesOf(elements, starts)),
    above,
  });
  const byTime = cutOf(notes.searches, cut, request);
  if (byTime === undefined) return undefined;
  yield;
  if (cut.kind !== 'balance' || cut.by === 'time') return inOrder(byTime);
  const byMemory = yield* memoryCut(notes, pipeline, {
    model,
    order,
    costs,
    mode,
    optimizer,
    ranks,
    kinds: sites,
    parts,
    room,
    byTime,
    orders: (most) => ordersToCut(request, most),
    trial: (found) => trial(inOrder(found)),
  });
  return byMemory === undefined ? undefined : inOrder(byMemory);
}

function withElements(request: CutRequest<Site>, stageOf: Int32Array): PipelineCut {
  const elements: number[][] = request.kinds.map(() => []);
  for (const element of request.order) elements[stageOf[element]].push(element);
  return { stageOf, elements, request };
}
