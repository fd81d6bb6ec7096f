/** What a call takes on a lane: the collective that the pipeline names, or what NCCL chooses. */
import { leastOf, linear, withShare } from '../../basics/callCost.ts';
import { collectiveLines } from '../../costs/collectives.ts';
import { type MovedBytes, shardRanks, shardsState } from '../../costs/optimizer.ts';
import type { Ring } from '../../costs/types.ts';
import type { ExchangeUse } from '../../definitions/exchange.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { CollectiveUse } from '../../exchange/collectives.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import { callLimit, costOf, ringCall } from '../../network/index.ts';
import type { Notes } from '../notes.ts';
import { groupRing } from '../place/groupRing.ts';
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
  if (use === undefined) return usualCall(notes, request);
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
  return usualCall(notes, request);
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

/** As NCCL does it, over the links of the file. */
function usualCall(
  notes: Notes,
  { cluster, at, optimizer, per, groups, each, rank }: CallRequest,
): LaneCall | undefined {
  const ranks = groups[0].length;
  const size = shardsState(optimizer?.shard ?? 'none') ? shardRanks(each, optimizer?.over) : 1;
  const ringOver = (over: Groups): Ring | undefined => groupRing(notes, { cluster, at }, 'reduce', [rank], () => over);
  const within = size > 1 ? ringOver(slices(groups, size)) : noRing;
  const across = size < ranks ? ringOver(strides(groups, size)) : noRing;
  if (within === undefined || across === undefined) return undefined;
  const name = across.tree === undefined ? 'ring' : 'ring or tree';
  if (size === 1) return { ...ringCall(ranks, across), name, sends: (2 * (ranks - 1)) / ranks };
  const [scatter] = collectiveLines('reduce_scatter', size, within);
  const [gather] = collectiveLines('all_gather', size, within);
  const weights = per.weight / per.gradient;
  // Once they have scattered, ranks reduce the parts that they have.
  const reduced = collectiveLines('all_reduce', ranks / size, across).map(({ fixed, perByte }) =>
    linear(scatter.fixed + fixed, scatter.perByte + perByte / size),
  );
  return {
    name,
    sends: ((size - 1) / size) * (1 + weights) + (2 * (ranks / size - 1)) / (ranks / size) / size,
    push: leastOf(
      reduced.map(({ fixed, perByte }) => linear(fixed + gather.fixed, perByte + weights * gather.perByte)),
    ),
    halves: { scatter: leastOf(reduced), gather: linear(gather.fixed, weights * gather.perByte) },
  };
}

const noRing: Ring = { bandwidth: 0, latency: 0 };
