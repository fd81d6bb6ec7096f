/** Transfers between devices of a cluster that run at the same time: what each link carries of them. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import { type Route, type RouteHop, routeBetween } from './routes/routeBetween.ts';

/** Two devices, by number, without a route. */
export interface Unreachable {
  readonly unreachable: readonly [number, number];
}

export interface Carried {
  readonly hop: RouteHop;
  amount: number;
}

/** What a set of transfers needs of the cluster. */
export interface Flows {
  /** Adds a transfer; its route. */
  add(from: number, to: number, amount: number): Route | Unreachable;
  /** By channel, in the order in which transfers came to them. */
  readonly channels: ReadonlyMap<string, Carried>;
  /** Seconds that the fullest link or port needs for each unit of `amount` of one byte. */
  fullest(): number;
  /** The largest latency of a transfer. */
  latency(): number;
}

/** Finds routes, each once. */
export type Router = (from: number, to: number) => Route | undefined;

/** Routes that are best for `bytes`. */
export function routerOf(cluster: ClusterDefinition, bytes: number): Router {
  const known = new Map<number, Route | undefined>();
  return (from, to) => {
    const key = from * cluster.devices.length + to;
    if (known.has(key)) return known.get(key);
    const route = routeBetween(cluster, from, to, bytes);
    known.set(key, route);
    return route;
  };
}

/**
 * No order of sending is faster than the fullest link, and one is as fast: let each transfer have the rate that ends it just then. A
 * plain `link` of a node or of the cluster is a port of each device, one way in and one out, as in an all-to-all.
 */
export function createFlows(router: Router): Flows {
  const channels = new Map<string, Carried>();
  const ports = new Map<string, { readonly bandwidth: number; amount: number }>();
  let latency = 0;
  const use = (name: string, bandwidth: number, amount: number) => {
    const known = ports.get(name);
    if (known === undefined) ports.set(name, { bandwidth, amount });
    else known.amount += amount;
  };
  return {
    channels,
    latency: () => latency,
    add(from, to, amount) {
      const route = router(from, to);
      if (route === undefined) return { unreachable: [from, to] };
      const { port } = route;
      for (const hop of route.hops) {
        const known = channels.get(hop.channel);
        if (known === undefined) channels.set(hop.channel, { hop, amount });
        else known.amount += amount;
      }
      if (port !== undefined) {
        use(`${port}/${from}>`, route.bandwidth, amount);
        use(`${port}/>${to}`, route.bandwidth, amount);
      }
      latency = Math.max(latency, route.latency);
      return route;
    },
    fullest() {
      let seconds = 0;
      for (const { hop, amount } of channels.values()) seconds = Math.max(seconds, amount / hop.bandwidth);
      for (const { bandwidth, amount } of ports.values()) seconds = Math.max(seconds, amount / bandwidth);
      return seconds;
    },
  };
}
