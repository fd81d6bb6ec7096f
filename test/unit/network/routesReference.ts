/** The algorithm that routes are held to: Dijkstra for each bound on bandwidth, from one end, nothing kept. */
import type { ClusterDefinition, LinkDefinition } from '../../../engine/definitions/cluster.ts';
import type { Route, RouteHop } from '../../../engine/network/routes/routeBetween.ts';

interface Hop {
  readonly from: number;
  readonly to: number;
  readonly link: LinkDefinition;
  /** Node whose copy of the link it is. */
  readonly group: number;
}

/**
 * The route from one device to another: a link named for the two; else, for a transfer of `bytes`, the faster of the `link` of
 * the innermost node (or the cluster) that holds both and the fastest way over named links. `undefined` where there is none.
 */
export function referenceRoute(cluster: ClusterDefinition, from: number, to: number, bytes: number): Route | undefined {
  const named = cluster.named.get(from)?.get(to);
  if (named !== undefined) return routeOf([{ from, to, ...named }]);
  const group = commonGroup(cluster, from, to);
  const { link } = cluster.groups[group];
  const direct = link === undefined ? undefined : [{ from, to, link, group }];
  const hops = fastest(cluster, from, to, bytes, direct);
  return hops === undefined ? undefined : routeOf(hops);
}

function routeOf(hops: readonly Hop[]): Route {
  let slowest = hops[0];
  for (const hop of hops) {
    const less = hop.link.bandwidth - slowest.link.bandwidth;
    if (less < 0 || (less === 0 && contention(hop) > contention(slowest))) slowest = hop;
  }
  const single: RouteHop[] = [];
  const times = new Map<string, number>();
  for (const hop of hops) {
    const channel = channelOf(hop);
    const before = times.get(channel) ?? 0;
    times.set(channel, before + 1);
    if (before === 0) single.push({ channel, bandwidth: hop.link.bandwidth, latency: hop.link.latency });
  }
  return {
    bandwidth: slowest.link.bandwidth,
    latency: hops.reduce((sum, hop) => sum + hop.link.latency, 0),
    channel: channelOf(slowest),
    place: slowest.link.place,
    hops: single,
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

/** Seconds of a transfer that fills all hops of its way at once: latencies add up, the least bandwidth counts. */
const timeOf = (hops: readonly Hop[], bytes: number): number =>
  hops.reduce((sum, { link }) => sum + link.latency, 0) + bytes / least(hops);
const least = (hops: readonly Hop[]): number => hops.reduce((low, { link }) => Math.min(low, link.bandwidth), Infinity);

/**
 * The fastest way over named links, or `direct` where none is faster. Among all ways whose bandwidth is at least some bound, the
 * one of least latency is the best that any bound up to its own bandwidth can give; so the bound rises from bandwidth to bandwidth.
 */
function fastest(
  cluster: ClusterDefinition,
  from: number,
  to: number,
  bytes: number,
  direct: readonly Hop[] | undefined,
): readonly Hop[] | undefined {
  // Rings over thousands of devices ask for as many routes, mostly where nothing has a link of its own.
  if (!cluster.named.has(from)) return direct;
  let best = direct;
  let bound = 0;
  for (;;) {
    const hops = quickest(cluster, from, to, bound);
    if (hops === undefined) return best;
    if (best === undefined || timeOf(hops, bytes) < timeOf(best, bytes)) best = hops;
    bound = least(hops);
  }
}

/** Dijkstra by latency, then by number of hops, over named links of more than `bound` bytes a second. */
function quickest(cluster: ClusterDefinition, from: number, to: number, bound: number): readonly Hop[] | undefined {
  const reached = new Map<number, Queued>([[from, { vertex: from, latency: 0, hops: 0 }]]);
  const arrived = new Map<number, Hop>();
  const done = new Set<number>();
  const queue: Queued[] = [{ vertex: from, latency: 0, hops: 0 }];
  for (let head = pop(queue); head !== undefined; head = pop(queue)) {
    const { vertex } = head;
    if (done.has(vertex)) continue;
    done.add(vertex);
    if (vertex === to) break;
    for (const [next, { link, group }] of cluster.named.get(vertex) ?? []) {
      if (link.bandwidth <= bound || done.has(next)) continue;
      const way: Queued = { vertex: next, latency: head.latency + link.latency, hops: head.hops + 1 };
      const known = reached.get(next);
      if (known !== undefined && !before(way, known)) continue;
      reached.set(next, way);
      arrived.set(next, { from: vertex, to: next, link, group });
      push(queue, way);
    }
  }
  if (!done.has(to)) return undefined;
  const hops: Hop[] = [];
  for (let hop = arrived.get(to); hop !== undefined; hop = hop.from === from ? undefined : arrived.get(hop.from))
    hops.push(hop);
  return hops.toReversed();
}

interface Queued {
  readonly vertex: number;
  readonly latency: number;
  readonly hops: number;
}

const before = (a: Queued, b: Queued): boolean => a.latency < b.latency || (a.latency === b.latency && a.hops < b.hops);

function push(heap: Queued[], item: Queued): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(item, heap[parent])) break;
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
    if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child += 1;
    if (!before(heap[child], last)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return top;
}
