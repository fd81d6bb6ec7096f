import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { stageNumber } from '../../../engine/costs/stages.ts';
import { deviceGroups } from '../../picture/deviceGroups.ts';
import type { ShownTimeline } from '../../session/shownTimeline.ts';
import { type Layout, layoutFor, leastRow } from './layout.ts';
import { guaranteed } from './room.ts';
import { groupedRows } from './rowMap.ts';

/** Least height of a row that stands for several devices. */
export const leastGroup = 10;

/** Devices of a chain of causes. */
export interface Chain {
  readonly devices: ReadonlySet<number>;
  /** The chart of memory makes room where their rows would be too low. */
  readonly overMemory: boolean;
}

/** Numbers of the stages of each device. */
function stagesByDevice(plan: PipelinePlan): readonly string[] {
  const numbers = plan.devices.map(() => '');
  for (const [stage, device] of plan.placement.entries()) numbers[device] += `${stageNumber(plan, stage)} `;
  return numbers;
}

/**
 * Places for a timeline. Devices that are alike share a row, and others do where they do not fit. Groups in `opened` do not change
 * the places: their rows scroll. Groups of devices of a `chain` are open: in a mix of operations it would not be seen.
 */
export function groupedLayout(
  { plan, picture }: ShownTimeline,
  size: { readonly width: number; readonly height: number },
  memoryShown: boolean,
  overviewShown: boolean,
  opened: ReadonlySet<string>,
  chain?: Chain,
): Layout {
  const legs = picture.lanes?.legs ?? 0;
  const arranged = (rows: number, mixed: boolean): Layout => {
    const over = (memory: boolean) => layoutFor(size.width, size.height, rows, memory, overviewShown, mixed, legs > 0);
    const roomy = over(memoryShown);
    const layout = chain?.overMemory === true && roomy.fittedRow < guaranteed.row ? over(false) : roomy;
    return legs === 0 || mixed ? layout : { ...layout, map: { ...layout.map, legs } };
  };
  const groups = deviceGroups(
    plan.devices.map(({ name }) => name),
    picture.columns,
    (rows, mixed) => arranged(rows, mixed).fittedRow >= (mixed ? leastGroup : leastRow),
    stagesByDevice(plan),
  );
  if (groups.length === 0) return arranged(picture.columns.rows, false);
  const ofChain = groups.filter(({ from, to, alike }) => alike !== true && hasDevice(chain, from, to));
  const map = groupedRows(groups, new Set([...opened, ...ofChain.map(({ name }) => name)]));
  return { ...arranged(groups.length, map.mixed), map: legs === 0 || map.mixed ? map : { ...map, legs } };
}

function hasDevice(chain: Chain | undefined, from: number, to: number): boolean {
  for (const device of chain?.devices ?? []) if (device >= from && device < to) return true;
  return false;
}
