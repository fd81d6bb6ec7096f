/** What collectives take where several equal groups run the same one at the same time, and so share links. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { loadsOf } from '../loads.ts';
import type { Ring } from '../../costs/types.ts';
import { routesOf } from '../routes/routesOf.ts';

/** Two devices, by number, that have no route. */
export interface UnreachableRank {
  readonly from: number;
  readonly to: number;
}

/** Groups of devices, by number; all run their collective at the same time. */
export type Groups = readonly (readonly number[])[];

/**
 * Rate (bytes per second) and delay (seconds) of one step of a ring. Every member of every group sends `bytes` to the next one,
 * the last to the first. A group is taken in the order given: if it goes to and fro between nodes, its ring does too.
 *
 * All links of a route are shared equally by the flows on them. So the slowest flow gets the least, over all links, of the link's
 * bandwidth divided by the number of flows on it. That is the first link to be full in progressive filling (Bertsekas and
 * Gallager, *Data Networks*, section 6.5.2), and a ring is as fast as its slowest flow. The delay is the largest of any flow.
 * Zeros if no device sends.
 */
export function ringsAtOnce(cluster: ClusterDefinition, groups: Groups, bytes: number): Ring | UnreachableRank {
  const routes = routesOf(cluster);
  const loads = loadsOf(routes.graph);
  let latency = 0;
  for (const group of groups) {
    for (let index = 0; index < group.length; index += 1) {
      const from = group[index];
      const to = group[index + 1 < group.length ? index + 1 : 0];
      if (from === to) continue;
      const route = routes.between(from, to, bytes);
      if (route === undefined) return { from, to };
      latency = Math.max(latency, route.latency);
      loads.add(route, from, to, 1);
    }
  }
  let bandwidth = Infinity;
  loads.each((flows, capacity) => {
    bandwidth = Math.min(bandwidth, capacity / flows);
  });
  return { bandwidth: bandwidth === Infinity ? 0 : bandwidth, latency };
}
