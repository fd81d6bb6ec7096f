import type { PipelinePlan } from '../values/plan.ts';

/** A copy between a device and its host: seconds. Copies of one line follow each other; 0 is out, 1 is back. */
export interface HostCopy {
  readonly line: 0 | 1;
  readonly latency: number;
  readonly occupancy: number;
}

/** `undefined` where the device has no link to its host: then the copy takes no time. */
export function hostCopy(
  { devices }: Pick<PipelinePlan, 'devices'>,
  device: number,
  direction: 'out' | 'back',
  bytes: number,
): HostCopy | undefined {
  const link = devices[device].host;
  if (link === undefined) return undefined;
  return {
    line: direction === 'back' && link.half !== true ? 1 : 0,
    latency: link.latency,
    occupancy: bytes / link.bandwidth,
  };
}
