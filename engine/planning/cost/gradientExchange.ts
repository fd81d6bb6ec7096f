/** Exchanges among the ranks that hold the same weights. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import { callOverhead, leastOf } from '../../basics/callCost.ts';
import { collectiveLines, collectiveTime, sentBytes } from '../../costs/collectives.ts';
import {
  type MovedBytes,
  reducesEach,
  scattersEach,
  shardRanks,
  shardsState,
  shardsWeights,
} from '../../costs/optimizer.ts';
import { elementBytes } from '../../costs/precision.ts';
import type { Collective, Ring } from '../../costs/types.ts';
import type { CallLinks, CallPass, TimedCall } from '../../values/exchangePlan.ts';
import { groupRing } from '../place/groupRing.ts';
import { joinedGroups, slices, strides, type Groups } from '../place/rankGroups.ts';
import type { Rank } from '../place/ranks.ts';

/** Seconds, and bytes that a device sends. */
export interface Moved {
  readonly seconds: number;
  readonly bytes: number;
  /** Its calls that use links which other stages use too. */
  readonly calls?: readonly TimedCall[];
}
export const stillness: Moved = { seconds: 0, bytes: 0 };
export const sumOfTraffic = (...all: readonly Moved[]): Moved =>
  all.reduce(
    (sum, each) => ({
      seconds: sum.seconds + each.seconds,
      bytes: sum.bytes + each.bytes,
      ...(sum.calls === undefined && each.calls === undefined
        ? {}
        : { calls: [...(sum.calls ?? []), ...(each.calls ?? [])] }),
    }),
    stillness,
  );

/** The same as one call that uses shared links. */
export const overLinks = (sent: Moved, overhead: number, passes: readonly CallPass[] | undefined): Moved =>
  passes === undefined || sent.seconds === 0 ? sent : { ...sent, calls: [{ seconds: sent.seconds, overhead, passes }] };

/** All of its seconds as calls. */
export function callsIn({ seconds, calls }: Moved): readonly TimedCall[] | undefined {
  if (calls === undefined) return undefined;
  const rest = calls.reduce((left, call) => left - call.seconds, seconds);
  // Rounding leaves 1e−19.
  return rest > 1e-12 * seconds ? [...calls, { seconds: rest, overhead: 0, passes: [] }] : calls;
}

/** What parameters on one device take: their gradients once the last backward has made them, their weights once the optimizer has. */
export interface GradientExchange {
  gradients(parameters: number): Moved;
  weights(parameters: number): Moved;
  /** Matrices whose rows are on all ranks of a shard group, to one of them and back. Absent where no update needs whole matrices. */
  readonly owned?: (parameters: number) => Moved;
}

/**
 * Whole gradients: an all-reduce. State in parts: gradients are scattered, updated weights gathered (the two halves of an
 * all-reduce, each in its own bytes; Rajbhandari et al., ZeRO, arXiv:1910.02054, section 7.1). Gradients in parts were scattered
 * after each backward; weights in parts are gathered when they are needed. Shard groups that hold only a part of the ranks reduce
 * their parts among each other. `undefined` if devices have no route (reported).
 */
export function gradientExchange(
  notes: Notes,
  { cluster, at, optimizer }: Pick<SettledPipeline, 'cluster' | 'at' | 'optimizer'>,
  members: readonly Rank[],
  per: MovedBytes,
  groupsOf: (devices: readonly number[], mesh: Rank['mesh']) => Groups,
  links?: CallLinks,
): GradientExchange | undefined {
  const { groups: joined, each, rank } = joinedGroups(members, groupsOf);
  const ranks = joined[0].length;
  if (ranks === 1) return { gradients: () => stillness, weights: () => stillness };
  const { shard = 'none' } = optimizer ?? {};
  // Each copy of a stage splits its state over ranks of its own, as the bytes that it keeps say.
  const size = shardsState(shard) ? shardRanks(each, optimizer?.over) : 1;
  const ringOver = (groups: Groups): Ring | undefined =>
    groupRing(notes, { cluster, at }, 'reduce', [rank], () => groups);
  const within = size > 1 ? ringOver(slices(joined, size)) : noRing;
  const across = size < ranks ? ringOver(strides(joined, size)) : noRing;
  const gathersMatrices = size > 1 && shardsWeights(shard) && optimizer?.recipe.newtonSchulz !== undefined;
  const toOwners = gathersMatrices
    ? groupRing(notes, { cluster, at }, 'all_to_all', [rank], () => slices(joined, size))
    : noRing;
  if (within === undefined || across === undefined || toOwners === undefined) return undefined;
  const resharded = shardsWeights(shard) && optimizer?.reshard === true;
  const scattered = scattersEach(optimizer);
  // Groups have reduced their parts by then.
  const groups = reducesEach(optimizer) ? 1 : ranks / size;
  return {
    gradients: (parameters) =>
      overLinks(
        sumOfTraffic(
          scattered ? stillness : moved('reduce_scatter', parameters * per.gradient, size, within),
          moved('all_reduce', (parameters * per.gradient) / size, groups, across),
        ),
        (scattered ? 0 : latencyOf('reduce_scatter', size, within)) +
          latencyOf('all_reduce', groups, across, (parameters * per.gradient) / size),
        size > 1 ? links?.scatter : links?.push,
      ),
    weights: (parameters) =>
      resharded
        ? stillness
        : overLinks(
            moved('all_gather', parameters * per.weight, size, within),
            latencyOf('all_gather', size, within),
            links?.gather,
          ),
    // The momentum there, and the update back, in the format of the weights (torchtitan, `DistMuon`).
    ...(gathersMatrices
      ? {
          owned: (parameters: number) => {
            const sent = moved('all_to_all', (parameters * elementBytes('fp32')) / size, size, toOwners);
            return sumOfTraffic(sent, sent);
          },
        }
      : {}),
  };
}

export const latencyOf = (pattern: Collective['pattern'], count: number, ring: Ring, bytes = 0): number =>
  callOverhead(leastOf(collectiveLines(pattern, count, ring)), bytes);

const noRing: Ring = { bandwidth: 0, latency: 0 };

/** One collective over `count` ranks; nothing where there is nothing to move. */
export function moved(pattern: Collective['pattern'], bytes: number, count: number, ring: Ring): Moved {
  if (bytes === 0 || count <= 1) return stillness;
  return { seconds: collectiveTime({ pattern, bytes }, count, ring), bytes: sentBytes({ pattern, bytes }, count) };
}
