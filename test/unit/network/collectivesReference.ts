import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import { routeBetween } from '../../../engine/network/routes/routeBetween.ts';

export interface Flow {
  readonly from: number;
  readonly bandwidth: number;
  readonly latency: number;
  /** Bytes a second of each resource that it takes, by name. */
  readonly hops: ReadonlyMap<string, number>;
  /** It takes a link that is not named. */
  readonly plain: boolean;
}

/** `undefined` where two have no route. */
export function flowsOf(
  cluster: ClusterDefinition,
  pairs: readonly (readonly [number, number])[],
  bytes: number,
): readonly Flow[] | undefined {
  const flows: Flow[] = [];
  const named = new Set(
    [...cluster.named.values()].flatMap((links) => Array.from(links.values(), ({ link }) => link.id)),
  );
  for (const [from, to] of pairs) {
    const route = routeBetween(cluster, from, to, bytes);
    if (route === undefined) return undefined;
    const { bandwidth, latency } = route;
    const hops = new Map(route.hops.map((hop) => [hop.channel, hop.bandwidth]));
    const plain = route.hops.some(({ channel }) => !named.has(Number(channel.split('/')[0])));
    flows.push({ from, bandwidth, latency, hops, plain });
  }
  return flows;
}

/** Progressive filling: all rates rise together; where a resource is full, the flows on it stop. */
export function fill(flows: readonly Flow[]): readonly number[] {
  const rates = flows.map(() => 0);
  const rising = new Set(flows.keys());
  const capacity = new Map(flows.flatMap(({ hops }) => [...hops]));
  while (rising.size > 0) {
    let step = Infinity;
    const room = (name: string): number =>
      (capacity.get(name) ?? 0) - flows.reduce((sum, { hops }, flow) => sum + (hops.has(name) ? rates[flow] : 0), 0);
    const users = (name: string): readonly number[] => [...rising].filter((flow) => flows[flow].hops.has(name));
    for (const name of capacity.keys())
      if (users(name).length > 0) step = Math.min(step, room(name) / users(name).length);
    for (const flow of rising) rates[flow] += step;
    const full = [...capacity.keys()].filter((name) => users(name).length > 0 && room(name) < 1e-9);
    for (const flow of full.flatMap(users)) rising.delete(flow);
  }
  return rates;
}

/** Seconds until the last of flows of `bytes` each ends, rates made anew whenever one does. */
export function finish(flows: readonly Flow[], bytes: number): number {
  let left = flows.map((flow) => ({ flow, bytes }));
  let seconds = 0;
  while (left.length > 0) {
    const rates = fill(left.map(({ flow }) => flow));
    const step = Math.min(...left.map((one, at) => one.bytes / rates[at]));
    seconds += step;
    left = left
      .map((one, at) => ({ ...one, bytes: one.bytes - step * rates[at] }))
      .filter((candidate) => candidate.bytes > 1e-9);
  }
  return seconds;
}
