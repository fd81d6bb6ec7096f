/** How two devices of a cluster reach one another. */
import type { ClusterDefinition, LinkDefinition } from './definitions.ts';
import type { Place } from './plan.ts';

export interface Route {
  /** Bytes a second: the least of its hops. Seconds: the sum of its hops. */
  readonly bandwidth: number;
  readonly latency: number;
  /** Routes with the same key queue for one resource: that of the slowest hop, a shared one where hops are equally slow. */
  readonly channel: string;
  readonly place: Place;
}

interface Hop {
  readonly from: number;
  readonly to: number;
  readonly link: LinkDefinition;
  /** Node whose copy of the link it is. */
  readonly group: number;
}

/**
 * The route from one device to another: a link named for the two; else the `link` of the innermost node (or the cluster)
 * that holds both; else the fastest way over named links for a transfer of `bytes`. `undefined` where there is none.
 */
export function routeBetween(cluster: ClusterDefinition, from: number, to: number, bytes: number): Route | undefined {
  const named = cluster.named.get(from)?.get(to);
  if (named !== undefined) return routeOf([{ from, to, link: named, group: 0 }]);
  const group = commonGroup(cluster, from, to);
  const { link } = cluster.groups[group];
  if (link !== undefined) return routeOf([{ from, to, link, group }]);
  const hops = fastest(cluster, from, to, bytes);
  return hops === undefined ? undefined : routeOf(hops);
}

function routeOf(hops: readonly Hop[]): Route {
  let slowest = hops[0];
  for (const hop of hops) {
    const less = hop.link.bandwidth - slowest.link.bandwidth;
    if (less < 0 || (less === 0 && contention(hop) > contention(slowest))) slowest = hop;
  }
  return {
    bandwidth: slowest.link.bandwidth,
    latency: hops.reduce((sum, hop) => sum + hop.link.latency, 0),
    channel: channelOf(slowest),
    place: slowest.link.place,
  };
}

const contention = ({ link }: Hop): number => ['full', 'half', 'shared'].indexOf(link.sharing);

/** Full duplex: each direction of each pair is a resource; half: each pair; shared: the link. Each node has links of its own. */
function channelOf({ from, to, link, group }: Hop): string {
  if (link.sharing === 'shared') return `${link.id}/${group}`;
  if (link.sharing === 'half') return `${link.id}/${group}/${Math.min(from, to)}-${Math.max(from, to)}`;
  return `${link.id}/${group}/${from}-${to}`;
}

function commonGroup(cluster: ClusterDefinition, from: number, to: number): number {
  let a = cluster.devices[from].group;
  let b = cluster.devices[to].group;
  while (a !== b) {
    if (cluster.groups[a].depth >= cluster.groups[b].depth) a = cluster.groups[a].parent;
    else b = cluster.groups[b].parent;
  }
  return a;
}

/** Dijkstra over named links; the length of a hop is latency + bytes / bandwidth. */
function fastest(cluster: ClusterDefinition, from: number, to: number, bytes: number): readonly Hop[] | undefined {
  const length = new Map<number, number>([[from, 0]]);
  const arrived = new Map<number, Hop>();
  const done = new Set<number>();
  const queue: { readonly device: number; readonly length: number }[] = [{ device: from, length: 0 }];
  for (let head = pop(queue); head !== undefined; head = pop(queue)) {
    const { device } = head;
    if (done.has(device)) continue;
    done.add(device);
    if (device === to) break;
    for (const [next, link] of cluster.named.get(device) ?? []) {
      const reached = head.length + link.latency + bytes / link.bandwidth;
      if (reached >= (length.get(next) ?? Infinity)) continue;
      length.set(next, reached);
      arrived.set(next, { from: device, to: next, link, group: 0 });
      push(queue, { device: next, length: reached });
    }
  }
  if (!done.has(to)) return undefined;
  const hops: Hop[] = [];
  for (let hop = arrived.get(to); hop !== undefined; hop = hop.from === from ? undefined : arrived.get(hop.from))
    hops.push(hop);
  return hops.toReversed();
}

interface Queued {
  readonly device: number;
  readonly length: number;
}

function push(heap: Queued[], item: Queued): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent].length <= item.length) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = item;
}

function pop(heap: Queued[]): Queued | undefined {
  const [top] = heap;
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1].length < heap[child].length) child += 1;
    if (heap[child].length >= last.length) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return top;
}

/** Slowest bandwidth and largest latency of a ring over the devices; `undefined` where two neighbours have no route. */
export function ringOf(
  cluster: ClusterDefinition,
  devices: readonly number[],
  bytes: number,
): { readonly bandwidth: number; readonly latency: number } | { readonly from: number; readonly to: number } {
  let bandwidth = Infinity;
  let latency = 0;
  for (const [index, from] of devices.entries()) {
    const to = devices[(index + 1) % devices.length];
    if (from === to) continue;
    const route = routeBetween(cluster, from, to, bytes);
    if (route === undefined) return { from, to };
    bandwidth = Math.min(bandwidth, route.bandwidth);
    latency = Math.max(latency, route.latency);
  }
  return { bandwidth: bandwidth === Infinity ? 0 : bandwidth, latency };
}
