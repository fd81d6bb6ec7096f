/** What workers leave each other of the links between nodes, where each sends to all others or to machines outside. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { loadsOf } from '../loads.ts';
import { type NetworkRoute, routesOf } from '../routes/routesOf.ts';
import type { Groups } from './rings.ts';

/** Of the bytes of a worker, the part that leaves its node: `inside` of `workers` are in that node. */
export type Leaving = (inside: number, workers: number) => number;

/** Servers are machines of no node, so all bytes leave it. */
export const toServers: Leaving = () => 1;
/** Each worker sends an equal part to every other worker. */
export const toEachOther: Leaving = (inside, workers) => (workers - inside) / (workers - 1);

/**
 * Bytes per second of a worker, if all workers of all groups send at once and share the links that leave their nodes equally.
 * `Infinity` where no named link leaves a node. The first half of the route to a worker of another node leaves the node, and the second
 * half enters the other one. Each depth of nested nodes has such links, and the slowest of them decide.
 */
export function leavingBandwidth(cluster: ClusterDefinition, groups: Groups, bytes: number, leaving: Leaving): number {
  let bandwidth = Infinity;
  for (const depth of depthsOfNodes(cluster)) {
    const loads = loadsOf(routesOf(cluster).graph);
    for (const { route, from, to, amount } of routesOut(cluster, groups, { bytes, leaving, depth }))
      loads.add(route, from, to, amount);
    loads.each((amount, capacity) => {
      bandwidth = Math.min(bandwidth, capacity / amount);
    });
  }
  return bandwidth;
}

/** Depths at which nodes have links to each other. */
export const depthsOfNodes = ({ groups }: ClusterDefinition): readonly number[] =>
  [...new Set(groups.map(({ depth }) => depth))].filter((depth) => depth > 0);

/** How much a worker sends out of its node, over the first half of a route over named links. */
interface RouteOut {
  readonly route: Extract<NetworkRoute, { readonly kind: 'named' }>;
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

/** Each worker sends to one in the next node of its group. */
export function* routesOut(
  cluster: ClusterDefinition,
  groups: Groups,
  { bytes, leaving, depth }: { readonly bytes: number; readonly leaving: Leaving; readonly depth: number },
): Generator<RouteOut, void> {
  const { between } = routesOf(cluster);
  for (const group of groups) {
    const parts = partsAt(cluster, group, depth);
    if (parts.length < 2) continue;
    for (const [index, part] of parts.entries()) {
      const next = parts[(index + 1) % parts.length];
      const amount = leaving(part.length, group.length);
      for (const [place, from] of part.entries()) {
        const to = next[place % next.length];
        const route = between(from, to, bytes);
        if (route?.kind !== 'named') continue;
        const edges = route.edges.slice(0, Math.ceil(route.edges.length / 2));
        yield { route: { ...route, edges }, from, to, amount };
      }
    }
  }
}

/** The workers of each node of a depth. */
export function partsAt({ devices, groups }: ClusterDefinition, workers: readonly number[], depth: number): Groups {
  const parts = new Map<number, number[]>();
  for (const worker of workers) {
    let node = devices[worker].group;
    while (groups[node].depth > depth) node = groups[node].parent;
    const known = parts.get(node);
    if (known === undefined) parts.set(node, [worker]);
    else known.push(worker);
  }
  return [...parts.values()];
}
