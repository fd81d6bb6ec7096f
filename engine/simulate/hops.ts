import type { PipelinePlan, RoutePlan } from '../values/plan.ts';
import type { Flows } from '../values/timeline.ts';

/** The hops of a route; a route that does not say takes one. */
export const hopsOf = (route: RoutePlan): NonNullable<RoutePlan['hops']> => route.hops ?? [route];

/**
 * The hops of all routes, if some route over several hops shares one of them with another route. `undefined` if none does: then a
 * transfer has all of its route for itself, or queues for the one channel that it takes.
 */
export function flowsOf({ routes }: Pick<PipelinePlan, 'routes'>): Flows | undefined {
  if (routes.every(({ hops }) => hops === undefined)) return undefined;
  const users = new Map<number, { count: number; long: boolean }>();
  for (const route of routes) {
    const hops = hopsOf(route);
    for (const { channel } of hops) {
      const known = users.get(channel);
      if (known === undefined) users.set(channel, { count: 1, long: hops.length > 1 });
      else {
        known.count += 1;
        known.long ||= hops.length > 1;
      }
    }
  }
  if (![...users.values()].some(({ count, long }) => long && count > 1)) return undefined;
  const offsets = new Int32Array(routes.length + 1);
  routes.forEach((route, index) => (offsets[index + 1] = offsets[index] + hopsOf(route).length));
  return {
    offsets,
    channel: Int32Array.from(routes.flatMap(hopsOf), ({ channel }) => channel),
    capacity: Float64Array.from(routes.flatMap(hopsOf), ({ bandwidth }) => bandwidth),
    rate: Float64Array.from(routes, ({ bandwidth }) => bandwidth),
  };
}

/** Channels of all routes: they are numbered from 0. */
export const channelsOf = ({ routes }: Pick<PipelinePlan, 'routes'>): number =>
  routes.reduce((most, route) => hopsOf(route).reduce((more, { channel }) => Math.max(more, channel + 1), most), 0);
