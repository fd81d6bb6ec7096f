import type { DeviceReport, PipelineReport } from '../report.ts';

/** The device with the fullest memory; `undefined` only of a pipeline without devices. */
export const fullest = ({ devices }: Pick<PipelineReport, 'devices'>): DeviceReport | undefined =>
  devices.reduce<DeviceReport | undefined>(
    (most, one) => (most === undefined || one.peak * most.capacity > most.peak * one.capacity ? one : most),
    undefined,
  );
