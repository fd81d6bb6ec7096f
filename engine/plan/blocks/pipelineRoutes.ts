/** Routes of a pipeline and the time its devices need after the last backward. */
import type { Span } from '../../../grammar/syntax.ts';
import type { FileContext } from '../context.ts';
import type { ClusterDefinition } from '../definitions.ts';
import { paths, type EdgePlan, type PipelinePlan, type RoutePlan, type StagePlan } from '../plan.ts';
import { ringOf, routeBetween } from '../routes.ts';
import type { Ranks } from './ranks.ts';

export interface RoutesRequest {
  readonly pipeline: string;
  readonly cluster: ClusterDefinition;
  readonly ranks: Ranks;
  readonly edges: readonly EdgePlan[];
  readonly at: Span;
}

/** One route for each ordered pair of devices that an edge needs; `undefined` where a pair has none (reported for the first). */
export function pipelineRoutes(
  context: FileContext,
  { pipeline, cluster, ranks, edges, at }: RoutesRequest,
): readonly RoutePlan[] | undefined {
  const largest = edges.reduce((most, one) => Math.max(most, one.bytes), 0);
  const routes = new Map<number, RoutePlan>();
  const channels = new Map<string, number>();
  const count = ranks.ranks.length;
  for (const edge of edges) {
    const ends = [ranks.placement[edge.from], ranks.placement[edge.to]];
    if (ends[0] === ends[1]) continue;
    for (const [from, to] of [ends, [ends[1], ends[0]]]) {
      if (routes.has(from * count + to)) continue;
      const [a, b] = [ranks.ranks[from].devices[0], ranks.ranks[to].devices[0]];
      const route = routeBetween(cluster, a, b, largest);
      if (route === undefined) {
        context.report.report('device/unknown-route', at, {
          from: cluster.devices[a].name,
          to: cluster.devices[b].name,
        });
        return undefined;
      }
      const channel = channels.get(route.channel) ?? channels.size;
      channels.set(route.channel, channel);
      routes.set(from * count + to, { from, to, bandwidth: route.bandwidth, latency: route.latency, channel });
      context.origins.set(paths.route(pipeline, from, to), route.place);
    }
  }
  return [...routes.keys()].sort((a, b) => a - b).flatMap((key) => routes.get(key) ?? []);
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
 * (Thakur, Rabenseifner and Gropp, 2005, section 4). Then comes the optimizer's step, as long as the file says.
 */
export function stepTimes(context: FileContext, request: StepRequest): PipelinePlan['step'] | undefined {
  const { cluster, ranks, stages, tensor, data, optimizerStep, at } = request;
  const steps: { readonly sync: number; readonly optimizer: number }[] = [];
  const gradients = new Float64Array(ranks.ranks.length);
  for (const [stage, one] of stages.entries()) gradients[ranks.placement[stage]] += one.gradients;
  for (const [index, rank] of ranks.ranks.entries()) {
    let sync = 0;
    if (data > 1) {
      const ring = ringOf(
        cluster,
        rank.devices.filter((_, position) => position % tensor === 0),
        gradients[index] / data,
      );
      if ('from' in ring) {
        context.report.report('device/unknown-route', rank.at ?? at, {
          from: cluster.devices[ring.from].name,
          to: cluster.devices[ring.to].name,
        });
        return undefined;
      }
      sync = 2 * (data - 1) * (ring.latency + gradients[index] / data / ring.bandwidth);
    }
    steps.push({ sync, optimizer: optimizerStep });
  }
  return steps;
}
