/** Routes of a pipeline and the time its devices need after the last backward. */
import type { Span } from '../../../grammar/syntax.ts';
import type { FileContext } from '../context.ts';
import type { ClusterDefinition } from '../definitions.ts';
import { paths, type EdgePlan, type PipelinePlan, type RoutePlan, type StagePlan } from '../plan.ts';
import { type Route, type RouteHop, ringOf, routeBetween } from '../routes.ts';
import type { Rank, Ranks } from './ranks.ts';

export interface RoutesRequest {
  readonly pipeline: string;
  readonly cluster: ClusterDefinition;
  readonly ranks: Ranks;
  readonly edges: readonly EdgePlan[];
  /** Device that keeps what each device evicts, −1 for none. */
  readonly partners?: ArrayLike<number>;
  readonly at: Span;
}

/** One route for each ordered pair of devices that an edge needs; `undefined` where a pair has none (reported for the first). */
export function pipelineRoutes(
  context: FileContext,
  { pipeline, cluster, ranks, edges, partners, at }: RoutesRequest,
): readonly RoutePlan[] | undefined {
  const largest = edges.reduce((most, one) => Math.max(most, one.bytes), 0);
  const routes = new Map<number, RoutePlan>();
  const channels = new Map<string, number>();
  const count = ranks.ranks.length;
  const pairs = edges.map((edge) => [ranks.placement[edge.from], ranks.placement[edge.to]]);
  for (let device = 0; device < (partners?.length ?? 0); device += 1)
    if (partners !== undefined && partners[device] >= 0) pairs.push([device, partners[device]]);
  for (const ends of pairs) {
    if (ends[0] === ends[1]) continue;
    for (const [from, to] of [ends, [ends[1], ends[0]]]) {
      if (routes.has(from * count + to)) continue;
      const route = betweenRanks(cluster, ranks.ranks[from], ranks.ranks[to], largest);
      if ('unreachable' in route) {
        const [a, b] = route.unreachable;
        context.report.report('device/unknown-route', at, {
          from: cluster.devices[a].name,
          to: cluster.devices[b].name,
        });
        return undefined;
      }
      const number = (name: string): number => {
        const channel = channels.get(name) ?? channels.size;
        channels.set(name, channel);
        return channel;
      };
      const hops = route.hops.map(({ channel, bandwidth, latency }) => ({
        channel: number(channel),
        bandwidth,
        latency,
      }));
      const { bandwidth, latency } = route;
      const channel = number(route.channel);
      routes.set(from * count + to, { from, to, bandwidth, latency, channel, ...(hops.length > 1 ? { hops } : {}) });
      context.origins.set(paths.route(pipeline, from, to), route.place);
    }
  }
  return [...routes.keys()].sort((a, b) => a - b).flatMap((key) => routes.get(key) ?? []);
}

/**
 * The route between the first devices of two ranks. Where both split every microbatch among replicas, as many transfers as the
 * fewer of them run side by side, each over a link of its own where the cluster has one: a hop that k of r such transfers take
 * moves r / k of its bandwidth of them all.
 */
function betweenRanks(
  cluster: ClusterDefinition,
  from: Rank,
  to: Rank,
  bytes: number,
): Route | { readonly unreachable: readonly [number, number] } {
  const [sizeFrom, sizeTo] = [from, to].map(({ devices, split = 1 }) => devices.length / split);
  const routes: Route[] = [];
  for (let replica = 0; replica < Math.min(from.split ?? 1, to.split ?? 1); replica += 1) {
    const [a, b] = [from.devices[replica * sizeFrom], to.devices[replica * sizeTo]];
    const route = routeBetween(cluster, a, b, bytes);
    if (route === undefined) return { unreachable: [a, b] };
    routes.push(route);
  }
  const [first] = routes;
  const latency = routes.reduce((most, one) => Math.max(most, one.latency), 0);
  if (routes.length > 1 && routes.some(({ hops }) => hops.length > 1))
    return { ...first, latency, ...sideBySide(routes) };
  const lanes = new Set(routes.map(({ channel }) => channel)).size;
  const bandwidth = lanes * routes.reduce((least, one) => Math.min(least, one.bandwidth), Infinity);
  return { ...first, bandwidth, latency };
}

/** All hops of routes that each carry an equal part of every transfer. */
function sideBySide(routes: readonly Route[]): Pick<Route, 'bandwidth' | 'channel' | 'hops'> {
  const hops = new Map<string, { readonly hop: RouteHop; users: number }>();
  for (const hop of routes.flatMap((route) => route.hops)) {
    const known = hops.get(hop.channel);
    if (known === undefined) hops.set(hop.channel, { hop, users: 1 });
    else known.users += 1;
  }
  const all = Array.from(hops.values(), ({ hop, users }) => ({
    ...hop,
    bandwidth: (hop.bandwidth * routes.length) / users,
  }));
  const slowest = all.reduce((least, one) => (one.bandwidth < least.bandwidth ? one : least));
  return { bandwidth: slowest.bandwidth, channel: slowest.channel, hops: all };
}

export interface StepRequest {
  readonly cluster: ClusterDefinition;
  readonly ranks: Ranks;
  readonly stages: readonly StagePlan[];
  readonly tensor: number;
  readonly data: number;
  readonly optimizerStep: number;
  readonly at: Span;
}

/**
 * Gradients of a device are reduced over its data ranks in a ring: 2(n − 1)·α + 2(n − 1)/n·S/B for S bytes
 * (Thakur, Rabenseifner and Gropp, 2005, section 4). Where a stage has copies on several devices, all of their ranks are one
 * ring. Then comes the optimizer's step, as long as the file says.
 */
export function stepTimes(context: FileContext, request: StepRequest): PipelinePlan['step'] | undefined {
  const { cluster, ranks, stages, tensor, optimizerStep, at } = request;
  const sync = new Float64Array(ranks.ranks.length);
  for (const group of exchanges(ranks, stages)) {
    const members = group.devices.flatMap((one) =>
      ranks.ranks[one].devices.filter((_, position) => position % tensor === 0),
    );
    if (members.length < 2) continue;
    const ring = ringOf(cluster, members, group.gradients / members.length);
    if ('from' in ring) {
      context.report.report('device/unknown-route', ranks.ranks[group.devices[0]].at ?? at, {
        from: cluster.devices[ring.from].name,
        to: cluster.devices[ring.to].name,
      });
      return undefined;
    }
    const time = 2 * (members.length - 1) * (ring.latency + group.gradients / members.length / ring.bandwidth);
    for (const device of group.devices) sync[device] += time;
  }
  return Array.from(sync, (one) => ({ sync: one, optimizer: optimizerStep }));
}

/** Devices that hold the same stages exchange the gradients of all of them at once. */
function exchanges(
  { ranks, placement }: Ranks,
  stages: readonly StagePlan[],
): readonly { readonly devices: readonly number[]; readonly gradients: number }[] {
  const holders = new Map<number, number[]>();
  const gradients = new Map<number, number>();
  for (const [index, { copy, gradients: bytes }] of stages.entries()) {
    if ((copy?.segment ?? 0) > 0) continue;
    const stage = copy?.stage ?? index;
    const known = holders.get(stage) ?? [];
    if (!known.includes(placement[index])) known.push(placement[index]);
    holders.set(stage, known);
    gradients.set(stage, bytes);
  }
  const groups = new Map<string, { readonly devices: readonly number[]; gradients: number }>();
  for (const [stage, found] of holders) {
    const devices = found.toSorted((a, b) => a - b);
    const key = devices.join();
    const group = groups.get(key) ?? { devices, gradients: 0 };
    group.gradients += gradients.get(stage) ?? 0;
    groups.set(key, group);
  }
  return [...groups.values()].filter(({ devices }) => devices.every((one) => one < ranks.length));
}
