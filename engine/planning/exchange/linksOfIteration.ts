/** Links through which ranks send while operations run, and the least bytes of all that they exchange in an iteration. */
import {
  type MovedBytes,
  reducesEach,
  scattersEach,
  shardRanks,
  shardsGradients,
  shardsState,
  shardsWeights,
} from '../../costs/optimizer.ts';
import { type GroupName, groupNames, type LayerCost } from '../../costs/types.ts';
import { noFrozen, packedSaving } from '../../costs/training.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import {
  hasSharedLinks,
  linkLoad,
  linksInCommon,
  type LinkLoad,
  type Reduction,
  type SharedLink,
} from '../../network/index.ts';
import { sameMesh } from '../../costs/mesh.ts';
import type { CrowdedLinkPlan, OperationBytes } from '../../values/exchangePlan.ts';
import type { EdgePlan } from '../../values/plan.ts';
import type { StageParts } from '../cost/stagePlans.ts';
import { figuresOfGroups } from '../place/ofGroups.ts';
import { dataGroups, expertDataGroups, type Groups, groupsOf, pairs, slices, strides } from '../place/rankGroups.ts';
import type { SitedRank, SitedRanks } from '../place/sites.ts';
import type { Holders } from './holders.ts';

interface Request extends Pick<SettledPipeline, 'cluster' | 'optimizer' | 'exchange' | 'iterations'> {
  readonly ranks: SitedRanks;
  /** Messages between stages, if devices of equal position send them to each other. */
  readonly edges: readonly EdgePlan[];
  readonly stages: readonly StageParts[];
  readonly microbatches: number;
}

/** What ranks that send together exchange, as bytes of which each rank has a part. */
interface Sending extends Pick<Reduction, 'groups' | 'apart'> {
  readonly member: number;
  /** By stage of the plan, of one operation. */
  readonly operations: ReadonlyMap<number, OperationBytes>;
  /** In an iteration. */
  readonly bytes: number;
}

/**
 * Gradients and weights of data ranks, what tensor, context and expert ranks exchange in each microbatch, and messages. Each copy of a stage runs its
 * part of the microbatches. Of servers, of network switches that sum up, and of experts that a router limits to a few nodes, other bytes leave a node: they are left out.
 */
export function linksOfIteration(
  request: Request,
  holders: readonly Holders[],
  per: MovedBytes,
): readonly CrowdedLinkPlan[] {
  const { cluster, ranks, stages } = request;
  if (!hasSharedLinks(cluster)) return [];
  const sending = holders.flatMap((holder) =>
    holder.members.flatMap((member) => {
      const own = stagesHere(request, holder, member);
      return [...dataTraffic(request, holder, member, own, per), ...layerTraffic(request, holder, member, own)].filter(
        ({ bytes }) => bytes > 0,
      );
    }),
  );
  const inOperations = sending.filter(
    ({ groups, operations }) => groups[0].length > 1 && [...operations.values()].some((each) => inMicrobatch(each) > 0),
  );
  // One kind of traffic of one rank has its links to itself. Updates of an asynchronous schedule run at the same time as messages.
  if (request.iterations === 1 && !meetInNodes(request) && inOperations.length < 2) return [];
  sending.push(...messageTraffic(request));
  const held = ranks.ranks.map((_, member) =>
    holders.flatMap((holder) => holder.held.flatMap(({ on }) => on.get(member) ?? [])),
  );
  return linksOf(cluster, sending).map(({ link, bandwidth, bytes: each }): CrowdedLinkPlan => {
    const sent = ranks.ranks.map(() => 0);
    const inStages = stages.map(() => noBytes);
    for (const [at, { bytes, member, operations }] of sending.entries()) {
      if (each[at] === 0) continue;
      sent[member] += each[at] * bytes;
      for (const [stage, more] of operations) inStages[stage] = addBytes(inStages[stage], more, each[at]);
    }
    return {
      link,
      bandwidth,
      users: sent.flatMap((bytes, member) => (bytes > 0 ? [{ devices: [member], stages: held[member], bytes }] : [])),
      operations: inStages.flatMap((sum, stage) => (sum === noBytes ? [] : [{ stage, ...sum }])),
    };
  });
}

const loads = figuresOfGroups<LinkLoad>(1024);
const common = figuresOfGroups<readonly SharedLink[]>(1024);

/** Links that senders have in common, for one byte of each: the same for all plans whose ranks form the same groups. */
function linksOf(cluster: Request['cluster'], sending: readonly Sending[]): readonly SharedLink[] {
  const word = sending.map(({ groups, apart }) => `${groups.length}${apart === true ? ' apart' : ''}`).join();
  return common.ofAll(
    cluster,
    sending.map(({ groups }) => groups),
    word,
    () =>
      linksInCommon(
        cluster,
        sending.map(({ groups, apart }) =>
          loads(cluster, groups, apart === true ? 'apart' : '', () =>
            linkLoad(cluster, { groups, bytes: 1, ...(apart === true ? { apart } : {}) }),
          ),
        ),
      ),
  );
}

const noBytes: OperationBytes = { forward: 0, input: 0, weight: 0, update: 0 };

function addBytes(sum: OperationBytes, more: OperationBytes, times: number): OperationBytes {
  return {
    forward: sum.forward + times * more.forward,
    input: sum.input + times * more.input,
    weight: sum.weight + times * more.weight,
    update: sum.update + times * more.update,
  };
}

/** Whether two pipeline ranks are in one outermost node, so that they leave it through the same links. */
function meetInNodes({ cluster: { devices, groups }, ranks }: Request): boolean {
  const first = new Map<number, number>();
  for (const [index, rank] of ranks.ranks.entries())
    for (const device of rank.devices) {
      let node = devices[device].group;
      while (groups[node].depth > 1) node = groups[node].parent;
      const known = first.get(node) ?? index;
      first.set(node, known);
      if (known !== index) return true;
    }
  return false;
}

/** Stages of the plan that are copies or segments of what the holder holds, on one of its ranks. */
function stagesHere({ ranks, stages }: Request, { held }: Holders, member: number): readonly number[] {
  const cutOf = (stage: number): number => stages[stage].plan.copy?.stage ?? stage;
  const cut = new Set(held.flatMap(({ on }) => [...on.values()].slice(0, 1).map(cutOf)));
  return [...stages.keys()].filter((stage) => ranks.placement[stage] === member && cut.has(cutOf(stage)));
}

/** Parameters of a stage that data ranks gather, where one takes `width` bytes, and that they reduce. */
const parametersOf = (
  layers: readonly LayerCost[],
  experts: boolean,
  width: number,
): { whole: number; trained: number } =>
  layers.reduce(
    (sum, { localParameters, expertParameters, frozen = noFrozen }) => {
      const whole = experts ? expertParameters : localParameters - expertParameters;
      return {
        whole: sum.whole + whole - (experts ? 0 : packedSaving(frozen.packed, width)),
        trained: sum.trained + whole - (experts ? frozen.experts : frozen.dense),
      };
    },
    { whole: 0, trained: 0 },
  );

/** Gathers and scatters within operations take the share of a microbatch that the stage runs at a time. */
function operationsOf(
  { layers, plan }: StageParts,
  experts: boolean,
  each: { readonly gather: number; readonly again: number; readonly scatter: number; readonly update: number },
  width: number,
): OperationBytes {
  const all = layers.reduce((sum, { traffic }) => sum + (traffic?.weights?.bytes ?? 0), 0);
  const share = all > 0 ? (plan.traffic?.weights?.bytes ?? 0) / all : 0;
  const { whole, trained } = parametersOf(layers, experts, width);
  const returns = layers.some(({ forwardOnly }) => forwardOnly !== true);
  return {
    forward: share * each.gather * whole,
    input: returns ? share * each.again * whole : 0,
    weight: share * each.scatter * trained,
    update: each.update,
  };
}

const inMicrobatch = ({ forward, input, weight }: OperationBytes): number => forward + input + weight;

function dataTraffic(
  { optimizer, exchange, microbatches, ranks, stages }: Request,
  { members, dense, experts }: Holders,
  member: number,
  own: readonly number[],
  { weight, gradient }: MovedBytes,
): readonly Sending[] {
  const { name, factors, algorithm } = exchange?.collective ?? { name: exchange?.sync?.preset.collective };
  if (name === 'ps' || name === 'hybrid' || factors === true) return [];
  // Network switches sum up, so a card sends less.
  if (algorithm === 'nvls' || algorithm === 'collnet_direct' || algorithm === 'collnet_chain') return [];
  const { devices, mesh } = ranks.ranks[member];
  const { shard = 'none', reshard, reshardTo, over } = optimizer ?? {};
  const inParts = shardsWeights(shard) && reshard === true;
  const scattered = scattersEach(optimizer);
  const within = (groups: Groups): Groups => {
    const size = shardsState(shard) ? shardRanks(groups[0].length, over) : groups[0].length;
    return slices(groups, size);
  };
  const of = (kind: 'dense' | 'experts', groups: Groups, parameters: number): readonly Sending[] => {
    // Copies share what is exchanged once.
    const gathers = shardsState(shard) && !inParts ? weight : 0;
    const reduces = shardsState(shard) ? (scattered ? 0 : gradient) : 2 * gradient;
    const once = ((gathers + reduces) * parameters) / (shardsGradients(shard) ? 1 : members.length);
    const runs = microbatches / members.length;
    const sending = (over: Groups, each: Parameters<typeof operationsOf>[2], rest: number): Sending => {
      const operations = new Map(
        own.map((stage) => [stage, operationsOf(stages[stage], kind === 'experts', each, weight)]),
      );
      const bytes = [...operations.values()].reduce((sum, operation) => sum + runs * inMicrobatch(operation), rest);
      return { groups: over, member, operations, bytes };
    };
    const gather = inParts ? weight : 0;
    const nothing = { gather: 0, again: 0, scatter: 0, update: 0 };
    const again = reshardTo === undefined ? gather : 0;
    const each = { gather, again, scatter: scattered ? gradient : 0, update: once / own.length };
    const neighbours = shardRanks(groups[0].length, reshardTo);
    const size = shardRanks(groups[0].length, over);
    return [
      sending(within(groups), each, once),
      ...(again === gather ? [] : [sending(slices(groups, neighbours), { ...nothing, again: gather }, 0)]),
      ...(reducesEach(optimizer) && size < groups[0].length
        ? [sending(strides(groups, size), { ...nothing, scatter: (2 * gradient) / size }, 0)]
        : []),
    ];
  };
  return [
    ...of('dense', dataGroups(devices, mesh), dense),
    ...(experts > 0 ? of('experts', expertDataGroups(devices, mesh), experts) : []),
  ];
}

/** Messages of a forward, and as many bytes of gradients back. Of stages with copies each sends a part: they are left out. */
function messageTraffic({ edges, ranks, stages, microbatches }: Request): readonly Sending[] {
  const sent = new Map<number, number>();
  for (const { from, to, bytes, back = bytes, forwardOnly } of edges) {
    const [sender, receiver] = [ranks.placement[from], ranks.placement[to]];
    if (sender === receiver || forwardOnly === true || stages[from].plan.copy !== undefined) continue;
    if (!sameMesh(ranks.ranks[sender].mesh, ranks.ranks[receiver].mesh)) continue;
    const key = sender * ranks.ranks.length + receiver;
    sent.set(key, (sent.get(key) ?? 0) + Math.min(bytes, back));
  }
  return [...sent].map(([key, bytes]) => {
    const member = Math.trunc(key / ranks.ranks.length);
    const [sender, receiver] = [ranks.ranks[member], ranks.ranks[key % ranks.ranks.length]];
    const groups = pairs(sender.devices, receiver.devices);
    // Of a ring of two, each sends a half.
    return { groups, member, operations: new Map<number, OperationBytes>(), bytes: 2 * microbatches * bytes };
  });
}

function layerTraffic(
  { microbatches, ranks, stages }: Request,
  { members }: Holders,
  member: number,
  own: readonly number[],
): readonly Sending[] {
  const { devices, mesh, kind }: SitedRank = ranks.ranks[member];
  return groupNames.flatMap((name: GroupName): readonly Sending[] => {
    const count = mesh[name];
    if (count === 1 || kind.rings[name].sent !== undefined) return [];
    // A rank sends (n − 1)/n of what it exchanges.
    const whole = count / (count - 1);
    const operations = new Map(
      own.flatMap((stage) => {
        const { bytes = 0, forward = 0 } = stages[stage].plan.traffic?.[name] ?? {};
        if (bytes === 0) return [];
        return [[stage, { ...noBytes, forward: whole * forward, input: whole * (bytes - forward) }] as const];
      }),
    );
    const runs = microbatches / members.length;
    const bytes = [...operations.values()].reduce((sum, operation) => sum + runs * inMicrobatch(operation), 0);
    return [
      {
        ...{ groups: groupsOf(devices, mesh, name), member, operations, bytes },
        ...(name === 'expert' ? { apart: true as const } : {}),
      },
    ];
  });
}
