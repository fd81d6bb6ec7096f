/** Transfers between the devices of two ranks that say the same of their links: one of each kind is enough. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import { eachResource } from './loads.ts';
import { routesOf } from './routes/routesOf.ts';
import type { Unreachable } from './flows.ts';

/** Devices of equal position send to each other, all at the same time. */
export interface Pairing {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export interface Paired {
  /** Positions of transfers of which no two are alike, the first among them; of each the transfers on its hops, in order. */
  readonly telling: readonly { readonly position: number; readonly users: readonly number[] }[];
  /** Seconds: the largest of any transfer. */
  readonly latency: number;
}

/** Pairings between two pauses. */
const slice = 4;

/**
 * Two transfers of a pairing are alike if their hops, in order, agree in three figures. These are the bytes per second, the number
 * of transfers of the pairing on the hop, and the same number for every other pairing. Then whatever slows one of them slows the
 * other equally. They are compared by sums of a number for each pairing; the chance of a mistake is one in 2^30. Linear in the
 * number of transfers. Routes are the best for `bytes`. `all`: no two are alike, since other transfers than pairings take links too.
 * In steps.
 */
export function* alikeTransfers(
  cluster: ClusterDefinition,
  pairings: readonly Pairing[],
  bytes: number,
  all: boolean,
): Generator<void, readonly (Paired | Unreachable)[], void> {
  const routes = routesOf(cluster);
  const { bandwidth } = routes.graph;
  const resources = eachResource(routes.graph);
  const total = pairings.reduce((sum, pairing) => sum + sizeOf(pairing), 0);
  // Hops of named links have their numbers, those of plain links, one for each transfer at most, stand behind them.
  const slots = bandwidth.length + total;
  const rate = new Float64Array(slots);
  const users = new Int32Array(slots);
  const taken = new Float64Array(slots);
  const hops: number[] = [];
  const offsets = new Int32Array(total + 1);
  const starts: (number | Unreachable)[] = [];
  const latencies = new Float64Array(pairings.length);
  let [next, plainRate] = [0, 0];
  const take = (width: number): void => {
    const slot = width >= 0 ? width : bandwidth.length - 1 - width;
    rate[slot] = width >= 0 ? bandwidth[width] : plainRate;
    users[slot] += 1;
    hops.push(slot);
  };
  for (const [pairing, { from, to }] of pairings.entries()) {
    if (pairing % slice === slice - 1) yield;
    starts.push(next);
    const begin = hops.length;
    for (let position = 0; position < from.length && position < to.length; position += 1) {
      const route = routes.between(from[position], to[position], bytes);
      if (route === undefined) {
        starts[pairing] = { unreachable: [from[position], to[position]] };
        break;
      }
      latencies[pairing] = Math.max(latencies[pairing], route.latency);
      plainRate = route.bandwidth;
      resources(route, from[position], to[position], take);
      offsets[(next += 1)] = hops.length;
    }
    const mark = scattered(pairing + 1);
    for (let at = begin; at < hops.length; at += 1) {
      taken[hops[at]] += mark * users[hops[at]];
      users[hops[at]] = 0;
    }
  }
  const paired: (Paired | Unreachable)[] = [];
  for (const [pairing, each] of pairings.entries()) {
    if (pairing % slice === slice - 1) yield;
    const start = starts[pairing];
    if (typeof start !== 'number') {
      paired.push(start);
      continue;
    }
    const end = offsets[start + sizeOf(each)];
    for (let at = offsets[start]; at < end; at += 1) users[hops[at]] += 1;
    const [first, length] = [offsets[start], offsets[start + 1] - offsets[start]];
    const asFirst = (transfer: number): boolean => {
      if (offsets[transfer + 1] - offsets[transfer] !== length) return false;
      for (let index = 0; index < length; index += 1) {
        const [a, b] = [hops[first + index], hops[offsets[transfer] + index]];
        if (users[a] !== users[b] || taken[a] !== taken[b] || rate[a] !== rate[b]) return false;
      }
      return true;
    };
    const seen = new Set<string>();
    const telling: Paired['telling'][number][] = [];
    for (let position = 0; position < sizeOf(each); position += 1) {
      // Nearly all are as the first, which needs no text.
      if (position > 0 && !all && asFirst(start + position)) continue;
      const channels = hops.slice(offsets[start + position], offsets[start + position + 1]);
      const key = all ? String(position) : channels.map((hop) => `${rate[hop]}/${users[hop]}/${taken[hop]}`).join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      telling.push({ position, users: channels.map((hop) => users[hop]) });
    }
    for (let at = offsets[start]; at < end; at += 1) users[hops[at]] = 0;
    paired.push({ telling, latency: latencies[pairing] });
  }
  return paired;
}

const sizeOf = ({ from, to }: Pairing): number => Math.min(from.length, to.length);

/** A number below 2^30 that has nothing to do with its neighbours (the finaliser of MurmurHash 3). */
function scattered(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 2;
}
