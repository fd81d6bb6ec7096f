/** What replicas exchange, in exports: the pieces of each lane as they are shown under the blocks of its devices. */
import type { LaneTimeline, Sent } from '../values/exchangeTimeline.ts';
import type { Timeline } from '../values/timeline.ts';

/** Most directions of a lane; 0 if no rule orders the exchange. */
export const legsOf = ({ exchange }: Timeline): number =>
  (exchange?.lanes ?? []).reduce((most, { back }) => Math.max(most, back === undefined ? 1 : 2), 0);

export const legsIn = ({ sent, back }: LaneTimeline): readonly Sent[] => (back === undefined ? [sent] : [sent, back]);

/** `pushes` and `pulls` of servers, `scatters` and `gathers` of halves, otherwise `gradients`. */
export function legNames({ plan, back }: LaneTimeline): readonly string[] {
  if (back === undefined) return ['gradients'];
  return plan.calls.some(({ pull }) => pull !== undefined) ? ['pushes', 'pulls'] : ['scatters', 'gathers'];
}

/** Name of a bucket: its front layer, and the number of its other layers. */
export function bucketName({ plan, buckets: { front, offsets } }: LaneTimeline, bucket: number): string {
  const others = offsets[bucket + 1] - offsets[bucket] - 1;
  const { layer } = plan.tensors[front[bucket]];
  return others > 0 ? `${layer} + ${others}` : layer;
}

/** Seconds from an iteration to the next, if they follow without a barrier and repeat. */
export const repeatsAfter = ({ exchange, timing }: Timeline): number | undefined =>
  exchange?.steady === true && timing.exchange?.rule.barrier === false ? exchange.period : undefined;

/** Colours of layers from the front, number modulo 8, each with the colour of a text on it. */
export const layerLooks = [
  { colour: '#e8c65a', text: '#000000' },
  { colour: '#1b7358', text: '#ffffff' },
  { colour: '#a99aff', text: '#000000' },
  { colour: '#b83264', text: '#ffffff' },
  { colour: '#f3b9d0', text: '#000000' },
  { colour: '#03807a', text: '#ffffff' },
  { colour: '#5f38d7', text: '#ffffff' },
  { colour: '#a1e0b4', text: '#000000' },
] as const;

/** End of the last operation and of the last piece. */
export const lastMoment = ({ makespan, exchange }: Timeline): number =>
  (exchange?.lanes ?? [])
    .flatMap(legsIn)
    .reduce((latest, { length, end }) => (length === 0 ? latest : Math.max(latest, end[length - 1])), makespan);
