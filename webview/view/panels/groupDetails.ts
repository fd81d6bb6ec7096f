import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { time } from '../../../engine/basics/quantities.ts';
import type { DeviceGroup } from '../../picture/deviceGroups.ts';
import type { Line } from '../../picture/describe.ts';
import { groupFigures } from '../../picture/groupFigures.ts';
import { rangeText } from '../../session/figures.ts';
import { smallShare } from '../../session/smallShare.ts';
import type { Scene } from '../scene/scene.ts';

/** What the devices of a group have in common, and how far they differ. */
export function groupDetails(
  { plan, picture }: Scene,
  { name, from, to, alike }: DeviceGroup,
): { readonly title: string; readonly lines: readonly Line[] } {
  const { iteration } = picture.report;
  const { mean, least, most, leastPeak, mostPeak, fullest } = groupFigures(picture.report, from, to);
  const [first, last] = [plan.devices[from].name, plan.devices[to - 1].name];
  const seconds = rangeText(time((1 - most) * iteration), time((1 - least) * iteration));
  const average = least === most ? '' : `, ${smallShare(mean)} on average`;
  const highest = memoryAmount(mostPeak, plan.unitTimes);
  const peaks = rangeText(memoryAmount(leastPeak, plan.unitTimes), highest);
  return {
    title: `${name}, ${to - from} devices`,
    lines: [
      ['Members', `${first} – ${last}`],
      ...(alike === true ? [['Timelines', 'exactly the same'] as const] : []),
      ['Busy', rangeText(smallShare(least), smallShare(most)) + average],
      ['Idle', `${rangeText(smallShare(1 - most), smallShare(1 - least))}, ${seconds}`],
      ['Peak', peaks === highest ? peaks : `${peaks}, most on ${plan.devices[fullest].name}`],
    ],
  };
}
