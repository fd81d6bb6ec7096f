/** The memory of a device at its peak, as people read it. */
import { memoryAmount } from './unitWords.ts';
import { moment } from '../basics/quantities.ts';
import { inFlightWords } from './inFlight.ts';
import { itemNames, type Unit } from './memoryWords.ts';
import type { DeviceReport, MemoryItem } from '../values/report.ts';

/** `activations`, `activations of s0 for gpu[0]`: with its stage, where the device holds something of several; `operation loss`. */
export function itemName(
  { kind, stage, of, operation }: MemoryItem,
  { memory_items: all, stages }: DeviceReport,
): string {
  if (operation !== undefined) return `operation ${operation}`;
  const listed = stages.length > 1 || all.some((memoryItem) => memoryItem.of !== undefined);
  if (stage === undefined || !listed) return itemNames[kind];
  return `${itemNames[kind]} of ${stage}${of === undefined ? '' : ` for ${of}`}`;
}

/** `6 × 512 MiB`; empty where it is one. `isUnit`: of a timeline without a model. */
export const itemTimes = ({ count: units, bytes: size }: MemoryItem, isUnit?: boolean): string =>
  units === undefined || units === 1 ? '' : `${units.toLocaleString('en-US')} × ${memoryAmount(size / units, isUnit)}`;

/** `73.7 GiB of 79.1 GiB at 12.4 ms (0F3), 4 microbatches in flight`. `isUnit`: of a timeline without a model. */
export const peakText = (device: DeviceReport, unit: Unit, isUnit?: boolean): string =>
  `${memoryAmount(device.peak, isUnit)} of ${memoryAmount(device.capacity, isUnit)} at ${moment(device.peak_at)}` +
  `${device.peak_operation === '' ? '' : ` (${device.peak_operation})`}, ${inFlightWords(device, unit)}`;
