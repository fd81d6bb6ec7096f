/** What the links of a cluster carry. */
import type { Graph } from './routes/graph.ts';
import type { NetworkRoute } from './routes/routesOf.ts';

/**
 * Visits the resources that a route takes, in order. A resource that it reaches twice, such as a shared bus, is visited once.
 * Resources follow `routeBetween`: full duplex has one for each direction of each pair, half one for each pair, shared one in
 * all. Resources of named links have numbers from 0 on, others below it.
 */
export type EachResource = (route: NetworkRoute, from: number, to: number, visit: (resource: number) => void) => void;

export function eachResource({ cluster, channel, buses }: Graph): EachResource {
  const plain = new Map<number, number>();
  const count = cluster.devices.length;
  /** Which plain link a pair takes follows from the pair, or is the shared one of a group. */
  const plainKey = ({ link, group }: Extract<NetworkRoute, { kind: 'plain' }>, from: number, to: number): number => {
    if (link.sharing === 'shared') return -1 - group;
    return link.sharing === 'half' && to < from ? to * count + from : from * count + to;
  };
  return (route, from, to, visit) => {
    if (route.kind === 'plain') {
      const key = plainKey(route, from, to);
      let number = plain.get(key);
      if (number === undefined) plain.set(key, (number = -1 - plain.size));
      return visit(number);
    }
    const { edges } = route;
    for (let index = 0; index < edges.length; index += 1) {
      const named = channel[edges[index]];
      if (!buses || edges.findIndex((edge) => channel[edge] === named) === index) visit(named);
    }
  };
}

export interface Loads {
  /** Adds to every resource that the route takes. */
  add(route: NetworkRoute, from: number, to: number, amount: number): void;
  /** Every resource with an amount: the amount, and the bytes per second that it moves. Called once, at the end. */
  each(visit: (amount: number, capacity: number) => void): void;
}

/** Room for the links of a graph, all zero while nobody uses it: clusters have tens of thousands, and a rank uses few. */
const rooms = new WeakMap<Graph, Float64Array>();

export function loadsOf(graph: Graph): Loads {
  const { bandwidth } = graph;
  const resources = eachResource(graph);
  const named = rooms.get(graph) ?? new Float64Array(bandwidth.length);
  rooms.delete(graph);
  // Of the many links of a cluster, those that carry anything.
  const used: number[] = [];
  const plain: number[] = [];
  const plainRate: number[] = [];
  let [amount, rate] = [0, 0];
  const take = (resource: number): void => {
    if (resource >= 0) {
      if (named[resource] === 0 && amount > 0) used.push(resource);
      named[resource] += amount;
      return;
    }
    const at = -1 - resource;
    if (at < plain.length) plain[at] += amount;
    else {
      plain.push(amount);
      plainRate.push(rate);
    }
  };
  return {
    add(route, from, to, more) {
      [amount, rate] = [more, route.bandwidth];
      resources(route, from, to, take);
    },
    each(visit) {
      for (const index of used) {
        visit(named[index], bandwidth[index]);
        named[index] = 0;
      }
      rooms.set(graph, named);
      for (let at = 0; at < plain.length; at += 1) visit(plain[at], plainRate[at]);
    },
  };
}
