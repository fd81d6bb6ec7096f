/** All-to-alls of several equal groups at the same time. */
import { toEnd } from '../../basics/steps.ts';
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { loadsOf } from '../loads.ts';
import { routesOf } from '../routes/routesOf.ts';
import type { Groups, UnreachableRank } from './rings.ts';

/** Tokens go to `copies` experts, which are on at most `nodes` nodes. They cross the network once for each node. */
export interface NodeLimit {
  readonly copies: number;
  readonly nodes: number;
}

/**
 * The ring whose (n − 1)·α + (n − 1) / n · S / B is the time of such an all-to-all, for groups of one size n. Zeros where nobody sends.
 */
export const allToAllRing = (...request: AllToAll): Ring | UnreachableRank => toEnd(allToAllSteps(...request));

type AllToAll = [cluster: ClusterDefinition, groups: Groups, bytesPerRank: number, limit?: NodeLimit];

/** The same in steps. */
export function* allToAllSteps(
  ...[cluster, groups, bytesPerRank, limit]: AllToAll
): Generator<void, Ring | UnreachableRank, void> {
  const found = yield* limit === undefined
    ? sendAll(cluster, groups, bytesPerRank)
    : sendByNode(cluster, groups, bytesPerRank, limit);
  if ('from' in found) return found;
  const steps = groups.reduce((most, group) => Math.max(most, group.length), 1) - 1;
  const plain = (steps / (steps + 1)) * bytesPerRank;
  const sent = found.sent !== undefined && plain > 0 ? { sent: found.sent / plain } : {};
  if (found.moving === 0) return { bandwidth: 0, latency: found.delay / Math.max(1, steps), ...sent };
  return { bandwidth: plain / found.moving, latency: found.delay / steps, ...sent };
}

/** Seconds that links move bytes, seconds of latency, and the bytes of a rank if a plain all-to-all has others. */
interface Sending {
  readonly moving: number;
  readonly delay: number;
  readonly sent?: number;
}

/**
 * An all-to-all in two steps that overlap. A rank sends a token once to each other node with experts of it, to the rank that
 * relays it there. Relays send copies to the ranks of the experts (DeepSeek-V3, arXiv:2412.19437, section 3.2.2). With n ranks, of
 * which g are in the node, a token goes to a node with probability M·g / n for M nodes. So each pair of ranks in different nodes
 * moves S / j · min(1 / g, M / n) bytes, if S are the bytes of j copies, and each pair inside a node S / g. A rank has the latencies of
 * N − 1 messages to other nodes and g − 1 inside. `sent` are the bytes of a rank, as a mean over its group.
 */
function* sendByNode(
  cluster: ClusterDefinition,
  groups: Groups,
  bytesPerRank: number,
  { copies, nodes }: NodeLimit,
): Generator<void, Sending | UnreachableRank, void> {
  const routes = routesOf(cluster);
  const loads = loadsOf(routes.graph);
  let [moving, delay, sent] = [0, 0, 0];
  for (const group of groups) {
    const members = new Map<number, number>();
    for (const device of group) {
      const node = cluster.devices[device].group;
      members.set(node, (members.get(node) ?? 0) + 1);
    }
    let total = 0;
    for (const from of group) {
      yield;
      const ports = new Map<number, number>();
      const home = cluster.devices[from].group;
      let [near, far] = [0, 0];
      for (const to of group) {
        if (from === to) continue;
        const node = cluster.devices[to].group;
        const inNode = members.get(node) ?? 1;
        const bytes =
          node === home ? bytesPerRank / inNode : (bytesPerRank / copies) * Math.min(1 / inNode, nodes / group.length);
        const route = routes.between(from, to, bytes);
        if (route === undefined) return { from, to };
        if (node === home) near = Math.max(near, route.latency);
        else far = Math.max(far, route.latency);
        total += bytes;
        loads.add(route, from, to, bytes);
        if (route.kind === 'named') continue;
        const port = (ports.get(route.group) ?? 0) + bytes;
        ports.set(route.group, port);
        moving = Math.max(moving, port / route.bandwidth);
      }
      delay = Math.max(delay, (members.size - 1) * far + ((members.get(home) ?? 1) - 1) * near);
    }
    sent = Math.max(sent, total / group.length);
  }
  loads.each((moved, capacity) => {
    moving = Math.max(moving, moved / capacity);
  });
  return { moving, delay, sent };
}

/**
 * An all-to-all in which every member sends an equal part of its `bytesPerRank` to every member of its group, itself included. It
 * takes (n − 1)·α + what the fullest link needs for all bytes that cross it. No order of sending is faster than that link, and one
 * is as fast: each flow has the rate that ends it just then. No link then carries more than it can.
 *
 * If the route is the `link` of a node or of the cluster, it is a port of each device. The transfers of a device leave it one
 * after another, (n − 1) / n · S / B for S bytes. Named links are separate, and used at the same time. α is the largest latency
 * of a route in the group.
 */
function* sendAll(
  cluster: ClusterDefinition,
  groups: Groups,
  bytesPerRank: number,
): Generator<void, Sending | UnreachableRank, void> {
  const routes = routesOf(cluster);
  const loads = loadsOf(routes.graph);
  let [moving, delay] = [0, 0];
  for (const group of groups) {
    const bytes = bytesPerRank / group.length;
    let latency = 0;
    for (const from of group) {
      yield;
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
