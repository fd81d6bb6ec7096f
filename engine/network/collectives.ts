/** What collectives take where several equal groups run the same one at the same time, and so share links. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import { loadsOf } from './loads.ts';
import { collectiveTime } from '../costs/collectives.ts';
import type { Ring } from '../costs/types.ts';
import { waysOf } from './routes/ways.ts';

/** Two devices, by number, that have no route. */
export interface Unreachable {
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
export function ringsAtOnce(cluster: ClusterDefinition, groups: Groups, bytes: number): Ring | Unreachable {
  const routes = waysOf(cluster);
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

/**
 * Levels of an all-reduce over each group in three parts. First a reduce-scatter inside each node. Then an all-reduce of what a
 * device has, among the devices that have the same part, one of each node. Last an all-gather inside. With g devices in each of N
 * nodes: 2(g − 1)/g · S/B₁ + 2(N − 1)/N · (S/g)/B₂ + 2(g − 1)·α₁ + 2(N − 1)·α₂ (Cho et al., *BlueConnect*, SysML 2019). All
 * groups, and all g rings between nodes, run at once. A node is the innermost `node` around a device.
 *
 * `undefined` if there is one level: all members are in one node, or each is in a different one. Also `undefined` if the members
 * of a group are not spread evenly over nodes, or if the spread differs between groups.
 */
export function levelsOf(
  cluster: ClusterDefinition,
  groups: Groups,
  bytes: number,
): readonly Level[] | Unreachable | undefined {
  const inside: (readonly number[])[] = [];
  const between: (readonly number[])[] = [];
  let [size, nodes] = [0, 0];
  for (const group of groups) {
    const byNode = new Map<number, number[]>();
    for (const device of group) {
      const node = cluster.devices[device].group;
      const members = byNode.get(node);
      if (members === undefined) byNode.set(node, [device]);
      else members.push(device);
    }
    const parts = [...byNode.values()];
    const first = parts[0]?.length ?? 0;
    if (size === 0) [size, nodes] = [first, parts.length];
    if (parts.length !== nodes || parts.some((part) => part.length !== size)) return undefined;
    if (size <= 1 || nodes <= 1) return undefined;
    inside.push(...parts);
    for (let place = 0; place < size; place += 1) between.push(parts.map((part) => part[place]));
  }
  if (size === 0) return undefined;
  const within = ringsAtOnce(cluster, inside, bytes / size);
  if ('from' in within) return within;
  const across = ringsAtOnce(cluster, between, bytes / size / nodes);
  if ('from' in across) return across;
  return [
    { ranks: size, ring: within },
    { ranks: nodes, ring: across },
  ];
}

/** Rings of `ranks` ranks each. Each ring reduces everything that the levels before left to a rank. */
export interface Level {
  readonly ranks: number;
  readonly ring: Ring;
}

/** Σᵢ 2(pᵢ − 1)·αᵢ + 2(pᵢ − 1)/pᵢ · (S / Π_{j<i} pⱼ)/Bᵢ for levels from the innermost out (BlueConnect). */
export function hierarchicalAllReduceSeconds(bytes: number, levels: readonly Level[]): number {
  let [seconds, left] = [0, bytes];
  for (const { ranks, ring } of levels) {
    seconds += collectiveTime({ pattern: 'all_reduce', bytes: left }, ranks, ring);
    left /= ranks;
  }
  return seconds;
}

/** The ring over all ranks that takes as long as the levels do, whatever the bytes. */
export function levelRing(levels: readonly Level[]): Ring {
  const steps = levels.reduce((product, { ranks }) => product * ranks, 1) - 1;
  const latency = hierarchicalAllReduceSeconds(0, levels) / (2 * steps);
  // Seconds for each byte, of which a ring of n moves 2(n − 1)/n.
  const moving = levels.map(({ ranks, ring }) => ({ ranks, ring: { ...ring, latency: 0 } }));
  const each = hierarchicalAllReduceSeconds(1, moving);
  return { bandwidth: (2 * steps) / (steps + 1) / each, latency };
}
