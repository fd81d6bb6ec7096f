/** Routes of a pipeline. */
import type { Notes } from '../notes.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { Span } from '../../../grammar/syntax.ts';
import {
  paths,
  type EdgePlan,
  type OperationsPlan,
  type Place,
  type RoutePlan,
  type Resharding,
} from '../../values/plan.ts';
import {
  alikeTransfers,
  exchangesFor,
  fastestOf,
  reshards,
  routeBetween,
  routerOf,
  transfersIn,
  type Exchange,
  type Paired,
  type Router,
  type Unreachable,
} from '../../network/index.ts';
import { type Figures, hintReshard } from './reshardHint.ts';
import { figuresOfGroups } from '../place/ofGroups.ts';
import { pairs } from '../place/rankGroups.ts';
import type { Rank, Ranks } from '../place/ranks.ts';
import { type Drawn, type DrawnHop, withoutCovered } from './routeHops.ts';

export interface RoutesRequest {
  readonly pipeline: string;
  readonly cluster: ClusterDefinition;
  readonly ranks: Ranks;
  readonly edges: readonly EdgePlan[];
  /** How ranks of different meshes exchange messages. Default: the fastest method. */
  readonly reshard?: Resharding;
  /** Device that keeps what each device evicts, −1 for none. */
  readonly partners?: ArrayLike<number>;
  /** Operations that the schedule declares: they may wait for operations of any device. */
  readonly operations?: OperationsPlan | undefined;
  /** The places of the `devices` and `transfer` keys. */
  readonly at: { readonly devices: Span; readonly transfer: Span };
}

/** Pairs of ranks between two pauses: a few milliseconds. */
const slice = 200;

/** One route for each ordered pair of devices that an edge needs, in steps; `undefined` where a pair has none (reported for the first). */
export function* pipelineRoutes(
  notes: Notes,
  request: RoutesRequest,
): Generator<void, readonly RoutePlan[] | undefined, void> {
  const { pipeline, cluster, ranks, reshard, at } = request;
  const count = ranks.ranks.length;
  const largest = request.edges.reduce((most, { bytes, back = bytes }) => Math.max(most, bytes, back), 0);
  const router = routerOf(cluster, largest);
  const sent = pairsOf(request);
  yield;
  const plain = yield* pairings(request, sent, largest);
  yield;
  const drawn = new Map<number, Drawn>();
  const exchanges: { readonly pair: string; readonly bytes: number; readonly all: readonly Figures[] }[] = [];
  for (const [ends, bytes] of sent) {
    if (drawn.size % slice === slice - 1) yield;
    const from = Math.floor(ends / count);
    const to = ends % count;
    const [sender, receiver] = [ranks.ranks[from], ranks.ranks[to]];
    let found: Omit<Drawn, 'from' | 'to'> | Unreachable;
    if (bytes >= 0 && reshards(sender, receiver, reshard)) {
      const asked = { cluster, from: sender, to: receiver, bytes };
      const all = exchangesFor(asked, transfersPerElement * notes.options.limits.elements, reshard);
      if ('unreachable' in all) found = all;
      else if (all.length === 0)
        return tooMany(notes, request, transfersIn(asked, reshard ?? { strategy: 'send_recv' }));
      else {
        const best = fastestOf(all, bytes);
        found = exchanged(cluster, asked.from, asked.to, best, bytes);
        const pair = `${nameOf(cluster, sender)} to ${nameOf(cluster, receiver)}`;
        exchanges.push({ pair, bytes, all: all.map(({ rule, perByte, latency }) => ({ rule, perByte, latency })) });
      }
    } else {
      const paired = plain.get(ends);
      if (paired === undefined) continue;
      found = 'unreachable' in paired ? paired : pairwise(router, sender, receiver, paired);
    }
    if ('unreachable' in found) {
      const [a, b] = found.unreachable;
      notes.report.report('device/unknown-route', at.devices, {
        from: cluster.devices[a].name,
        to: cluster.devices[b].name,
      });
      return undefined;
    }
    drawn.set(ends, { from, to, ...found });
    notes.origins.set(paths.route(pipeline, from, to), found.place);
  }
  hintReshard(notes, at, exchanges);
  reportIdle(notes, request, drawn);
  yield;
  const all = withoutCovered([...drawn.values()]);
  yield;
  return numbered(all).toSorted((a, b) => a.from * count + a.to - (b.from * count + b.to));
}

/** Limit of transfers of one message, for each element that a file may have. */
const transfersPerElement = 10;

function tooMany(notes: Notes, { pipeline, at }: RoutesRequest, transfers: number): undefined {
  notes.report.report('limit/too-large', at.transfer, {
    what: `Transfers of one message between ranks of different meshes in pipeline "${pipeline}"`,
    figure: transfers.toLocaleString('en-US'),
    limit: (transfersPerElement * notes.options.limits.elements).toLocaleString('en-US'),
    setting: 'pipewright.limits.elements',
  });
  return undefined;
}

const nameOf = (cluster: ClusterDefinition, { devices }: Rank): string => cluster.devices[devices[0]].name;

/** Pairs of ranks, as from · ranks + to, with the largest message of an edge between them; −1 where only evictions and declared operations need the pair. */
function pairsOf({
  ranks: { ranks, placement },
  edges,
  partners,
  operations,
}: RoutesRequest): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const add = (from: number, to: number, bytes: number) => {
    if (from === to) return;
    const key = from * ranks.length + to;
    pairs.set(key, Math.max(pairs.get(key) ?? -1, bytes));
  };
  for (const { from, to, bytes, back = bytes } of edges) {
    add(placement[from], placement[to], bytes);
    add(placement[to], placement[from], back);
  }
  for (let device = 0; device < (partners?.length ?? 0); device += 1) {
    if (partners === undefined || partners[device] < 0) continue;
    add(device, partners[device], -1);
    add(partners[device], device, -1);
  }
  const waits = operations?.waits ?? [];
  for (let at = 0; at < waits.length; at += 6) add(placement[waits[at + 4]], placement[waits[at + 1]], -1);
  for (const { stage, to } of operations?.costs ?? []) if (to !== undefined) add(placement[stage], to, -1);
  return pairs;
}

/**
 * Transfers between the devices of equal position in two ranks, all at the same time. A link that k of them take gives each a
 * k-th of its bandwidth. The bytes of an edge cover all replicas that split a microbatch, so each carries its share.
 */
function pairwise(router: Router, from: Rank, to: Rank, paired: Paired): Omit<Drawn, 'from' | 'to'> | Unreachable {
  const split = Math.min(from.split ?? 1, to.split ?? 1);
  const [a, b] = [from.devices[0], to.devices[0]];
  const first = router(a, b);
  if (first === undefined) return { unreachable: [a, b] };
  const channels = new Set(first.hops.map(({ channel }) => channel));
  const found = new Map<string, DrawnHop>();
  for (const { position, users } of paired.telling) {
    const route = position === 0 ? first : router(from.devices[position], to.devices[position]);
    for (const [index, { channel, bandwidth, latency }] of (route?.hops ?? []).entries()) {
      if (found.has(channel)) continue;
      found.set(channel, {
        channel,
        bandwidth: (bandwidth * split) / users[index],
        latency,
        first: channels.has(channel),
      });
    }
  }
  const hops = [...found.values()];
  const start = hops.find(({ channel }) => channel === first.channel) ?? hops[0];
  const slowest = hops.reduce((least, hop) => (hop.bandwidth < least.bandwidth ? hop : least), start);
  return {
    bandwidth: slowest.bandwidth,
    latency: paired.latency,
    channel: slowest.channel,
    hops,
    place: first.place,
  };
}

const transfers = figuresOfGroups<readonly (Paired | Unreachable)[]>(256);

/** For each pair of ranks that send between equal positions. */
function* pairings(
  { cluster, ranks, reshard }: RoutesRequest,
  sent: ReadonlyMap<number, number>,
  bytes: number,
): Generator<void, ReadonlyMap<number, Paired | Unreachable>, void> {
  const count = ranks.ranks.length;
  const numbers = [...sent];
  const ends = (pair: number) => [ranks.ranks[Math.floor(pair / count)], ranks.ranks[pair % count]] as const;
  const plain = numbers.filter(([pair, size]) => size < 0 || !reshards(...ends(pair), reshard)).map(([pair]) => pair);
  const all = plain.length < numbers.length;
  const asked = plain.map((pair) => {
    const [from, to] = ends(pair);
    return { from: from.devices, to: to.devices };
  });
  const groups = asked.map(({ from, to }) => pairs(from, to));
  const found = yield* transfers.ahead(cluster, groups, `${bytes} ${all}`, () =>
    alikeTransfers(cluster, asked, bytes, all),
  );
  return new Map(plain.map((pair, index) => [pair, found[index]]));
}

function exchanged(
  cluster: ClusterDefinition,
  from: Rank,
  to: Rank,
  { rule, perByte, latency, channels }: Exchange,
  bytes: number,
): Omit<Drawn, 'from' | 'to'> {
  const hops = Array.from(channels, ([channel, { hop, amount }], index): DrawnHop => ({
    channel,
    bandwidth: hop.bandwidth / amount,
    latency: hop.latency,
    first: index === 0,
  }));
  const slowest = hops.reduce((least, hop) => (hop.bandwidth < least.bandwidth ? hop : least));
  return {
    bandwidth: Math.min(1 / perByte, slowest.bandwidth),
    latency,
    channel: slowest.channel,
    hops,
    place: placeOf(cluster, from, to, bytes),
    reshard: rule,
  };
}

/** Of the link between the first devices. */
function placeOf(cluster: ClusterDefinition, from: Rank, to: Rank, bytes: number): Place {
  const route = routeBetween(cluster, from.devices[0], to.devices[0], bytes);
  return route?.place ?? cluster.devices[from.devices[0]].place;
}

/** A way to reshard that no pair of ranks uses. */
function reportIdle(
  notes: Notes,
  { reshard, at, edges, ranks }: RoutesRequest,
  drawn: ReadonlyMap<number, Drawn>,
): void {
  if (reshard === undefined || [...drawn.values()].some((candidate) => candidate.reshard !== undefined)) return;
  const crosses = edges.some(({ from, to }) => ranks.placement[from] !== ranks.placement[to]);
  const reason = !crosses
    ? 'no stage sends to another device'
    : reshard.strategy === 'scatter_gather'
      ? 'no two tensor ranks of a stage hold the same output, so there is nothing to scatter'
      : 'stages that exchange data have equal meshes, and each device sends to the device at the same position';
  notes.report.report('key/not-applicable', at.transfer, { key: reshard.strategy, reason });
}

/** Channels are numbered as routes come to them. */
function numbered(routes: readonly Drawn[]): readonly RoutePlan[] {
  const channels = new Map<string, number>();
  const number = (name: string): number => {
    const channel = channels.get(name) ?? channels.size;
    channels.set(name, channel);
    return channel;
  };
  return routes.map(({ from, to, bandwidth, latency, hops, channel, reshard }) => {
    const limits = hops.map((hop) => ({
      channel: number(hop.channel),
      bandwidth: hop.bandwidth,
      latency: hop.latency,
    }));
    return {
      from,
      to,
      bandwidth,
      latency,
      channel: number(channel),
      ...(limits.length > 1 ? { hops: limits } : {}),
      ...(reshard === undefined ? {} : { reshard }),
    };
  });
}
