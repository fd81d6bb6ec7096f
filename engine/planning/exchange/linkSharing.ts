/** Links through which stages send when they exchange gradients, and how each call uses them. */
import { reducesEach, scattersEach, shardRanks, shardsState, shardsWeights } from '../../costs/optimizer.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { ExchangeUse } from '../../definitions/exchange.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { CollectiveUse } from '../../exchange/collectives.ts';
import type { CallLinks, CallPass, LinkSharing } from '../../values/exchangePlan.ts';
import {
  callTraffic,
  hasSharedLinks,
  LinkUses,
  sharedLinkOf,
  type CallTraffic,
  type LinkPass,
} from '../../network/index.ts';
import { figuresOfGroups } from '../place/ofGroups.ts';
import { dataGroups, expertDataGroups, type Groups, joinedGroups, slices, strides } from '../place/rankGroups.ts';
import type { SitedRanks } from '../place/sites.ts';
import { connectedHolders, type Holders } from './holders.ts';
import { collectiveOf } from './laneCall.ts';

type Kind = 'dense' | 'experts';

export interface SharedUse extends LinkSharing {
  /** A call of these ranks. `matrix`: of a layer whose gradient may go as factors; `use`: another collective than the pipeline's. */
  linksOf(holder: Holders, kind: Kind, matrix?: FactorShape, use?: CollectiveUse): CallLinks | undefined;
}

interface SharingRequest extends Pick<SettledPipeline, 'cluster' | 'optimizer'> {
  readonly exchange: ExchangeUse;
  readonly ranks: SitedRanks;
  /** By stage of the plan, the matrices of its layers that are fully connected. */
  readonly matrices: readonly (readonly (FactorShape | undefined)[])[];
}

/** No stages share a link, or it is unknown what one of their calls sends through links. */
export type NoSharing = 'none' | 'unknown';

/**
 * What is exchanged within operations is left out: `linksOfIteration` has it. So are ranks that exchange with
 * several groups where no rule orders what they send.
 */
export function linkSharing(request: SharingRequest, holders: readonly Holders[]): SharedUse | NoSharing {
  const { cluster, optimizer, exchange, ranks, matrices } = request;
  if (holders.length < 2 || !hasSharedLinks(cluster)) return 'none';
  if (isWithinOperations(optimizer)) return 'none';
  const lanes = connectedHolders(holders);
  if (lanes.length < 2) return 'none';
  if (exchange.sync === undefined && lanes.some(({ length }) => length > 1)) return 'unknown';
  const known = new Map<string, CallTraffic | undefined>();
  const trafficOf = (
    holder: Holders,
    kind: Kind,
    matrix?: FactorShape,
    use?: CollectiveUse,
  ): CallTraffic | undefined => {
    const shape = matrix === undefined ? '' : [matrix.rows, matrix.columns, matrix.samples].join();
    const key = `${holders.indexOf(holder)} ${kind} ${shape} ${use === undefined ? '' : JSON.stringify(use)}`;
    if (!known.has(key)) {
      const members = holder.members.map((member) => ranks.ranks[member]);
      const joined = joinedGroups(members, kind === 'dense' ? dataGroups : expertDataGroups);
      known.set(key, trafficIn(request, joined, matrix, use));
    }
    return known.get(key);
  };
  const uses = new LinkUses();
  for (const [lane, held] of lanes.entries())
    for (const holder of held)
      for (const { kind, matrix } of callsOf(holder, matrices)) {
        const traffic = trafficOf(holder, kind, matrix);
        if (traffic === undefined) return 'unknown';
        for (const direction of directions)
          for (const { flows } of traffic[direction] ?? []) {
            const take = uses.pass(lane);
            for (const [link, count] of flows) take(link, count);
          }
      }
  const links: LinkSharing['links'][number][] = [];
  const numbers = new Map<number, number>();
  const alike = new Map<number, number>();
  for (const [link, use] of uses.ofLinks) {
    if (uses.lanesOf(use) < 2) continue;
    const found = sharedLinkOf(cluster, link);
    // Of links with the same flows, the slowest.
    const number = alike.get(use) ?? links.length;
    alike.set(use, number);
    numbers.set(link, number);
    if (number === links.length || found.bandwidth < links[number].bandwidth) links[number] = found;
  }
  if (links.length === 0) return 'none';
  const made = new Map<CallTraffic, CallLinks>();
  return {
    links,
    linksOf(holder, kind, matrix, use) {
      const traffic = trafficOf(holder, kind, matrix, use);
      if (traffic === undefined) return undefined;
      const found = made.get(traffic) ?? callLinks(traffic, numbers, links);
      made.set(traffic, found);
      return found;
    },
  };
}

const directions = ['push', 'pull', 'scatter', 'gather'] as const;

function callsOf(
  { held, experts }: Holders,
  matrices: SharingRequest['matrices'],
): readonly { readonly kind: Kind; readonly matrix?: FactorShape }[] {
  const shapes = held.flatMap(({ on }) => [...on.values()].slice(0, 1).flatMap((stage) => matrices[stage] ?? []));
  const seen = new Map(
    shapes.flatMap((shape) => (shape === undefined ? [] : [[JSON.stringify(shape), shape] as const])),
  );
  return [
    { kind: 'dense' },
    ...[...seen.values()].map((matrix) => ({ kind: 'dense' as const, matrix })),
    ...(experts > 0 ? [{ kind: 'experts' as const }] : []),
  ];
}

/** Where a pipeline names no collective. Trees use cards as rings do. */
const usual: CollectiveUse = { name: 'ring', call: 0 };

/** Each names all links that its groups use. */
const traffics = figuresOfGroups<CallTraffic | undefined>(256);

const isWithinOperations = (optimizer: SharingRequest['optimizer']): boolean =>
  optimizer?.reshard === true &&
  shardsWeights(optimizer.shard) &&
  scattersEach(optimizer) &&
  (optimizer.over === undefined || reducesEach(optimizer));

/** State in parts is scattered over some of the ranks, and reduced among the others. */
function trafficIn(
  { cluster, optimizer, exchange }: SharingRequest,
  { groups, each }: { readonly groups: Groups; readonly each: number },
  matrix: FactorShape | undefined,
  asked: CollectiveUse | undefined,
): CallTraffic | undefined {
  const ranks = groups[0].length;
  if (ranks === 1) return { push: [] };
  const use = asked ?? collectiveOf(exchange) ?? usual;
  const shard = optimizer?.shard ?? 'none';
  const size = shardsState(shard) ? shardRanks(each, optimizer?.over) : 1;
  if (size === 1 || size === ranks)
    return traffics(cluster, groups, JSON.stringify([use, matrix]), () =>
      callTraffic(use, { cluster, groups, matrix }),
    );
  const usualOver = (over: Groups) => traffics(cluster, over, '', () => callTraffic(usual, { cluster, groups: over }));
  const within = usualOver(slices(groups, size));
  const across = usualOver(strides(groups, size));
  if (within === undefined || across === undefined) return undefined;
  const reduced = across.push.map((pass) => ({ ...pass, weight: pass.weight / size }));
  // Gradients in parts were scattered by the backwards.
  const scatter = [
    ...(scattersEach(optimizer) ? [] : (within.scatter ?? [])),
    ...(reducesEach(optimizer) ? [] : reduced),
  ];
  return { push: scatter, scatter, gather: within.gather ?? [] };
}

const callLinks = (
  { push, pull, scatter, gather }: CallTraffic,
  numbers: ReadonlyMap<number, number>,
  links: LinkSharing['links'],
): CallLinks => ({
  push: passesOf(push, numbers, links),
  ...(pull === undefined ? {} : { pull: passesOf(pull, numbers, links) }),
  ...(scatter === undefined ? {} : { scatter: passesOf(scatter, numbers, links) }),
  ...(gather === undefined ? {} : { gather: passesOf(gather, numbers, links) }),
});

/** Empty if no pass uses a shared link. */
function passesOf(
  passes: readonly LinkPass[],
  numbers: ReadonlyMap<number, number>,
  links: LinkSharing['links'],
): readonly CallPass[] {
  const all = passes.reduce((sum, { weight }) => sum + weight, 0);
  const found = passes.map(({ weight, rate, flows }): CallPass => {
    const counts = new Map<number, number>();
    for (const [link, count] of flows) {
      const number = numbers.get(link);
      // Alone it has its rate, whatever rounding says.
      if (number !== undefined)
        counts.set(number, Math.max(counts.get(number) ?? 0, Math.min(count, links[number].bandwidth / rate)));
    }
    return { part: weight / all, rate, flows: [...counts].map(([link, count]) => ({ link, count })) };
  });
  return found.every(({ flows }) => flows.length === 0) ? [] : found;
}
