/** What islands share once in a while: bytes, the time of their exchange, and of the update by the outer optimizer. */
import { kernelTime } from '../../costs/kernelTime.ts';
import { outerMoved } from '../../costs/optimizer/outer.ts';
import { shardRanks, shardsWeights } from '../../costs/optimizer.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { LocalUse } from '../../exchange/local.ts';
import { type Reduction, sharedLinks } from '../../network/index.ts';
import type { OuterStepPlan } from '../../values/stepPlan.ts';
import { latencyOf, moved } from '../cost/gradientExchange.ts';
import type { Notes } from '../notes.ts';
import { groupRing } from '../place/groupRing.ts';
import { acrossIslands } from '../place/rankGroups.ts';
import type { SitedRank, SitedRanks } from '../place/sites.ts';
import type { Holders } from './holders.ts';

export interface OuterRequest extends Pick<SettledPipeline, 'cluster' | 'at' | 'optimizer' | 'local'> {
  readonly ranks: SitedRanks;
}

/** `bytes`: that a device sends for it in an iteration, as a mean. */
export interface OuterStep {
  readonly plan: OuterStepPlan;
  readonly bytes: number;
}

/** With the backup on the host: it comes for the change, it comes back, and the new weights go there. */
const hostTrips = { back: 2, out: 1 };

/**
 * By rank; `undefined` if devices have no route (reported). Each device exchanges what it holds of the weights with the devices of other
 * islands that hold the same, as torchft does: parts under FSDP, otherwise all. A fragment is one of equal parts. Exchanges of
 * different stages begin together.
 */
export function outerSteps(
  notes: Notes,
  request: OuterRequest,
  groups: readonly Holders[],
): readonly (OuterStep | undefined)[] | undefined {
  const { local, ranks, cluster, at, optimizer } = request;
  const found: (OuterStep | undefined)[] = ranks.ranks.map(() => undefined);
  if (local === undefined) return found;
  const { steps, fragments, delay, bits } = local;
  const shards = shardsWeights(optimizer?.shard ?? 'none');
  const sending: Sending[] = [];
  const own: Own[] = [];
  for (const { members, dense, experts } of groups) {
    const all = members.map((member) => ranks.ranks[member]);
    const [{ kind, mesh }] = all;
    const part = (count: number): number => (shards ? shardRanks(count, optimizer?.over) : 1);
    let [seconds, latency, bytes, parameters] = [0, 0, 0, 0];
    for (const [name, count, held] of [
      ['dense', kind.ranks, dense],
      ['experts', kind.expertRanks, experts],
    ] as const) {
      if (held === 0) continue;
      const across = (rank: Pick<SitedRank, 'devices' | 'mesh'>) => acrossIslands(name, rank.devices, rank.mesh);
      const ring = groupRing(notes, { cluster, at }, 'reduce', all, across);
      if (ring === undefined) return undefined;
      const kept = held / part(count) / fragments;
      const size = (kept * bits) / 8;
      const sent = moved('all_reduce', size, mesh.islands ?? 1, ring);
      sending.push({ of: own.length, groups: all.flatMap(across), bytes: 2 * size });
      parameters += kept;
      seconds += sent.seconds;
      latency += latencyOf('all_reduce', mesh.islands ?? 1, ring, size);
      bytes += sent.bytes;
    }
    own.push({ members, seconds, latency, bytes, update: updateSeconds(local, kind, parameters) });
  }
  const shared = overSharedLinks(cluster, sending, own);
  const every = steps / fragments;
  for (const [index, { members, bytes, update }] of own.entries()) {
    const plan = { seconds: shared[index], update, every, delay };
    for (const member of members) {
      const before = found[member];
      found[member] = {
        bytes: (before?.bytes ?? 0) + bytes / plan.every,
        plan: {
          ...plan,
          seconds: plan.seconds + (before?.plan.seconds ?? 0),
          update: plan.update + (before?.plan.update ?? 0),
        },
      };
    }
  }
  return found;
}

interface Own {
  readonly members: readonly number[];
  readonly seconds: number;
  readonly latency: number;
  readonly bytes: number;
  readonly update: number;
}

/** What ranks of one stage reduce; `of`: of which. */
interface Sending extends Reduction {
  readonly of: number;
}

/**
 * Seconds of each, if all begin together. On a link that is fair, one with b bytes is over when each other one has sent its own bytes,
 * or b if it has more.
 */
function overSharedLinks(
  cluster: SettledPipeline['cluster'],
  sending: readonly Sending[],
  own: readonly Own[],
): readonly number[] {
  const seconds = own.map((each) => each.seconds);
  for (const { bandwidth, bytes } of sharedLinks(cluster, sending)) {
    const through = new Float64Array(own.length);
    for (const [number, { of }] of sending.entries()) through[of] += bytes[number];
    for (const [index, { latency }] of own.entries()) {
      if (through[index] === 0) continue;
      const ahead = through.reduce((sum, other) => sum + Math.min(other, through[index]), 0);
      seconds[index] = Math.max(seconds[index], latency + ahead / bandwidth);
    }
  }
  return seconds;
}

/** As updates of the inner optimizer: 0 on devices whose layers are not costed kernel by kernel. Copies over an unknown link to the host take no time. */
function updateSeconds({ outer, backup }: LocalUse, kind: SitedRank['kind'], parameters: number): number {
  const { bandwidth, memoryEfficiency, speed, rings, overlap, host } = kind;
  const inMemory =
    bandwidth <= 0 || memoryEfficiency.length < 2
      ? 0
      : kernelTime(
          { flops: 0, bytes: outerMoved[outer] * parameters },
          { compute: 0, efficiency: 1, bandwidth, memoryEfficiency, speed, rings, overlap },
        );
  if (outer === 'average' || backup === 'device' || host === undefined) return inMemory;
  const trips = hostTrips.back + hostTrips.out;
  return inMemory + trips * (host.latency + (4 * parameters) / host.bandwidth);
}
