/** All-to-alls of several equal groups at the same time. */
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { loadsOf } from '../loads.ts';
import { waysOf } from '../routes/ways.ts';
import type { Groups, Unreachable } from './rings.ts';

/**
 * Seconds of an all-to-all in which every member sends an equal part of its `bytesPerRank` to every member of its group, itself
 * included. It is (n − 1)·α + what the fullest link needs for all bytes that cross it. No order of sending is faster than that
 * link, and one is as fast: each flow has the rate that ends it just then. No link then carries more than it can.
 *
 * If the route is the `link` of a node or of the cluster, it is a port of each device. The transfers of a device leave it one
 * after another, (n − 1) / n · S / B for S bytes. Named links are separate, and used at the same time. α is the largest latency
 * of a route in the group.
 */
export function allToAllAtOnce(cluster: ClusterDefinition, groups: Groups, bytesPerRank: number): number | Unreachable {
  const found = sendAll(cluster, groups, bytesPerRank);
  return 'from' in found ? found : found.delay + found.moving;
}

/**
 * The ring whose (n − 1)·α + (n − 1) / n · S / B is the time of such an all-to-all, for groups of one size n. Zeros where nobody sends.
 */
export function allToAllRing(cluster: ClusterDefinition, groups: Groups, bytesPerRank: number): Ring | Unreachable {
  const found = sendAll(cluster, groups, bytesPerRank);
  if ('from' in found) return found;
  const steps = groups.reduce((most, group) => Math.max(most, group.length), 1) - 1;
  if (found.moving === 0) return { bandwidth: 0, latency: found.delay / Math.max(1, steps) };
  return { bandwidth: ((steps / (steps + 1)) * bytesPerRank) / found.moving, latency: found.delay / steps };
}

/** Seconds that links move bytes, and seconds of latency. */
function sendAll(
  cluster: ClusterDefinition,
  groups: Groups,
  bytesPerRank: number,
): { readonly moving: number; readonly delay: number } | Unreachable {
  const routes = waysOf(cluster);
  const loads = loadsOf(routes.graph);
  let [moving, delay] = [0, 0];
  for (const group of groups) {
    const bytes = bytesPerRank / group.length;
    let latency = 0;
    for (const from of group) {
      const ports = new Map<number, number>();
      for (const to of group) {
        if (from === to) continue;
        const route = routes.between(from, to, bytes);
        if (route === undefined) return { from, to };
        latency = Math.max(latency, route.latency);
        loads.add(route, from, to, bytes);
        if (route.kind === 'named') continue;
        const port = (ports.get(route.group) ?? 0) + bytes;
        ports.set(route.group, port);
        moving = Math.max(moving, port / route.bandwidth);
      }
    }
    delay = Math.max(delay, (group.length - 1) * latency);
  }
  loads.each((moved, capacity) => {
    moving = Math.max(moving, moved / capacity);
  });
  return { moving, delay };
}
