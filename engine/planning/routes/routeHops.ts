/** Which hops of routes say something: ranks of many devices take many links that are all alike. */
import type { Place, RoutePlan, Resharding } from '../../values/plan.ts';
import type { RouteHop } from '../../network/index.ts';

export interface DrawnHop extends RouteHop {
  /** Of the first devices of both ranks: always shown. */
  readonly first: boolean;
}

/** A route before its channels have numbers. */
export interface Drawn extends Pick<RoutePlan, 'from' | 'to' | 'bandwidth' | 'latency'> {
  readonly channel: string;
  readonly hops: readonly DrawnHop[];
  readonly place: Place;
  readonly reshard?: Resharding;
}

/**
 * Without hops that another one covers: one that just the same routes take, with no more bandwidth for any of them. When the other has
 * room for a set of transfers, so has this one, so no transfer is the slower for it.
 */
export function withoutCovered(routes: readonly Drawn[]): readonly Drawn[] {
  if (routes.every(({ hops }) => hops.every((hop) => hop.first))) return routes;
  const users = new Map<string, { readonly routes: number[]; readonly bandwidths: number[]; first: boolean }>();
  for (const [route, { hops }] of routes.entries()) {
    for (const { channel, bandwidth, first } of hops) {
      const known = users.get(channel) ?? { routes: [], bandwidths: [], first: false };
      known.routes.push(route);
      known.bandwidths.push(bandwidth);
      known.first ||= first;
      users.set(channel, known);
    }
  }
  /** Channel of which one is a copy or less; itself where it is kept. */
  const covered = new Map<string, string>();
  const kept = new Map<string, { readonly channel: string; readonly bandwidths: readonly number[] }[]>();
  const order = [...users].toSorted(
    ([, a], [, b]) => Number(b.first) - Number(a.first) || a.bandwidths[0] - b.bandwidths[0],
  );
  for (const [channel, { routes: sharing, bandwidths, first }] of order) {
    const key = sharing.join();
    const others = kept.get(key) ?? [];
    kept.set(key, others);
    const cover = others.find((other) => other.bandwidths.every((bandwidth, index) => bandwidth <= bandwidths[index]));
    if (cover === undefined || first) others.push({ channel, bandwidths });
    covered.set(channel, first ? channel : (cover?.channel ?? channel));
  }
  return routes.map((route) => ({
    ...route,
    channel: covered.get(route.channel) ?? route.channel,
    hops: route.hops.filter(({ channel }) => covered.get(channel) === channel),
  }));
}
