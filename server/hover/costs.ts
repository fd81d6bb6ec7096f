/** What layers and stages cost beyond a time: traffic of their ranks and activations by part. */
import { groupWords } from '../../engine/analyze/traffic.ts';
import type { StagePlan, TrafficName, TrafficPlan } from '../../engine/values/plan.ts';
import { bytes, share, time } from '../../engine/basics/quantities.ts';
import { columns } from './markdown.ts';

type Row = readonly [string, string | undefined];

/** Bytes that a device sends to each group of ranks for one microbatch, and what of the time that takes no computing hides. */
export const trafficRows = (traffic: StagePlan['traffic'] = {}): readonly Row[] =>
  (Object.entries(traffic) as [TrafficName, TrafficPlan][]).map(([name, part]) => [
    groupWords[name],
    trafficText(part),
  ]);

const trafficText = ({ bytes: size, time: seconds, exposed }: TrafficPlan): string =>
  `${bytes(size)} in ${time(seconds)}, ${exposedText(seconds, exposed)}`;

function exposedText(seconds: number, exposed: number): string {
  if (exposed <= seconds * noise) return 'hidden';
  return exposed >= seconds * (1 - noise) ? 'all exposed' : `${time(exposed)} exposed`;
}
/** What rounding leaves. */
const noise = 1e-9;

/** Why times of traffic do not add to the others; empty where there is none. */
export const trafficNote = (traffic: StagePlan['traffic'] = {}): string =>
  Object.keys(traffic).length === 0 ? '' : 'The times above include the exposed part of these exchanges.';

/** Bytes of one microbatch by part of the layers, the sum `whole` last; then `others`, which are no parts of it. */
export function partsTable(
  parts: StagePlan['activationParts'] = {},
  whole: number,
  others: readonly (readonly [string, number])[] = [],
): string {
  const rows = Object.entries(parts).filter(([, size]) => size > 0);
  const of = (size: number): string => (whole > 0 ? share(size / whole) : '');
  return columns(
    [
      ...rows.map(([name, size]) => [name, bytes(size), of(size)]),
      ...(rows.length > 1 ? [['**together**', bytes(whole), '']] : []),
      ...others.map(([name, size]) => [name, bytes(size), '']),
    ],
    ['left', 'right', 'right'],
  );
}
