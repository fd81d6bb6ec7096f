import { list, time } from '../../engine/basics/quantities.ts';
import type { PlacementFigures } from '../../engine/values/plan.ts';
import type { PipelineReport } from '../../engine/values/report.ts';

/** Devices that are named before the rest is left out. */
const mostNamed = 16;

/** What `place = best` chose, compared with the devices in the order of their numbers. */
export function placeRows({ place }: PipelineReport): string[][] {
  if (place === undefined) return [];
  const { devices, by_number: byNumber, exact } = place;
  const named = devices.length > mostNamed ? `${devices.slice(0, mostNamed).join(', ')}, …` : list(devices);
  return [
    ['devices', named, exact ? '' : 'best of those tried'],
    ['best', ...hops(place)],
    byNumber === undefined ? ['by number', 'no route between some stages', ''] : ['by number', ...hops(byNumber)],
  ];
}

const hops = ({ worst, sum, iteration }: PlacementFigures): readonly [string, string] => [
  `slowest hop ${time(worst, 4)}, all hops ${time(sum, 4)}`,
  `iteration ${time(iteration, 4)}`,
];
