/** Chooses the devices of `place = best`: the best placements by number are simulated, and the fastest is taken. */
import { placementSearch } from '../../network/index.ts';
import type { PlacePlan } from '../../values/plan.ts';
import { time } from '../../basics/quantities.ts';
import type { LayerCosts } from '../cost/layerCosts.ts';
import type { PipelineCut } from '../cut/cutPipeline.ts';
import type { Notes } from '../notes.ts';
import { deviceText } from './deviceText.ts';
import type { PlacedPipeline } from './placePipeline.ts';
import {
  choiceOf,
  type Drafter,
  type Pacer,
  placesToTry,
  type TriedPlace,
  triedPlaces,
  withoutChoice,
} from './placeTrials.ts';

export interface BestPlace {
  readonly placed: PlacedPipeline;
  readonly place?: PlacePlan;
}

/** The pipeline on the devices that were chosen, in steps; `undefined` if an answer is being found elsewhere. */
export function* bestPlace(
  notes: Notes,
  placed: PlacedPipeline,
  costs: LayerCosts,
  cut: PipelineCut,
  draft: Drafter,
  pace: Pacer,
): Generator<void, BestPlace | undefined, void> {
  const at = placed.pipeline.at('place');
  const reason = withoutChoice(placed);
  if (reason !== undefined) {
    notes.report.report('key/not-applicable', at, { key: 'place', reason }, { hint: { kind: 'remove' } });
    return { placed };
  }
  const choice = yield* choiceOf(placed, costs, cut);
  yield;
  const found = notes.searches.answer(placementSearch, choice.problem);
  if (found === undefined) return undefined;
  yield;
  const tried = yield* triedPlaces(placed, choice, placesToTry(choice, found), draft, pace);
  if (tried === undefined) return undefined;
  const [first, ...others] = tried;
  // Where no placement runs, the reason is reported of the one by number.
  if (first === undefined) return { placed };
  const best = others.reduce((fastest, other) => (isFaster(other, fastest) ? other : fastest), first);
  const place = placePlan(best, tried, found.exact);
  notes.derived.push({ offset: at.end, ...hint(place) });
  return { placed: best.placed, place };
}

/** Differences of iterations by rounding are none: then the placement with the faster hops is taken. */
const isFaster = (a: TriedPlace, b: TriedPlace): boolean => a.iteration < b.iteration * (1 - 1e-12);

function placePlan(best: TriedPlace, tried: readonly TriedPlace[], exact: boolean): PlacePlan {
  const { ranks, pipeline } = best.placed;
  const figures = ({ worst, sum, iteration }: TriedPlace) => ({ worst, sum, iteration });
  const byNumber = tried.find(({ isByNumber }) => isByNumber);
  return {
    devices: ranks.ranks.map(({ devices }) => pipeline.cluster.devices[devices[0]].name),
    on: ranks.ranks.map(({ devices }) => deviceText(devices)),
    ...figures(best),
    ...(byNumber === undefined ? {} : { by_number: figures(byNumber) }),
    exact,
    simulated: tried.length,
  };
}

/** Devices that an inlay hint names. */
const mostNamed = 4;

/** ` gpu[0], gpu[3], gpu[2], …`, with the hops in the tooltip. */
function hint({ devices, worst, sum, by_number: byNumber, exact }: PlacePlan): {
  readonly text: string;
  readonly tooltip: string;
} {
  const named = devices.length > mostNamed ? [...devices.slice(0, mostNamed - 1), '…'] : devices;
  const hops = (figures: { readonly worst: number; readonly sum: number }) =>
    `slowest hop ${time(figures.worst, 4)}, all hops ${time(figures.sum, 4)}`;
  return {
    text: ` ${named.join(', ')}`,
    tooltip: [
      `Stages are on ${devices.join(', ')}.`,
      `With this placement: ${hops({ worst, sum })}.`,
      byNumber === undefined ? 'By number, some stages cannot reach each other.' : `By number: ${hops(byNumber)}.`,
      exact
        ? 'No placement has a faster slowest hop, and none with an equal one has faster hops in all, than the best that was simulated.'
        : 'The best placement found; there are too many to try them all.',
    ].join('\n'),
  };
}
