/** Traffic of the groups of ranks that work on one microbatch together: what it takes, and what computing hides of it. */
import { type Line, linear } from '../basics/callCost.ts';
import type { Collective, DeviceSpeed, GroupName, GroupTraffic, LayerSetting, Ring, Traffic } from './types.ts';

export const noTraffic: Traffic = {};

/** What one pass of a layer exchanges; `exposed` in seconds, over all groups. */
export interface Exchange {
  readonly exposed: number;
  readonly traffic: Traffic;
}
const nothing: Exchange = { exposed: 0, traffic: noTraffic };

/**
 * What a pass of a layer exchanges during `all` seconds of computing, of which `core` are the attention core. Of each group's
 * time, up to the share `overlap` may run in parallel with computing. The context group's share runs in parallel with the core,
 * block by block (ring attention, arXiv:2310.01889, section 3). Each of its equal steps hides behind the block that is at work;
 * nothing arrives during the last block. Of an all-to-all of context ranks, and of keys that they gather, nothing hides. The other groups' shares run in parallel with the rest.
 */
export function exchange(
  collectives: readonly Collective[],
  pass: 'forward' | 'backward',
  setting: Pick<LayerSetting, GroupName>,
  { rings, overlap }: Pick<DeviceSpeed, 'rings' | 'overlap'>,
  { all, core }: { readonly all: number; readonly core: number },
): Exchange {
  if (collectives.length === 0) return nothing;
  const traffic: Partial<Record<GroupName, GroupTraffic>> = {};
  let exposed = 0;
  let room = all;
  for (const group of hidingOrder) {
    const ranks = setting[group];
    let [bytes, time] = [0, 0];
    let whole = false;
    for (const collective of collectives) {
      if (collective.over !== group || collective[pass] === 0) continue;
      const { ranks: some = ranks } = collective;
      bytes += collective[pass] * sentBytes(collective, some) * (rings[group].sent ?? 1);
      time += collective[pass] * collectiveTime(collective, some, rings[group]);
      whole ||= collective.awaited === true || collective.pattern === 'all_to_all';
    }
    if (bytes === 0) continue;
    // The core needs all that an exchange before it brings, and the one after it all that the core makes.
    const ofCore = whole ? 0 : (core * (ranks - 1)) / ranks;
    const behind = group === 'context' ? Math.min(ofCore, room) : room;
    const hidden = Math.min(overlap[group] * time, behind);
    room -= hidden;
    exposed += time - hidden;
    traffic[group] = { bytes, time, exposed: time - hidden };
  }
  return { exposed, traffic };
}
const hidingOrder: readonly GroupName[] = ['context', 'tensor', 'expert'];

/**
 * Bytes that a rank sends in one collective over `n` ranks. Ring all-reduce: 2(n − 1)/n of the tensor. Its halves and an
 * all-to-all: (n − 1)/n. Passing around a ring: its block n − 1 times.
 */
export function sentBytes({ pattern, bytes }: Pick<Collective, 'pattern' | 'bytes'>, ranks: number): number {
  const [steps, step] = stepsOf(pattern, ranks);
  return steps * step * bytes;
}

/**
 * Seconds of one of them: a latency and a step's bytes at the ring's bandwidth, for each of its steps (costs by α and β). An all-reduce
 * goes over trees where they are faster for its bytes.
 */
export function collectiveTime(
  { pattern, bytes }: Pick<Collective, 'pattern' | 'bytes'>,
  ranks: number,
  { tree, ...ring }: Ring,
): number {
  const [steps, step] = stepsOf(pattern, ranks);
  const around = steps * (ring.latency + (ring.bandwidth > 0 ? (step * bytes) / ring.bandwidth : 0));
  return tree === undefined || pattern !== 'all_reduce' || ranks <= 1
    ? around
    : Math.min(around, tree.latency + (2 * bytes) / tree.bandwidth);
}

/** The same as functions of the bytes, of which the least holds. */
export function collectiveLines(
  pattern: Collective['pattern'],
  ranks: number,
  { tree, ...ring }: Ring,
): readonly Line[] {
  const around = linear(
    collectiveTime({ pattern, bytes: 0 }, ranks, ring),
    collectiveTime({ pattern, bytes: 1 }, ranks, { ...ring, latency: 0 }),
  );
  const over = tree === undefined || pattern !== 'all_reduce' || ranks <= 1 ? [] : [tree];
  return [around, ...over.map(({ latency, bandwidth }) => linear(latency, 2 / bandwidth))];
}

/** Steps over `n` ranks, and the share of the bytes that a rank sends in each. */
function stepsOf(pattern: Collective['pattern'], ranks: number): readonly [number, number] {
  if (ranks <= 1) return [0, 0];
  if (pattern === 'all_reduce') return [2 * (ranks - 1), 1 / ranks];
  return pattern === 'ring' ? [ranks - 1, 1] : [ranks - 1, 1 / ranks];
}

/** Sums by group. */
export function sumTraffic(all: readonly Traffic[]): Traffic {
  const some = all.filter((candidate) => candidate !== noTraffic);
  if (some.length <= 1) return some[0] ?? noTraffic;
  const sum: Partial<Record<keyof Traffic, GroupTraffic>> = {};
  for (const traffic of some) {
    for (const [name, part] of Object.entries(traffic) as [keyof Traffic, GroupTraffic][]) {
      const { bytes, forward, time, exposed } = part;
      const known = sum[name] ?? { bytes: 0, time: 0, exposed: 0 };
      const ahead = (known.forward ?? 0) + (forward ?? 0);
      sum[name] = {
        bytes: known.bytes + bytes,
        ...(ahead > 0 ? { forward: ahead } : {}),
        time: known.time + time,
        exposed: known.exposed + exposed,
      };
    }
  }
  return sum;
}

/** Traffic of a forward. */
export function forwardTraffic(traffic: Traffic): Traffic {
  const marked: Partial<Record<keyof Traffic, GroupTraffic>> = {};
  for (const [name, part] of Object.entries(traffic) as [keyof Traffic, GroupTraffic][])
    marked[name] = { ...part, forward: part.bytes };
  return traffic === noTraffic ? noTraffic : marked;
}

/** Of `times` microbatches. */
export function scaleTraffic(traffic: Traffic, times: number): Traffic {
  const scaled: Partial<Record<keyof Traffic, GroupTraffic>> = {};
  for (const [name, part] of Object.entries(traffic) as [keyof Traffic, GroupTraffic][]) {
    const { bytes, forward, time, exposed } = part;
    const ahead = forward === undefined ? {} : { forward: forward * times };
    scaled[name] = { bytes: bytes * times, ...ahead, time: time * times, exposed: exposed * times };
  }
  return scaled;
}
