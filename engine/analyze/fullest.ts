import type { DeviceReport, PipelineReport } from '../report.ts';

/** The device with the fullest memory; `undefined` only of a pipeline without devices. */
export const fullest = ({ devices }: Pick<PipelineReport, 'devices'>): DeviceReport | undefined =>
  devices.reduce<DeviceReport | undefined>(
    (most, device) => (most === undefined || device.peak * most.capacity > most.peak * device.capacity ? device : most),
    undefined,
  );
