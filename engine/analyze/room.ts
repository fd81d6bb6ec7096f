/** How much of its memory a device has left at its peak. */
import type { DeviceReport } from '../values/report.ts';

type Filled = Pick<DeviceReport, 'peak' | 'capacity'>;

/** Bytes, and their share of what the pipeline may use; under 0 for a device that is over its capacity. */
export interface Room {
  readonly left: number;
  readonly share: number;
}

export function roomOf({ peak, capacity }: Filled): Room {
  const left = capacity - peak;
  return { left, share: capacity > 0 ? left / capacity : 0 };
}

/** Of the device that has the least share left; there is at least one device. */
export const fullestRoom = (devices: readonly Filled[]): Room =>
  devices.map(roomOf).reduce((least, each) => (each.share < least.share ? each : least));

/** Whether so little is left that allocator fragmentation may push the device over: `memory/headroom`. */
export const isTight = ({ share }: Pick<Room, 'share'>, margin: number): boolean => share < margin;
