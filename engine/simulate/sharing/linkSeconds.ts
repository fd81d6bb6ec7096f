import type { CallCost, CallLinks, CallPass, LanePlan, TimedCall } from '../../values/exchangePlan.ts';
import type { Timing } from '../../values/timeline.ts';

/** Devices that exchange with each other, and by link, seconds for which they keep it full. */
export interface GroupSeconds {
  readonly devices: readonly number[];
  readonly seconds: Float64Array;
}

/** Exchanges that no rule orders. Devices with the same number in `holders` run the same calls. */
export function linkSecondsByGroup({ sharing, buckets = [], holders }: Timing): readonly GroupSeconds[] {
  const { links, sync } = sharing ?? { links: new Float64Array(0), sync: [] };
  const groups = new Map<number, { readonly devices: number[]; readonly calls: TimedCall[] }>();
  sync.forEach((calls, device) => {
    const number = holders?.[device] ?? device;
    const group = groups.get(number) ?? { devices: [], calls: [] };
    groups.set(number, group);
    group.devices.push(device);
    if (group.calls.length === 0) group.calls.push(...calls);
  });
  for (const { members, calls = [] } of buckets)
    groups.get(holders?.[members[0].device] ?? members[0].device)?.calls.push(...calls);
  return [...groups.values()].map(({ devices, calls }) => {
    const seconds = new Float64Array(links.length);
    for (const call of calls) add(seconds, links, call.passes, call.seconds - call.overhead);
    return { devices, seconds };
  });
}

interface LaneBytes {
  readonly tensors: readonly { readonly bytes: number; readonly call: number }[];
  readonly calls: LanePlan['calls'];
}

/** By link, the least seconds for which tensors of a lane keep it full, however they are cut. `isApart`: in halves. */
export function linkSecondsOfLane(links: Float64Array, { tensors, calls }: LaneBytes, isApart: boolean): Float64Array {
  const seconds = new Float64Array(links.length);
  calls.forEach(({ links: use, push, pull, halves }, number) => {
    if (use === undefined) return;
    const bytes = tensors.reduce((sum, tensor) => sum + (tensor.call === number ? tensor.bytes : 0), 0);
    const addLeg = (cost: CallCost | undefined, passes: CallLinks['pull']): void => {
      if (cost !== undefined && passes !== undefined) add(seconds, links, passes, leastPerByte(cost) * bytes);
    };
    const both = isApart ? halves : undefined;
    addLeg(both?.scatter ?? push, both === undefined ? use.push : (use.scatter ?? use.push));
    addLeg(both?.gather ?? pull, both === undefined ? use.pull : use.gather);
  });
  return seconds;
}

function add(seconds: Float64Array, links: Float64Array, passes: readonly CallPass[], moving: number): void {
  for (const { part, rate, flows } of passes)
    for (const { link, count } of flows) seconds[link] += (part * moving * count * rate) / links[link];
}

function leastPerByte(cost: CallCost): number {
  if (cost.kind === 'linear') return cost.perByte;
  return cost.kind === 'table' ? 0 : cost.of.reduce((least, each) => Math.min(least, leastPerByte(each)), Infinity);
}
