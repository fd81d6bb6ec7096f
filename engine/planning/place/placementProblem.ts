/** The placement of a pipeline's ranks as numbers: seconds of a hop between any two places. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { sameMesh } from '../../costs/mesh.ts';
import { createFlows, routerOf, type PlacementProblem, type RankPair, type Router } from '../../network/index.ts';
import type { EdgePlan } from '../../values/plan.ts';
import type { Rank, Ranks } from './ranks.ts';

export interface PlaceChoice {
  readonly problem: PlacementProblem;
  /** Devices of each place. */
  readonly places: readonly (readonly number[])[];
}

/** Places beyond those by number that are looked at. */
const mostFree = 256;

/**
 * A place is a device, or the devices of a rank that has several: those stay together. A rank takes places of its kind of device
 * and its mesh, so the costs of its stages do not change. A rank with `on` stays where it is. In steps.
 */
export function* placementProblem(
  cluster: ClusterDefinition,
  { ranks, placement }: Ranks,
  edges: readonly EdgePlan[],
): Generator<void, PlaceChoice, void> {
  const places = placesOf(cluster, ranks);
  const numbers = new Map(places.map((devices, place) => [devices.join(), place]));
  const byNumber = ranks.map(({ devices }) => numbers.get(devices.join()) ?? 0);
  const holder = new Map(byNumber.map((place, rank) => [place, ranks[rank]]));
  const allowed = ranks.map((rank, index) =>
    isPinned(rank)
      ? [byNumber[index]]
      : places.flatMap((devices, place) => (takes(cluster, rank, devices, holder.get(place)) ? [place] : [])),
  );
  const tables: (readonly number[])[] = [];
  const known = new Map<string, number>();
  const largest = edges.reduce((most, { bytes, back = bytes }) => Math.max(most, bytes, back), 0);
  const hops = yield* hopTimes(routerOf(cluster, largest), places);
  const table = (messages: readonly Message[], by: 'worst' | 'sum'): number => {
    const key = `${messages.length === 1 ? '' : by} ${JSON.stringify(messages)}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    tables.push(
      hops.map((_, hop) => {
        const seconds = messages.map((message) => secondsOf(hops, places.length, hop, message));
        return by === 'worst' ? Math.max(...seconds) : seconds.reduce((sum, value) => sum + value, 0);
      }),
    );
    known.set(key, tables.length - 1);
    return tables.length - 1;
  };
  const pairs = pairsOf(edges, placement).map(({ from, to, messages }): RankPair => ({
    from,
    to,
    worst: table(messages, 'worst'),
    sum: table(messages, 'sum'),
  }));
  return {
    places,
    problem: {
      ranks: ranks.length,
      places: places.length,
      tables,
      pairs,
      allowed,
      nodes: places.map(([device]) => nodeOf(cluster, device)),
      byNumber,
    },
  };
}

/** Whether a stage of the rank says `on`. */
export const isPinned = ({ at }: Rank): boolean => at !== undefined;

function placesOf({ devices }: ClusterDefinition, ranks: readonly Rank[]): readonly (readonly number[])[] {
  const used = new Set(ranks.flatMap((rank) => rank.devices));
  const kinds = new Set(
    ranks.flatMap((rank) => (rank.devices.length === 1 && !isPinned(rank) ? [devices[rank.devices[0]].kind] : [])),
  );
  const free = devices.flatMap(({ kind }, device) => (!used.has(device) && kinds.has(kind) ? [[device]] : []));
  const all = [...ranks.map((rank) => rank.devices), ...(free.length > mostFree ? [] : free)];
  return all.toSorted(([a], [b]) => a - b);
}

function takes(cluster: ClusterDefinition, rank: Rank, devices: readonly number[], holder: Rank | undefined): boolean {
  const kind = (device: number) => cluster.devices[device].kind;
  if (kind(rank.devices[0]) !== kind(devices[0])) return false;
  if (holder === undefined) return rank.devices.length === 1;
  return sameMesh(holder.mesh, rank.mesh) && (holder.split ?? 1) === (rank.split ?? 1);
}

function nodeOf({ groups, devices }: ClusterDefinition, device: number): number {
  let { group } = devices[device];
  // A device outside nodes is a node of one.
  if (group === 0) return groups.length + device;
  while (groups[group].parent > 0) group = groups[group].parent;
  return group;
}

/** One message of a microbatch and the gradient that comes back. `turned`: the message goes to the lower rank. */
interface Message {
  readonly bytes: number;
  readonly back: number;
  readonly turned: boolean;
}

function pairsOf(
  edges: readonly EdgePlan[],
  placement: readonly number[],
): readonly { readonly from: number; readonly to: number; readonly messages: readonly Message[] }[] {
  const found = new Map<string, { readonly from: number; readonly to: number; readonly messages: Message[] }>();
  for (const { from, to, bytes, back = bytes } of edges) {
    const [sender, receiver] = [placement[from], placement[to]];
    if (sender === receiver) continue;
    const turned = sender > receiver;
    const [low, high] = turned ? [receiver, sender] : [sender, receiver];
    const pair = found.get(`${low} ${high}`) ?? { from: low, to: high, messages: [] };
    found.set(`${low} ${high}`, pair);
    pair.messages.push({ bytes, back, turned });
  }
  return [...found.values()];
}

interface HopTime {
  readonly latency: number;
  readonly perByte: number;
}

/** Hops between two pauses: a few milliseconds at most. */
const slice = 16;

/** From each place to each; `undefined` where there is no route. Devices of equal position send to each other at the same time. */
function* hopTimes(
  router: Router,
  places: readonly (readonly number[])[],
): Generator<void, readonly (HopTime | undefined)[], void> {
  const times: (HopTime | undefined)[] = [];
  for (const [a, from] of places.entries()) {
    for (const [b, to] of places.entries()) {
      times.push(a === b ? undefined : hopTime(router, from, to));
      if (times.length % slice === 0) yield;
    }
  }
  return times;
}

function hopTime(router: Router, from: readonly number[], to: readonly number[]): HopTime | undefined {
  const flows = createFlows(router);
  for (let position = 0; position < Math.max(from.length, to.length); position += 1) {
    const added = flows.add(from[position % from.length], to[position % to.length], 1);
    if ('unreachable' in added) return undefined;
  }
  return { latency: flows.latency(), perByte: flows.fullest() };
}

/** The slower of the message and the gradient that comes back. */
function secondsOf(
  hops: readonly (HopTime | undefined)[],
  places: number,
  hop: number,
  { bytes, back, turned }: Message,
): number {
  const reverse = (hop % places) * places + Math.trunc(hop / places);
  const [there, returning] = turned ? [hops[reverse], hops[hop]] : [hops[hop], hops[reverse]];
  if (there === undefined || returning === undefined) return Infinity;
  return Math.max(there.latency + bytes * there.perByte, returning.latency + back * returning.perByte);
}
