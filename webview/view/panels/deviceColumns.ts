import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { moment, share, time } from '../../../engine/basics/quantities.ts';
import type { DeviceReport } from '../../../engine/values/report.ts';
import { inFlightText, microbatchesInFlight } from '../../../engine/analyze/inFlight.ts';
import { shareOf } from '../../../engine/analyze/shares.ts';
import type { Scene } from '../scene/scene.ts';
import { smallShare } from '../../session/smallShare.ts';

/** A column of the table of devices, and what it is sorted by. */
interface DeviceColumn {
  readonly name: string;
  /** Sorted by figure, the largest first; otherwise by name or place. */
  readonly isFigure: boolean;
  text(scene: Scene, device: number): string;
  figure(scene: Scene, device: number): number;
}

/** The order of the table: by a column. */
export interface DeviceOrder {
  readonly column: number;
  readonly descending: boolean;
}

const reportOf = ({ picture }: Scene, device: number): DeviceReport => picture.report.devices[device];
const filledOf = ({ picture }: Scene, device: number): number | undefined =>
  picture.report.fill?.devices[device].recovered;

/** Least slack of the operations of a device; undefined for long runs. */
function slackOf({ picture }: Scene, device: number): number | undefined {
  const { slack, columns } = picture;
  if (slack === undefined) return undefined;
  let least = Infinity;
  for (let block = columns.offsets[device]; block < columns.offsets[device + 1]; block += 1)
    if (columns.word[block] >= 0 && slack[block] < least) least = slack[block];
  return least;
}

const column = (
  name: string,
  text: DeviceColumn['text'],
  figure: DeviceColumn['figure'],
  isFigure = true,
): DeviceColumn => ({ name, text, figure, isFigure });
const timeOfIteration = (scene: Scene, seconds: number): string =>
  `${time(seconds)} (${smallShare(shareOf(seconds, scene.picture.report.iteration))})`;

export const deviceColumns: readonly DeviceColumn[] = [
  column(
    'Device',
    (scene, device) => scene.plan.devices[device].name,
    (_, device) => device,
    false,
  ),
  column(
    'Stages',
    (scene, device) => reportOf(scene, device).stages.join(', '),
    (scene, device) => reportOf(scene, device).stages.length,
    false,
  ),
  column(
    'Busy',
    (scene, device) => timeOfIteration(scene, reportOf(scene, device).busy),
    (scene, device) => reportOf(scene, device).busy,
  ),
  column(
    'Idle',
    (scene, device) => {
      const filled = filledOf(scene, device);
      return `${time(reportOf(scene, device).idle)}${filled === undefined ? '' : ` (${share(filled)} filled)`}`;
    },
    (scene, device) => reportOf(scene, device).idle,
  ),
  column(
    'Least slack',
    (scene, device) => {
      const slack = slackOf(scene, device);
      return slack === undefined || slack === Infinity ? '' : time(slack);
    },
    (scene, device) => slackOf(scene, device) ?? 0,
  ),
  column(
    'Peak',
    (scene, device) => memoryAmount(reportOf(scene, device).peak, scene.plan.unitTimes),
    (scene, device) => reportOf(scene, device).peak,
  ),
  column(
    'Left',
    (scene, device) => {
      const { capacity, peak } = reportOf(scene, device);
      const left = memoryAmount(Math.abs(capacity - peak), scene.plan.unitTimes);
      return peak > capacity ? `over by ${left}` : left;
    },
    (scene, device) => reportOf(scene, device).capacity - reportOf(scene, device).peak,
  ),
  column(
    'In flight',
    (scene, device) => inFlightText(microbatchesInFlight(reportOf(scene, device))),
    (scene, device) => microbatchesInFlight(reportOf(scene, device)),
  ),
  column(
    'Peak at',
    (scene, device) => {
      const { peak_operation: operation, peak_at: at } = reportOf(scene, device);
      return operation === '' ? '' : `${operation}, ${moment(at)}`;
    },
    (scene, device) => reportOf(scene, device).peak_at,
  ),
];

/** Devices as the table lists them: as in the plan, unless a column sorts them. Equal ones stay in that order. */
export function devicesInOrder(scene: Scene, order: DeviceOrder | undefined): readonly number[] {
  const all = Array.from(scene.plan.devices.keys());
  if (order === undefined) return all;
  const { figure } = deviceColumns[order.column];
  const figures = all.map((device) => figure(scene, device));
  const sign = order.descending ? -1 : 1;
  return all.sort((a, b) => sign * (figures[a] - figures[b]) || a - b);
}
