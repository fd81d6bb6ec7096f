/** `place/slow-hop`: stages in the order of the devices' numbers send over slower links than they need to. */
import { placementSearch } from '../../network/index.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { LayerCosts } from '../cost/layerCosts.ts';
import { totalTime } from '../cost/layerCosts.ts';
import type { PipelineCut } from '../cut/cutPipeline.ts';
import type { Notes } from '../notes.ts';
import type { PlacedPipeline } from './placePipeline.ts';
import { interchangeable } from './interchangeable.ts';
import { choiceOf, type Drafter, type Pacer, placesToTry, triedPlaces, withoutChoice } from './placeTrials.ts';

/** Share of an iteration that the better placement must save. */
const leastGain = 0.05;
/** Placements that are simulated; `place = best` simulates more. */
const mostTried = 2;

/** In steps. Nothing is reported while an answer is being found elsewhere. */
export function* reportSlowHop(
  notes: Notes,
  placed: PlacedPipeline,
  costs: LayerCosts,
  cut: PipelineCut,
  plan: PipelinePlan,
  draft: Drafter,
  pace: Pacer,
): Generator<void, void, void> {
  if (linksAlike(placed) || placesAlike(placed) || withoutChoice(placed) !== undefined) return;
  if (!mayGain(plan)) return;
  const choice = yield* choiceOf(placed, costs, cut);
  yield;
  const found = notes.searches.answer(placementSearch, choice.problem);
  if (found === undefined) return;
  yield;
  const wanted = placesToTry(choice, found);
  const byNumber = wanted.find(({ places }) => places.every((place, rank) => place === choice.problem.byNumber[rank]));
  if (byNumber === undefined) return;
  const better = wanted.filter(({ worst }) => worst < byNumber.worst * (1 - 1e-9)).slice(0, mostTried);
  if (better.length === 0) return;
  const before = pace(plan);
  const tried = yield* triedPlaces(placed, choice, better, draft, pace);
  if (before?.iteration === undefined || tried === undefined) return;
  const [first, ...others] = tried;
  if (first === undefined) return;
  const best = others.reduce((fastest, other) => (other.iteration < fastest.iteration ? other : fastest), first);
  const gain = 1 - best.iteration / before.iteration;
  if (gain < leastGain) return;
  const { pipeline } = placed;
  notes.report.report(
    'place/slow-hop',
    pipeline.at('devices'),
    { slowest: byNumber.worst, best: best.worst, iteration: best.iteration, gain },
    { hint: { kind: 'tune', pipeline: pipeline.name } },
  );
}

/** All devices reach each other over links of one speed. */
function linksAlike({ pipeline: { cluster } }: PlacedPipeline): boolean {
  const speeds = new Set(
    cluster.groups.map(({ link }) => (link === undefined ? 'none' : `${link.bandwidth} ${link.latency}`)),
  );
  return cluster.named.size === 0 && speeds.size === 1;
}

/** Whichever places the ranks have, they send over links of the same speed. */
const placesAlike = ({ pipeline: { cluster }, ranks: { ranks } }: PlacedPipeline): boolean =>
  ranks.flatMap(({ devices }) => devices).length === cluster.devices.length &&
  interchangeable(
    cluster,
    ranks.map(({ devices }) => devices),
  );

/**
 * Whether faster transfers can save so much at all. An iteration takes at least the work of the slowest stage, and transfers add at
 * most all messages of a microbatch for each microbatch, there and back.
 */
function mayGain({ stages, placement, edges, routes, microbatches, devices }: PipelinePlan): boolean {
  const work = new Float64Array(devices.length);
  for (const [stage, costs] of stages.entries()) work[placement[stage]] += totalTime(costs) / (costs.copy?.every ?? 1);
  const seconds = new Map(
    routes.map(
      ({ from, to, latency, bandwidth }): [string, { readonly latency: number; readonly bandwidth: number }] => [
        `${from} ${to}`,
        { latency, bandwidth },
      ],
    ),
  );
  let sending = 0;
  for (const { from, to, bytes, back = bytes } of edges) {
    const [there, returning] = [`${placement[from]} ${placement[to]}`, `${placement[to]} ${placement[from]}`];
    for (const [key, size] of [
      [there, bytes],
      [returning, back],
    ] as const) {
      const route = seconds.get(key);
      if (route !== undefined) sending += route.latency + size / route.bandwidth;
    }
  }
  const least = microbatches * work.reduce((most, value) => Math.max(most, value), 0);
  return microbatches * sending >= leastGain * least;
}
