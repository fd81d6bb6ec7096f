/** Which host a device belongs to, and what it shares with other devices there. */
import type { ClusterDefinition, HostDefinition } from '../../definitions/cluster.ts';
import type { DevicePlan, HostPlan } from '../../values/plan.ts';
import type { Rank } from './ranks.ts';

/** The innermost group around a device that says what `key` says of its host; −1 if there is none. */
export function hostGroup({ devices, groups }: ClusterDefinition, device: number, key: keyof HostDefinition): number {
  let { group } = devices[device];
  while (group >= 0 && groups[group].host?.[key] === undefined) group = groups[group].parent;
  return group;
}

/**
 * Bytes per second that the host gives to each device of a rank while it updates weights for all devices of the pipeline: the share of the
 * slowest. `undefined` if a device has no host that says its bandwidth.
 */
export function hostShare(cluster: ClusterDefinition, ranks: readonly Rank[], rank: number): number | undefined {
  const used = new Map<number, number>();
  for (const device of ranks.flatMap(({ devices }) => devices)) {
    const group = hostGroup(cluster, device, 'bandwidth');
    used.set(group, (used.get(group) ?? 0) + 1);
  }
  let least: number | undefined;
  for (const device of ranks[rank].devices) {
    const group = hostGroup(cluster, device, 'bandwidth');
    const bandwidth = group < 0 ? undefined : cluster.groups[group].host?.bandwidth;
    if (bandwidth === undefined) return undefined;
    least = Math.min(least ?? Infinity, bandwidth / (used.get(group) ?? 1));
  }
  return least;
}

/** Hosts that say their memory, and for each rank how many of its devices each of them has. */
export function hostPlans(
  cluster: ClusterDefinition,
  ranks: readonly Rank[],
): { readonly hosts: readonly HostPlan[]; readonly on: readonly DevicePlan['on'][] } {
  const numbers = new Map<number, number>();
  const hosts: HostPlan[] = [];
  const on = ranks.map(({ devices }) => {
    const held = new Map<number, number>();
    for (const device of devices) {
      const group = hostGroup(cluster, device, 'memory');
      const memory = group < 0 ? undefined : cluster.groups[group].host?.memory;
      if (memory === undefined) continue;
      const host = numbers.get(group) ?? hosts.length;
      if (host === hosts.length) hosts.push({ name: groupName(cluster, group), memory });
      numbers.set(group, host);
      held.set(host, (held.get(host) ?? 0) + 1);
    }
    return held.size === 0 ? undefined : [...held].map(([host, count]) => ({ host, devices: count }));
  });
  return { hosts, on };
}

/** `node[1]`; the name of the cluster for the outermost group. */
function groupName({ name, devices, groups }: ClusterDefinition, group: number): string {
  if (groups[group].parent < 0) return name;
  const { first, depth } = groups[group];
  return devices[first].name.split('.').slice(0, depth).join('.');
}
