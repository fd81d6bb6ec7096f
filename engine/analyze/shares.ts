import type { ReportWithoutCauses } from '../values/report.ts';

/** `part` of `whole`; 0 of nothing, so that a pipeline that takes no time has shares all the same. */
export const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/**
 * The share of `devices` × `seconds` in which no device works, where all devices have `work` seconds of operations. A pipeline whose
 * operations take no time idles for all of any time, also of the 0 s that bounds such a pipeline.
 */
export const idleShare = (work: number, devices: number, seconds: number): number =>
  // Rounding may leave a share of −1e−16 where nothing is idle.
  work > 0 ? Math.max(0, 1 - work / (devices * seconds)) : 1;

/** The mean share of the iteration in which devices wait for gradients, or for weights that are updated in parts. */
export const exposedGradients = ({ devices, iteration }: ReportWithoutCauses): number =>
  shareOf(
    devices.reduce((sum, { sync }) => sum + sync.exposed, 0),
    devices.length * iteration,
  );

/** The mean share of the iteration in which devices wait for copies to and from their hosts. */
export const exposedHost = ({ devices, iteration }: ReportWithoutCauses): number =>
  shareOf(
    devices.reduce((sum, { host }) => sum + (host?.exposed ?? 0), 0),
    devices.length * iteration,
  );

/** Seconds that devices wait for transfers with nothing else to run, all devices together, and the mean share of the iteration. */
export function exposedCommunication(report: ReportWithoutCauses): {
  readonly seconds: number;
  readonly share: number;
} {
  const seconds = report.links.reduce((sum, link) => sum + link.exposed, 0);
  return { seconds, share: shareOf(seconds, report.devices.length * report.iteration) };
}
