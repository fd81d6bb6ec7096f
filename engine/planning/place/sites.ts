/** Kinds of devices as stages use them: what a layer costs there follows from these figures. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { OptimizerUse } from '../../definitions/optimizer.ts';
import type { Engine } from '../../engines/engine.ts';
import { engineOf } from '../engineOf.ts';
import type { Notes } from '../notes.ts';
import type { DeviceDefinition } from '../../definitions/device.ts';
import type { ModelDefinition } from '../../definitions/model.ts';
import { type Mesh, lone } from '../../costs/mesh.ts';
import type { ShardRule } from '../../costs/shardTraffic.ts';
import { reducesEach, scattersEach, shardRanks, shardsGradients, shardsWeights } from '../../costs/optimizer.ts';
import type { ContextExchange, DeviceSpeed, GroupName, Ring } from '../../costs/types.ts';
import type { NodeLimit } from '../../network/index.ts';
import { allToAllAhead, groupRing } from './groupRing.ts';
import { dataGroups, expertDataGroups, type Groups, groupsOf, slices, strides } from './rankGroups.ts';
import type { Rank, Ranks } from './ranks.ts';

/**
 * A kind of device in a stage of some mesh. Two stages with equal sites are costed once, so sites are compared by identity.
 * Rings are the slowest of all ranks that use the site.
 */
export interface Site extends DeviceDefinition {
  readonly mesh: Mesh;
  /** Samples of a microbatch that one data rank of the stage gets, as a share of the samples of a data rank of the pipeline. */
  readonly share: number;
  readonly rings: DeviceSpeed['rings'];
  readonly overlap: DeviceSpeed['overlap'];
  /** Ranks that hold the same weights, and the same experts. */
  readonly ranks: number;
  readonly expertRanks: number;
  /** Only if data ranks hold weights or gradients in parts. */
  readonly shards?: ShardRule;
  /** How heads compute their loss that do not say. */
  readonly loss?: string;
  /** Data ranks share the weights. */
  readonly sharesWeights?: true;
  /** Weights in shard groups of one rank are copied as others are gathered. */
  readonly copiesAlone?: true;
  /** What is gathered stays so up to its backward. */
  readonly wholeInputs?: true;
  /** As the file says, or as the engine does it. */
  readonly contextExchange?: ContextExchange;
}

export interface SitedRank extends Rank {
  readonly kind: Site;
}
export interface SitedRanks extends Ranks {
  readonly ranks: readonly SitedRank[];
}

/** A device by itself, whose layers nothing splits. */
export const loneSite = (kind: DeviceDefinition): Site => ({
  ...kind,
  mesh: lone,
  share: 1,
  rings: { tensor: noRing, context: noRing, expert: noRing },
  overlap: { tensor: 0, context: 0, expert: 0 },
  ranks: 1,
  expertRanks: 1,
});
const noRing: Ring = { bandwidth: 0, latency: 0 };

type Request = Pick<SettledPipeline, 'cluster' | 'model' | 'overlap' | 'optimizer' | 'engine' | 'at'>;

/** The ranks with their sites; `undefined` where devices that must talk have no route (reported). */
export function siteRanks(notes: Notes, pipeline: Request, ranks: Ranks): SitedRanks | undefined {
  const sites = sitesOf(notes, pipeline, ranks.ranks);
  if (pipeline.overlap.tensor > 0 && ranks.ranks.some((rank) => tensorLeavesNode(pipeline.cluster, rank)))
    notes.report.report('key/not-applicable', pipeline.at('overlap(tensor)'), {
      key: 'overlap(tensor)',
      reason:
        'its tensor ranks are in several nodes, and kernels that send while they compute reach the devices of one node',
    });
  return sites === undefined
    ? undefined
    : { ...ranks, ranks: ranks.ranks.map((rank, index) => ({ ...rank, kind: sites[index] })) };
}

/** Finds what takes long of the sites in steps, before `siteRanks` is asked for them. */
export function* sitesAhead({ cluster, model }: Request, ranks: Members): Generator<void, void, void> {
  for (const { devices, mesh } of ranks)
    if (mesh.expert > 1) yield* allToAllAhead(cluster, groupsOf(devices, mesh, 'expert'), nodeLimit(model));
}

/** The site of each rank. */
export function sitesOf(notes: Notes, pipeline: Request, ranks: Members): readonly Site[] | undefined {
  const alike = new Map<string, { readonly members: Member[]; readonly numbers: number[] }>();
  const kinds = [...new Set(ranks.map((rank) => rank.kind))];
  for (const [index, rank] of ranks.entries()) {
    const key = `${kinds.indexOf(rank.kind)} ${JSON.stringify(rank.mesh)} ${rank.split ?? 1}`;
    const known = alike.get(key);
    if (known === undefined) alike.set(key, { members: [rank], numbers: [index] });
    else {
      known.members.push(rank);
      known.numbers.push(index);
    }
  }
  const sites: Site[] = [];
  for (const { members, numbers } of alike.values()) {
    const site = siteOf(notes, pipeline, members);
    if (site === undefined) return undefined;
    for (const index of numbers) sites[index] = site;
  }
  return sites;
}

type Member = Pick<Rank, 'devices' | 'kind' | 'mesh' | 'split' | 'at'>;
type Members = readonly Member[];

function siteOf(notes: Notes, pipeline: Request, members: Members): Site | undefined {
  const [{ kind, mesh, split = 1, devices }] = members;
  const usual = usualIn(notes, pipeline, alikeRanks(devices, mesh).dense, mesh);
  const ring = (name: GroupName): Ring | undefined =>
    mesh[name] === 1
      ? noRing
      : groupRing(
          notes,
          pipeline,
          name === 'expert' ? 'all_to_all' : name === 'context' ? patterns[usual.contextExchange ?? 'ring'] : 'reduce',
          members,
          (rank) => groupsOf(rank.devices, rank.mesh, name),
          name === 'expert' ? nodeLimit(pipeline.model) : undefined,
        );
  const tensor = ring('tensor');
  const parts = ring('context');
  const expert = ring('expert');
  const shards = shardRule(notes, pipeline, members);
  if (tensor === undefined || parts === undefined || expert === undefined || shards === 'wrong') return undefined;
  return {
    ...kind,
    mesh,
    share: 1 / split,
    rings: { tensor, context: parts, expert },
    overlap: members.some((rank) => tensorLeavesNode(pipeline.cluster, rank))
      ? { ...pipeline.overlap, tensor: 0 }
      : pipeline.overlap,
    ranks: alikeRanks(devices, mesh).dense,
    expertRanks: alikeRanks(devices, mesh).experts,
    ...(shards === undefined ? {} : { shards }),
    ...usual,
  };
}

/** Ranks that hold the same weights, and the same experts. */
const alikeRanks = (
  devices: readonly number[],
  { tensor, expert, expertTensor, islands = 1 }: Mesh,
): Readonly<Record<'dense' | 'experts', number>> => ({
  dense: devices.length / tensor / islands,
  experts: devices.length / (expert * expertTensor) / islands,
});

const patterns = { ring: 'pass', all_gather: 'reduce', all_to_all: 'all_to_all' } as const;

/**
 * What the engine does, or the one that alone has this optimizer. Without both: frameworks that share weights are PyTorch's, whose loss
 * runs step by step, and whose autograd keeps gathered inputs.
 */
function usualIn(notes: Notes, request: Request, ranks: number, mesh: Mesh): Partial<Site> {
  const { optimizer } = request;
  const sharesWeights = optimizer !== undefined && splitsWeights(optimizer, ranks);
  const engine = engineOf(notes, request);
  const loss = engine?.loss ?? (sharesWeights ? 'eager' : undefined);
  const contextExchange = mesh.contextExchange ?? engine?.contextExchange;
  return {
    ...(loss === undefined ? {} : { loss }),
    ...((engine?.keepsGathered ?? sharesWeights) ? { wholeInputs: true } : {}),
    ...(sharesWeights ? { sharesWeights } : {}),
    ...(copiesAlone(optimizer, engine, sharesWeights) ? { copiesAlone: true } : {}),
    ...(contextExchange === undefined ? {} : { contextExchange }),
  };
}

/**
 * Whether a shard group of one rank has whole copies too: with FSDP2 (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py,
 * `wait_for_unshard` with a `world_size` of 1). Which modules are wrapped is up to an engine; others wrap all, or nothing.
 */
function copiesAlone(optimizer: OptimizerUse | undefined, engine: Engine | undefined, sharesWeights: boolean): boolean {
  if (optimizer === undefined || !shardsWeights(optimizer.shard)) return false;
  return engine?.copiesAlone ?? (sharesWeights && (optimizer.shard === 'fsdp' || !optimizer.reshard));
}

/**
 * Whether some group of tensor ranks is in several nodes, as in NCCL the innermost ones. Userbuffers of Transformer Engine and the
 * symmetric memory of PyTorch write to memory of other devices, which they can within a node.
 */
const tensorLeavesNode = ({ devices }: Request['cluster'], rank: Pick<Rank, 'devices' | 'mesh'>): boolean =>
  rank.mesh.tensor > 1 &&
  groupsOf(rank.devices, rank.mesh, 'tensor').some((group) =>
    group.some((device) => devices[device].group !== devices[group[0]].group),
  );

/** Whether ranks share the weights: with one rank, or in groups of one, a shard has no effect. */
const splitsWeights = ({ shard, over }: OptimizerUse, ranks: number): boolean =>
  shardsWeights(shard) && shardRanks(ranks, over) > 1;

type Parts = Pick<ShardRule, 'dense' | 'experts'>;

/** Rings over parts of the ranks that hold the same: `cut` has the parts of groups, and how many ranks each has. */
function partsOf(
  notes: Notes,
  pipeline: Request,
  members: Members,
  cut: (groups: Groups) => { readonly ranks: number; readonly parts: Groups },
): Parts | 'wrong' {
  const [{ devices, mesh }] = members;
  const over = (groupsIn: typeof dataGroups, isHeld: boolean): { ranks: number; ring: Ring } | undefined => {
    const { ranks } = isHeld ? cut(groupsIn(devices, mesh)) : { ranks: 1 };
    if (ranks === 1) return { ranks, ring: noRing };
    const ring = groupRing(notes, pipeline, 'reduce', members, (rank) => cut(groupsIn(rank.devices, rank.mesh)).parts);
    return ring === undefined ? undefined : { ranks, ring };
  };
  const dense = over(dataGroups, true);
  const experts = over(expertDataGroups, hasExperts(pipeline.model));
  return dense === undefined || experts === undefined ? 'wrong' : { dense, experts };
}

/** What is gathered and scattered for each microbatch; nothing where both happen once an iteration. */
function shardRule(notes: Notes, pipeline: Request, members: Members): ShardRule | undefined | 'wrong' {
  const { optimizer, model } = pipeline;
  if (optimizer === undefined || !shardsGradients(optimizer.shard)) return undefined;
  const { over, reshardTo } = optimizer;
  const weights = shardsWeights(optimizer.shard);
  if (weights && !optimizer.reshard) return undefined;
  const within = (size: number | undefined) =>
    partsOf(notes, pipeline, members, (groups) => {
      const ranks = shardRanks(groups[0].length, size);
      return { ranks, parts: slices(groups, ranks) };
    });
  const among = () =>
    partsOf(notes, pipeline, members, (groups) => {
      const ranks = shardRanks(groups[0].length, over);
      return { ranks: groups[0].length / ranks, parts: strides(groups, ranks) };
    });
  const shards = within(over);
  const again = reshardTo === undefined ? undefined : within(reshardTo);
  const groups = reducesEach(optimizer) && over !== undefined ? among() : undefined;
  if (shards === 'wrong' || again === 'wrong' || groups === 'wrong') return 'wrong';
  const moved = optimizer.recipe.moved(model.precision);
  return {
    ...shards,
    ...(optimizer.prefetch === 0 ? { waits: true as const } : {}),
    ...(again === undefined ? {} : { again }),
    ...(groups === undefined ? {} : { groups }),
    weights,
    gradients: scattersEach(optimizer),
    weightBytes: moved.weight,
    gradientBytes: moved.gradient,
  };
}

/** The limit of the layer that sends tokens to most nodes; none if a layer with experts has none. */
function nodeLimit({ layers }: ModelDefinition): NodeLimit | undefined {
  let widest: NodeLimit | undefined;
  for (const { cost } of layers) {
    if (cost.kind !== 'shape' || typeof cost.args['experts'] !== 'number') continue;
    const { experts_per_token: copies, nodes_per_token: nodes } = cost.args;
    if (typeof copies !== 'number' || typeof nodes !== 'number') return undefined;
    if (widest === undefined || nodes / copies > widest.nodes / widest.copies) widest = { copies, nodes };
  }
  return widest;
}

const hasExperts = ({ layers }: ModelDefinition): boolean =>
  layers.some(({ cost }) => cost.kind === 'shape' && typeof cost.args['experts'] === 'number');
