import type { DeviceReport, PipelineReport } from '../values/report.ts';

/** The device with this name, otherwise the device with the fullest memory; `undefined` only of a pipeline without devices. */
export const fullest = ({ devices }: Pick<PipelineReport, 'devices'>, name?: string): DeviceReport | undefined =>
  devices.find((device) => device.name === name) ??
  devices.reduce<DeviceReport | undefined>(
    (most, device) => (most === undefined || device.peak * most.capacity > most.peak * device.capacity ? device : most),
    undefined,
  );

/** A device with more than this share of its memory free needs no change. */
const ampleShare = 0.2;

export const freeShare = ({ peak, capacity }: Pick<DeviceReport, 'peak' | 'capacity'>): number =>
  capacity > 0 ? 1 - peak / capacity : 0;

export const hasAmpleRoom = (device: Pick<DeviceReport, 'peak' | 'capacity'>): boolean =>
  freeShare(device) > ampleShare;
