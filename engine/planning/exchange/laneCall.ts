/** What a call takes on a lane: the collective that the pipeline names, or rings as ever. */
import { linear, withShare } from '../../basics/callCost.ts';
import { collectiveTime } from '../../costs/collectives.ts';
import { type MovedBytes, shardRanks, shardsState } from '../../costs/optimizer.ts';
import type { Collective, Ring } from '../../costs/types.ts';
import type { ExchangeUse } from '../../definitions/exchange.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { CollectiveUse } from '../../exchange/collectives.ts';
import type { CallCost, LaneCall } from '../../values/exchangePlan.ts';
import { callLimit, costOf } from '../../network/index.ts';
import type { Notes } from '../notes.ts';
import { type GroupRing, groupRing } from '../place/groupRing.ts';
import { type Groups, slices, strides } from '../place/rankGroups.ts';
import type { Rank } from '../place/ranks.ts';

export interface CallRequest extends Pick<SettledPipeline, 'cluster' | 'at' | 'optimizer'> {
  readonly exchange: ExchangeUse;
  readonly per: MovedBytes;
  /** Ranks that hold the same weights, of all copies, as groups of devices that work at the same time. */
  readonly groups: Groups;
  /** Ranks of one copy. */
  readonly each: number;
  readonly rank: Rank;
}

/** As a function of the bytes of gradients; `undefined` where the collective does not fit, or devices have no route (reported). */
export function laneCall(notes: Notes, request: CallRequest, matrix?: FactorShape): LaneCall | undefined {
  const { exchange, optimizer, per } = request;
  const use = collectiveOf(exchange);
  const inParts = shardsState(optimizer?.shard ?? 'none');
  if (use === undefined) return ringsCall(notes, request);
  const call = named(notes, request, use, matrix);
  if (call === undefined || !inParts) return call;
  // State in parts: gradients are scattered, updated weights gathered.
  const halves = call.halves ?? (call.pull === undefined ? undefined : { scatter: call.push, gather: call.pull });
  if (halves !== undefined && shardRanks(request.each, optimizer?.over) === request.groups[0].length)
    return {
      ...call,
      halves: { scatter: halves.scatter, gather: withShare(halves.gather, per.weight / per.gradient) },
    };
  notes.report.report('key/not-applicable', request.at('collective'), {
    key: 'collective',
    reason:
      halves === undefined
        ? `${use.name} does not scatter gradients and gather weights apart, as an optimizer with its state in parts does`
        : 'the state is in parts over some of the ranks only',
  });
  return ringsCall(notes, request);
}

/** Whether what a fully connected layer takes depends on its matrix. */
export function usesFactors(exchange: ExchangeUse): boolean {
  const use = collectiveOf(exchange);
  return use?.name === 'hybrid' || use?.factors === true;
}

/** The same, with what makes it slow. */
export function limitedCall(notes: Notes, request: CallRequest, matrix?: FactorShape): LaneCall | undefined {
  const call = laneCall(notes, request, matrix);
  if (call === undefined || shardsState(request.optimizer?.shard ?? 'none')) return call;
  const { cluster, groups, exchange } = request;
  const limit = callLimit(call, collectiveOf(exchange), { cluster, groups, matrix });
  return limit === undefined ? call : { ...call, limit };
}

/** What the pipeline says, or what its rule is known with. */
export function collectiveOf({ sync, collective }: ExchangeUse): CollectiveUse | undefined {
  const usual = sync?.preset.collective;
  if (usual === undefined) return collective;
  if (collective === undefined) return { name: usual, call: 0 };
  return usual === 'hybrid' && collective.name === 'ps' ? { ...collective, name: 'hybrid' } : collective;
}

function named(
  notes: Notes,
  { cluster, at, groups, rank }: CallRequest,
  use: CollectiveUse,
  matrix: FactorShape | undefined,
): LaneCall | undefined {
  const found = costOf(use, { cluster, groups, matrix });
  if ('from' in found)
    notes.report.report('device/unknown-route', rank.at ?? at('devices'), {
      from: cluster.devices[found.from].name,
      to: cluster.devices[found.to].name,
    });
  else if ('allowed' in found)
    notes.report.report('value/range', at('collective'), {
      what: `"${found.argument}" of ${use.name}`,
      value: found.value,
      allowed: found.allowed,
    });
  else return found;
  return undefined;
}

/** One ring, or rings inside nodes and between them, whichever is faster. */
function ringsCall(
  notes: Notes,
  { cluster, at, optimizer, per, groups, each, rank }: CallRequest,
): LaneCall | undefined {
  const ranks = groups[0].length;
  const shard = optimizer?.shard ?? 'none';
  const size = shardsState(shard) ? shardRanks(each, optimizer?.over) : 1;
  const ringOver = (over: Groups): GroupRing | undefined =>
    groupRing(notes, { cluster, at }, 'ring', [rank], () => over);
  const within = size > 1 ? ringOver(groups.flatMap((group) => slices(group, size))) : noRing;
  const across = size < ranks ? ringOver(groups.flatMap((group) => strides(group, size))) : noRing;
  if (within === undefined || across === undefined) return undefined;
  const reduce = share(affine('all_reduce', ranks / size, across), 1 / size);
  const levels = within.byLevel === true || across.byLevel === true ? { byLevel: true as const } : {};
  if (size === 1) {
    const half = (pattern: Collective['pattern']) => affine(pattern, ranks, across);
    return {
      name: 'ring',
      ...levels,
      sends: (2 * (ranks - 1)) / ranks,
      push: cost(reduce),
      halves: { scatter: cost(half('reduce_scatter')), gather: cost(half('all_gather')) },
    };
  }
  const scatter = affine('reduce_scatter', size, within);
  const gather = share(affine('all_gather', size, within), per.weight / per.gradient);
  const out = { fixed: scatter.fixed + reduce.fixed, perByte: scatter.perByte + reduce.perByte };
  // A reduce-scatter and a gather of a part each, and an all-reduce of what a rank has.
  const inside = ((size - 1) / size) * (1 + per.weight / per.gradient);
  return {
    name: 'ring',
    ...levels,
    sends: inside + (2 * (ranks / size - 1)) / (ranks / size) / size,
    push: cost({ fixed: out.fixed + gather.fixed, perByte: out.perByte + gather.perByte }),
    halves: { scatter: cost(out), gather: cost(gather) },
  };
}

const noRing: GroupRing = { bandwidth: 0, latency: 0 };

interface Affine {
  readonly fixed: number;
  readonly perByte: number;
}

/** Seconds of a collective over a ring: fixed ones, and seconds for each byte. */
function affine(pattern: Collective['pattern'], ranks: number, ring: Ring): Affine {
  return {
    fixed: collectiveTime({ pattern, bytes: 0 }, ranks, ring),
    perByte: collectiveTime({ pattern, bytes: 1 }, ranks, { ...ring, latency: 0 }),
  };
}

const share = ({ fixed, perByte }: Affine, part: number): Affine => ({ fixed, perByte: perByte * part });
const cost = ({ fixed, perByte }: Affine): CallCost => linear(fixed, perByte);
