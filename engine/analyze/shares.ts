import type { ReportWithoutCauses } from '../values/report.ts';
import { type GroupKind, trafficByDevice } from './traffic.ts';

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

/** Communication of one kind that devices wait for: seconds of all devices together, and the mean share of the iteration. */
export interface ExposedPart {
  readonly kind: 'links' | GroupKind;
  readonly seconds: number;
  readonly share: number;
}

/** What communication devices wait for, by its kind: transfers between stages first, then what their ranks exchange. Copies of hosts are no part of it. */
export function exposedParts(report: ReportWithoutCauses): readonly ExposedPart[] {
  const { devices, iteration, links } = report;
  const sum = (parts: readonly { readonly exposed: number }[]) => parts.reduce((all, { exposed }) => all + exposed, 0);
  const part = (kind: ExposedPart['kind'], seconds: number): ExposedPart => ({
    kind,
    seconds,
    share: shareOf(seconds, devices.length * iteration),
  });
  return [
    part('links', sum(links)),
    ...trafficByDevice(report).map(({ kind, devices: traffic }) => part(kind, sum(traffic))),
  ];
}

/** The mean share of the iteration in which devices wait for communication that no compute hides, whatever it is. */
export const exposedCommunication = (report: ReportWithoutCauses): number =>
  exposedParts(report).reduce((sum, { share }) => sum + share, 0);

/** The same of transfers between stages alone. */
export const exposedTransfers = (report: ReportWithoutCauses): number => exposedParts(report)[0].share;
