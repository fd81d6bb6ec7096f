/** Placements of a pipeline that are simulated. */
import { placementCost, type HopCost, type Placement, type Placements } from '../../network/index.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { LayerCosts } from '../cost/layerCosts.ts';
import { messagesOf } from '../cost/messages.ts';
import type { PipelineCut } from '../cut/cutPipeline.ts';
import { isPinned, type PlaceChoice, placementProblem } from './placementProblem.ts';
import type { PlacedPipeline } from './placePipeline.ts';

/** Seconds of an iteration of a plan: nothing where it does not run; `undefined` if they are being found elsewhere. */
export type Pacer = (plan: PipelinePlan) => { readonly iteration?: number } | undefined;

/** Plans a placement without a trace in the notes; `undefined` where it cannot be planned. */
export type Drafter = (placed: PlacedPipeline) => Generator<void, PipelinePlan | undefined, void>;

/** A placement with its iteration. */
export interface TriedPlace extends HopCost {
  readonly isByNumber: boolean;
  readonly placed: PlacedPipeline;
  readonly iteration: number;
}

/** Pipeline ranks of which placements are searched. */
const mostRanks = 256;

/** Why there is nothing to choose. */
export function withoutChoice({ ranks: { ranks }, pipeline: { cluster } }: PlacedPipeline): string | undefined {
  if (ranks.length > mostRanks)
    return `placements of ${mostRanks} pipeline ranks at most are searched, and there are ${ranks.length}`;
  const free = ranks.filter((rank) => !isPinned(rank));
  if (free.length === 0) return 'every stage names its devices with `on`';
  if (ranks.length === 1) return 'all stages are on the same devices, so nothing is sent between them';
  if (free.length === 1 && ranks.flatMap(({ devices }) => devices).length === cluster.devices.length)
    return 'the other stages name all other devices with `on`';
  return undefined;
}

/** The hops between the ranks of a pipeline, as numbers, in steps. */
export function* choiceOf(
  { pipeline, ranks, sites, parts }: PlacedPipeline,
  costs: LayerCosts,
  cut: PipelineCut,
): Generator<void, PlaceChoice, void> {
  const { copies } = ranks;
  const { edges } = messagesOf({ pipeline, stageOf: cut.stageOf, kinds: sites, costs, copies, parts });
  return yield* placementProblem(pipeline.cluster, ranks, edges);
}

/** The placements that were found, best first, and the one by number. Those without a route are left out. */
export function placesToTry({ problem }: PlaceChoice, { best }: Placements): readonly Placement[] {
  const { byNumber } = problem;
  const all = best.some(({ places }) => samePlaces(places, byNumber))
    ? best
    : [...best, { places: byNumber, ...placementCost(problem, byNumber) }];
  return all.filter(({ worst }) => worst < Infinity);
}

const samePlaces = (a: readonly number[], b: readonly number[]): boolean => a.every((place, rank) => place === b[rank]);

/** Simulates placements, in steps; `undefined` if an answer is being found elsewhere. Those that do not run are left out. */
export function* triedPlaces(
  placed: PlacedPipeline,
  choice: PlaceChoice,
  wanted: readonly Placement[],
  draft: Drafter,
  pace: Pacer,
): Generator<void, readonly TriedPlace[] | undefined, void> {
  const tried: TriedPlace[] = [];
  let waiting = false;
  for (const { places, worst, sum } of wanted) {
    const changed = placedOn(placed, choice, places);
    const plan = yield* draft(changed);
    if (plan === undefined) continue;
    const paced = pace(plan);
    yield;
    // All are asked for before any is waited for.
    if (paced === undefined) waiting = true;
    else if (paced.iteration !== undefined)
      tried.push({
        isByNumber: samePlaces(places, choice.problem.byNumber),
        placed: changed,
        worst,
        sum,
        iteration: paced.iteration,
      });
  }
  return waiting ? undefined : tried;
}

function placedOn(placed: PlacedPipeline, { places }: PlaceChoice, of: readonly number[]): PlacedPipeline {
  const ranks = placed.ranks.ranks.map((rank, index) => ({ ...rank, devices: places[of[index]] }));
  return { ...placed, ranks: { ...placed.ranks, ranks } };
}
